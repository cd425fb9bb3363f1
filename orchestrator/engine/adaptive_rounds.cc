// SPDX-License-Identifier: Apache-2.0
//
// A point that was never asked for has no row in the store: here it stands beside the others
// without a run, so that curves are grouped as the whole plan would have them.
#include "orchestrator/engine/rounds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "orchestrator/analysis/knee/adaptive_search.h"
#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/cost/cost_curve.h"
#include "orchestrator/plan/plan/matrix.h"

namespace kneepoint {
namespace {

constexpr std::size_t kNamedKs = 12;
constexpr int kMostRounds = 1000;

// The study's points in their order, then those of an earlier version of the plan.
StudyEvidence with_all_points(const Study& study, const StudyEvidence& evidence) {
  std::map<std::string, const PointEvidence*> known;
  for (const PointEvidence& point : evidence.points) known[point.point.key()] = &point;
  StudyEvidence all;
  all.seed = study.plan.seed;
  all.knee_floor = study.plan.knee.floor;
  for (const Point& point : study.points) {
    const auto found = known.find(point.key());
    PointEvidence& at = all.points.emplace_back();
    at.point = point;
    if (found == known.end()) continue;
    at.runs = found->second->runs;
    known.erase(found);
  }
  for (const PointEvidence& point : evidence.points) {
    if (known.contains(point.point.key())) all.points.push_back(point);
  }
  return all;
}

std::string list_of(const std::vector<int>& ks) {
  std::string text;
  for (std::size_t i = 0; i < std::min(ks.size(), kNamedKs); ++i) {
    text += (i == 0 ? "K=" : ", ") + std::to_string(ks[i]);
  }
  if (ks.size() > kNamedKs) text += " and " + std::to_string(ks.size() - kNamedKs) + " more";
  return text;
}

class CurveSearches {
 public:
  CurveSearches(const Study& study, const StudyEvidence& evidence, const PriceItem* price)
      : study_(study), evidence_(with_all_points(study, evidence)), price_(price) {
    rules_.floor = study.plan.knee.floor;
    rules_.within = study.plan.search.within;
    rules_.most = study.plan.repeat.max;
    rules_.first = std::min(study.plan.search.first, rules_.most);
    rules_.seed = study.plan.seed;
    const std::vector<CurveMembers> curves = group_curves(evidence_);
    const StudySummary summary = summarise(evidence_);
    for (std::size_t i = 0; i < curves.size(); ++i) ask(curves[i], summary.curves[i]);
  }

  Round round(int number) const {
    Round round;
    round.number = number;
    std::map<std::pair<int, int>, std::vector<int>> by_span;
    for (const auto& [point, to] : wanted_) {
      by_span[{static_cast<int>(evidence_.points[point].runs.size()), to}].push_back(point);
    }
    for (const auto& [span, points] : by_span) {
      const std::vector<Run> runs =
          interleave(points, span.first, span.second, study_.plan.seed + number);
      round.runs.insert(round.runs.end(), runs.begin(), runs.end());
    }
    const std::string share = share_spent();
    for (const Asked& one : asked_) {
      if (one.decision.steps.empty() && !round.runs.empty()) continue;
      std::string text = label(one);
      if (!one.decision.steps.empty()) text += to_string(one.decision.steps) + ": ";
      round.reasons.push_back(text + one.decision.why + (share.empty() ? "" : "; spent " + share));
    }
    round.left_out = left_out(share);
    return round;
  }

 private:
  struct Asked {
    CurveMembers members;
    SearchDecision decision;
  };

  const char* objective_word() const {
    return study_.plan.search.objective == SearchSpec::Objective::time ? "time" : "cost";
  }
  bool is_of_study(int point) const { return point < static_cast<int>(study_.points.size()); }

  void ask(const CurveMembers& members, const Curve& summary) {
    SearchCurve curve;
    curve.mode = members.mode;
    std::map<int, int> point_at;
    for (const int point : members.points) {
      if (!is_of_study(point)) continue;
      const int k = evidence_.points[point].point.k;
      curve.scale.push_back(k);
      curve.asked[k] = static_cast<int>(evidence_.points[point].runs.size());
      point_at[k] = point;
    }
    if (curve.scale.empty()) return;
    const Times times = times_of(evidence_, members, summary);
    const bool by_knee = study_.plan.search.target == SearchSpec::Target::knee;
    curve.times = by_knee ? at_equal_work(times) : times;
    Asked one{members, by_knee ? next_step(curve, rules_) : step_to_recommend(curve, point_at)};
    for (const SearchStep& step : one.decision.steps) {
      int& to = wanted_[point_at.at(step.k)];
      to = std::max(to, curve.asked[step.k] + step.runs);
    }
    note_cost(curve.times, point_at);
    asked_.push_back(std::move(one));
  }

  SearchDecision step_to_recommend(const SearchCurve& curve, const std::map<int, int>& point_at) {
    const bool by_time = study_.plan.search.objective == SearchSpec::Objective::time;
    RecommendationRules rules;
    rules.what = by_time ? "time" : price_ != nullptr ? "cost" : "node-hours";
    rules.within = rules_.within;
    rules.first = rules_.first;
    rules.most = rules_.most;
    rules.seed = rules_.seed;
    rules.score = [&, by_time](int k, double seconds) -> double {
      const auto found = point_at.find(k);
      if (found == point_at.end()) return INFINITY;  // of an earlier version of the plan
      const Point& point = evidence_.points[found->second].point;
      if (by_time) return seconds / point.results;
      if (price_ == nullptr) return seconds * point.shape.nodes / point.results;
      const auto bill = bill_of(*price_, use_of(point), seconds);
      // What costs nothing is all alike: the fastest is best.
      if (bill && bill->total == 0) return 1e-12 * seconds / point.results;
      return bill ? to_units(bill->total) / point.results : INFINITY;
    };
    RecommendationDecision decision = next_recommendation_step(curve, rules);
    return {std::move(decision.steps), std::move(decision.why), std::nullopt, std::nullopt};
  }

  // What the whole grid comes to, by what is known of the curve.
  void note_cost(const Times& times, const std::map<int, int>& point_at) {
    for (const auto& [k, point] : point_at) {
      if (!costed_.insert(point).second) continue;
      const PointEvidence& at = evidence_.points[point];
      const double nodes = at.point.shape.nodes;
      for (const RunEvidence& run : at.runs) {
        if (run.state == AttemptState::succeeded) spent_ += run.seconds * nodes;
      }
      if (times.size() < 2) {
        unknown_ = true;
      } else {
        grid_ += expected_work(times, k) / k * nodes * rules_.most;
      }
    }
  }

  std::string share_spent() const {
    if (unknown_ || !(grid_ > 0)) return "";
    return "about " + std::to_string(std::lround(100 * spent_ / grid_)) +
           "% of the full grid's node-hours";
  }

  // "jacobi strong: "; "" when there is one curve only.
  std::string label(const Asked& one) const {
    if (asked_.size() == 1) return "";
    std::string text = one.members.case_name + " " + to_string(one.members.mode);
    if (one.members.build != kOnlyBuild) text = one.members.build + " " + text;
    const auto alike = std::count_if(asked_.begin(), asked_.end(), [&](const Asked& other) {
      return other.members.case_name == one.members.case_name &&
             other.members.mode == one.members.mode && other.members.build == one.members.build;
    });
    if (alike > 1) text += " (" + one.members.shape_name + ")";
    return text + ": ";
  }

  std::string left_out(const std::string& share) const {
    std::string text =
        "The search was adaptive: it measured where that " +
        std::string(study_.plan.search.target == SearchSpec::Target::knee
                        ? "narrows the knee by efficiency"
                        : "settles which K to recommend by " + std::string(objective_word())) +
        ", not every K of the scale alike.";
    for (const Asked& one : asked_) {
      std::vector<int> none, few;
      for (const int point : one.members.points) {
        if (!is_of_study(point)) continue;
        const int runs = static_cast<int>(evidence_.points[point].runs.size());
        if (runs == 0) none.push_back(evidence_.points[point].point.k);
        if (runs > 0 && runs < rules_.most) few.push_back(evidence_.points[point].point.k);
      }
      std::string part;
      if (!none.empty()) part = "left out " + list_of(none);
      if (!few.empty()) {
        part += (part.empty() ? "" : "; ") + std::string("fewer than ") +
                std::to_string(rules_.most) + " runs at " + list_of(few);
      }
      if (part.empty()) part = "nothing was left out";
      if (label(one).empty()) part[0] = static_cast<char>(std::toupper(part[0]));
      text += " " + label(one) + part + ".";
      if (one.decision.steps.empty()) text += " It ended since " + one.decision.why + ".";
    }
    if (!share.empty()) text += " It spent " + share + ".";
    return text;
  }

  const Study& study_;
  const StudyEvidence evidence_;
  const PriceItem* price_;
  SearchRules rules_;
  std::vector<Asked> asked_;
  std::map<int, int> wanted_;  // point -> runs that there shall be
  std::set<int> costed_;
  double spent_ = 0, grid_ = 0;
  bool unknown_ = false;  // a curve without two K to go by
};

}  // namespace

Round search_round(const Study& study, const StudyEvidence& evidence, int number,
                   const PriceItem* price) {
  Round round = CurveSearches(study, evidence, price).round(number);
  if (number > 0) round.evidence_hash = evidence_hash(evidence);
  return round;
}

std::optional<SearchForecast> forecast(const Study& study, const PriceItem* price) {
  SearchForecast sum;
  StudyEvidence evidence;
  for (const Point& point : study.points) {
    if (!(point.modelled_seconds > 0)) return std::nullopt;
    evidence.points.emplace_back().point = point;
    sum.grid_node_seconds += point.modelled_seconds * point.shape.nodes * study.plan.repeat.max;
  }
  for (; sum.rounds < kMostRounds; ++sum.rounds) {
    const Round round = CurveSearches(study, evidence, price).round(sum.rounds);
    if (round.runs.empty()) break;
    for (const Run& run : round.runs) {
      PointEvidence& at = evidence.points[run.point];
      RunEvidence& done = at.runs.emplace_back();
      done.number = ++sum.runs;
      done.repeat = run.repeat;
      done.finished = true;
      done.state = AttemptState::succeeded;
      done.seconds = at.point.modelled_seconds;
      sum.node_seconds += done.seconds * at.point.shape.nodes;
    }
  }
  return sum;
}

}  // namespace kneepoint

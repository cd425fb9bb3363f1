// SPDX-License-Identifier: Apache-2.0
//
#include "orchestrator/report/answers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "orchestrator/model/site.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kNamedInHeadline = 4;
constexpr double kWholeK = 10;  // from here on a K is printed without decimals

std::string efficiency_words(const Curve& curve, int k) {
  const PointSummary* p = curve.at(k);
  if (p == nullptr) return "";
  if (p->baseline) return "the baseline";
  const std::string name = p->is_by_work() ? "E by work " : "E ";
  const auto& interval = p->efficiency_interval;
  return name + efficiency_with_bounds(p->efficiency, interval) + (interval ? "" : ", no interval");
}

// The second K with data: where "below" ends.
int second_k(const Curve& curve) {
  int seen = 0;
  for (const PointSummary& p : curve.points) {
    if (p.valid > 0 && ++seen == 2) return p.point.k;
  }
  return curve.k0;
}

std::string rule_words(const CurveView& view, const Knee* knee) {
  if (knee != nullptr && !knee->floor) return std::string(" by the rule ") + to_string(knee->rule);
  return " at a floor of " + count_text(view.floor_knee->floor);
}

// "the knee is K=6.2 (6.1 to 6.3) at a floor of 0.7".
std::string knee_words(const CurveView& view) {
  const Knee* knee = decisive_knee(view);
  const std::string the = view.curve->stand_in   ? "the CPU stand-in's knee is "
                          : view.curve->emulated ? "the emulated knee is "
                                                 : "the knee is ";
  const std::string by = rule_words(view, knee);
  const PointSummary* last = view.largest();
  const std::string beyond = "beyond K=" + std::to_string(last == nullptr ? 1 : last->point.k);
  const std::string below = "below K=" + std::to_string(second_k(*view.curve));
  if (knee == nullptr) {  // as the medians have it
    const KneeAnswer& by_floor = *view.floor_knee;
    if (by_floor.place == KneePlace::beyond) return the + beyond + by;
    if (by_floor.place == KneePlace::below) return the + below + by;
    return the + "about K=" + k_text(by_floor.k.value_or(0)) + by;
  }
  if (knee->place == KneePlace::beyond) {
    const auto k = knee->predicted(last == nullptr ? 0 : last->point.k);
    return the + beyond + by + (k ? " (extrapolated: about K=" + k_text(*k) + ")" : "");
  }
  if (knee->place == KneePlace::below) return the + below + by;
  std::string text = the + "K=" + k_text(knee->k.value_or(0));
  if (knee->low && knee->high) {
    text += " (" + k_text(*knee->low) + " to " + k_text(*knee->high) + ")";
  } else if (knee->low && knee->open_high) {
    text += " (" + k_text(*knee->low) + " to " + beyond + ")";
  }
  return text + by;
}

// "80% of the loss at K=16 is communication"; "" when nothing is lost or nothing is known.
std::string loss_words(const CurveView& view) {
  if (view.analysis->loss_refused) {
    return "no model is adequate to name the loss at K=" + std::to_string(view.largest()->point.k);
  }
  const auto& loss = view.analysis->loss;
  const std::optional<MainLoss> most = loss ? loss->main() : std::nullopt;
  if (!most) return "";
  const double percent = std::round(most->share * 100);
  const std::string share = percent >= 100 ? "all" : fixed_text(percent, 0) + "%";
  return share + " of the loss at K=" + std::to_string(loss->k) + " is " + loss_name(most->part);
}

// "beyond K=66 the job gets slower"; "" when no end of the gain is in sight.
std::string turning_words(const CurveView& view) {
  const std::optional<TurningPoint> turning = turning_point(*view.curve, *view.analysis);
  if (!turning) return "";
  switch (turning->basis) {
    case TurningPoint::Basis::model:
      return "beyond K=" + k_text(std::round(turning->k)) + " the job gets slower";
    case TurningPoint::Basis::extrapolated:
      return "the model " + turning->model +
             " has it slower beyond about K=" + k_text(std::round(turning->k)) + ", extrapolated";
    case TurningPoint::Basis::runs:
      return "beyond K=" + k_text(turning->k) + " the job gets slower";
    case TurningPoint::Basis::refused:
      return "no model is adequate to say where the job gets slower";
  }
  return "";
}

}  // namespace

const char* loss_name(LossPart part) {
  constexpr const char* kNames[] = {"serial work", "load imbalance", "communication",
                                    "extra compute time"};
  return kNames[static_cast<int>(part)];
}

bool is_simulated(const StudyEvidence& study) {
  return study.backend == to_string(BackendKind::simulated);
}

bool is_imported(const StudyEvidence& study) {
  return study.backend == to_string(BackendKind::imported);
}

std::vector<std::string> curve_labels(const StudySummary& summary) {
  std::set<std::string> builds;
  std::map<std::string, std::set<std::string>> shapes;
  const auto name = [](const Curve& c) {
    return c.case_name + " " + to_string(c.mode) + " " + c.build;
  };
  for (const Curve& c : summary.curves) {
    builds.insert(c.build);
    shapes[name(c)].insert(c.shape_name);
  }
  std::vector<std::string> labels;
  for (const Curve& c : summary.curves) {
    std::string label = plain(c.case_name) + " " + to_string(c.mode);
    if (builds.size() > 1) label += ", build " + plain(c.build);
    if (shapes[name(c)].size() > 1) label += ", " + plain(c.shape_name);
    if (!c.provenance.empty()) label += ", " + plain(c.provenance);
    labels.push_back(label);
  }
  return labels;
}

std::vector<CurveView> curve_views(const StudyAnalysis& analysis) {
  const StudySummary& summary = analysis.summary;
  const std::vector<std::string> labels = curve_labels(summary);
  std::vector<CurveView> views;
  for (std::size_t i = 0; i < summary.curves.size(); ++i) {
    views.push_back({&summary.curves[i], &summary.knees[i], &summary.to_use[i], &analysis.curves[i],
                     labels[i]});
  }
  return views;
}

std::vector<std::vector<std::size_t>> curves_by_case(const std::vector<CurveView>& views) {
  std::vector<std::vector<std::size_t>> cases;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const Curve& c = *views[i].curve;
    const auto place = std::find_if(cases.rbegin(), cases.rend(), [&](const auto& curves) {
      return views[curves.front()].curve->is_same_case(c) &&
             std::none_of(curves.begin(), curves.end(),
                          [&](std::size_t other) { return views[other].curve->mode == c.mode; });
    });
    if (place == cases.rend()) {
      cases.push_back({i});
    } else {
      place->push_back(i);
    }
  }
  return cases;
}

const Knee* decisive_knee(const CurveView& view) {
  if (!view.to_use->rule_answers) return nullptr;
  const auto& knees = view.analysis->knees.knees;
  const auto it = std::find_if(knees.begin(), knees.end(), [&](const Knee& knee) {
    return knee.decides(view.to_use->rule, view.floor_knee->floor);
  });
  return it == knees.end() ? nullptr : &*it;
}

std::string k_text(double k) {
  const std::string text = fixed_text(k, k < kWholeK ? 1 : 0);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

CurveAnswer answer_of(const CurveView& view) {
  const Curve& curve = *view.curve;
  const RecommendedK& to_use = *view.to_use;
  CurveAnswer answer;
  if (to_use.reason == KReason::no_run) answer.none = "no point has a valid run";
  if (to_use.reason == KReason::one_k) {
    answer.none = "only K=" + std::to_string(curve.k0) + " has a valid run";
  }
  if (!answer.none.empty()) return answer;
  if (!to_use.rule_answers) {
    answer.rule = std::string("the rule ") + to_string(to_use.rule) + " has no answer here";
  }
  answer.knee = knee_words(view);
  answer.k = to_use.k;
  if (to_use.k) answer.efficiency = efficiency_words(curve, *to_use.k);
  if (to_use.possible) {
    answer.possible = "K=" + std::to_string(*to_use.possible) + " is possible (" +
                      efficiency_words(curve, *to_use.possible) + ")";
  }
  answer.limit = loss_words(view);
  answer.turning = turning_words(view);
  if (curve.k0 != 1) answer.relative = "all relative to K0=" + std::to_string(curve.k0);
  return answer;
}

std::string sentence_of(const CurveView& view) {
  const CurveAnswer answer = answer_of(view);
  if (!answer.none.empty()) return view.label + ": no answer, " + answer.none;
  std::string text = view.label + ": " + (answer.rule.empty() ? "" : answer.rule + "; ");
  text += answer.knee;
  if (answer.k) {
    text += ", so use K=" + std::to_string(*answer.k) + " (" + answer.efficiency + ")";
  } else {
    text += "; no K is surely at or above it";
  }
  for (const std::string& more : {answer.possible, answer.limit, answer.turning, answer.relative}) {
    if (!more.empty()) text += "; " + more;
  }
  return text;
}

std::string headline_of(const StudySummary& summary, const std::vector<std::string>& labels) {
  if (labels.empty()) return "no answer: the study has no points";
  std::vector<std::string> parts, without;
  for (std::size_t i = 0; i < labels.size() && i < kNamedInHeadline; ++i) {
    const Curve& curve = summary.curves[i];
    const std::string name = " for " + labels[i] + (curve.emulated ? " (emulated)" : "") +
                             (curve.stand_in ? " (CPU stand-in, no GPU)" : "");
    if (const std::optional<int> k = summary.to_use[i].k) {
      parts.push_back((parts.empty() ? "use K=" : "K=") + std::to_string(*k) + name);
    } else {
      without.push_back("no answer" + name);
    }
  }
  parts.insert(parts.end(), without.begin(), without.end());
  if (labels.size() > kNamedInHeadline) {
    parts.push_back("and " + std::to_string(labels.size() - kNamedInHeadline) + " more curves");
  }
  return joined(parts, ", ");
}

}  // namespace kneepoint

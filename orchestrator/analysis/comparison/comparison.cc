// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/comparison/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/model/site.h"

namespace kneepoint {
namespace {

std::string curve_text(const std::string& case_name, Mode mode) {
  return case_name + ", " + to_string(mode);
}

const PointSummary* with_data(const Curve& curve, int k) {
  const auto found = std::ranges::find_if(curve.points, [k](const PointSummary& point) {
    return point.point.k == k && point.valid > 0;
  });
  return found == curve.points.end() ? nullptr : &*found;
}

void set_ratio(const std::vector<double>& a, const std::vector<double>& b, ComparedPoint& point) {
  point.ratio = point.b.seconds / point.a.seconds;
  point.interval = ratio_interval(b, a);
  if (!point.interval) {
    const bool both = a.size() == 1 && b.size() == 1;
    point.why = std::string("no interval, one value") + (both            ? " each"
                                                         : a.size() == 1 ? " in A"
                                                                         : " in B");
    return;
  }
  point.faster = point.interval->high < 1  ? Faster::b
                 : point.interval->low > 1 ? Faster::a
                                           : Faster::unclear;
}

void compare_points(const ComparedStudy& a, const ComparedStudy& b, CurveComparison& out) {
  const Curve& left = a.analysis.summary.curves[out.curve_a];
  const Curve& right = b.analysis.summary.curves[out.curve_b];
  const Times& left_times = a.analysis.curves[out.curve_a].times;
  const Times& right_times = b.analysis.curves[out.curve_b].times;
  for (const PointSummary& point : left.points) {
    if (point.valid == 0) continue;
    const PointSummary* other = with_data(right, point.point.k);
    if (other == nullptr) {
      out.only_a.push_back(point.point.k);
      continue;
    }
    ComparedPoint& at = out.points.emplace_back();
    at.k = point.point.k;
    at.a = point;
    at.b = *other;
    if (!out.obstacles.empty()) {
      at.why = out.obstacles.front();
      continue;
    }
    at.why = point_obstacle(point, *other);
    const auto of_a = std::ranges::find(left_times, at.k, &TimesAtK::k);
    const auto of_b = std::ranges::find(right_times, at.k, &TimesAtK::k);
    if (at.why.empty() && of_a != left_times.end() && of_b != right_times.end()) {
      set_ratio(of_a->seconds, of_b->seconds, at);
    }
  }
  for (const PointSummary& point : right.points) {
    if (point.valid > 0 && with_data(left, point.point.k) == nullptr) {
      out.only_b.push_back(point.point.k);
    }
  }
  if (out.points.empty()) {
    out.obstacles.emplace_back("A and B have no K in common");
  } else if (out.obstacles.empty() && std::ranges::none_of(out.points, [](const ComparedPoint& p) {
               return p.ratio.has_value();
             })) {
    out.obstacles.push_back("at every K that both have, " + out.points.front().why);
  }
}

std::optional<Knee> knee_range(const CurveAnalysis& analysis, double floor) {
  for (const Knee& knee : analysis.knees.knees) {
    if (knee.decides(KneeRule::efficiency, floor)) return knee;
  }
  return std::nullopt;
}

std::string provenance_of(const StudyEvidence& evidence, const Curve& curve) {
  for (const PointSummary& point : curve.points) {
    for (const RunEvidence& run : evidence.points[point.index].runs) {
      if (run.state == AttemptState::succeeded && !run.provenance.empty()) return run.provenance;
    }
  }
  return "";
}

void add_curve_differences(const ComparedStudy& a, const ComparedStudy& b, CurveComparison& out) {
  const Curve& left = a.analysis.summary.curves[out.curve_a];
  const Curve& right = b.analysis.summary.curves[out.curve_b];
  add_difference(out.differences, "build", left.build, right.build);
  add_difference(out.differences, "held fixed", left.held_fixed, right.held_fixed);
  for (const Difference& one :
       provenance_differences(provenance_of(a.evidence, left), provenance_of(b.evidence, right))) {
    out.differences.push_back(one);
  }
  std::set<std::string> shown;
  for (const ComparedPoint& at : out.points) add_point_differences(at, shown, out.differences);
}

using Indexes = std::vector<int>;

Indexes curves_of(const StudySummary& summary, const std::string& case_name, Mode mode) {
  Indexes found;
  for (std::size_t i = 0; i < summary.curves.size(); ++i) {
    const Curve& curve = summary.curves[i];
    if (curve.case_name == case_name && curve.mode == mode && curve.baseline() != nullptr) {
      found.push_back(static_cast<int>(i));
    }
  }
  return found;
}

bool are_of_one(const StudySummary& summary, const Indexes& curves, std::string Curve::*what) {
  return std::ranges::all_of(curves, [&](int i) {
    return summary.curves[i].*what == summary.curves[curves.front()].*what;
  });
}

// The partner in B of a curve of A, of the same build and shape; where each side has a single one
// they may differ. -1: there is none.
int partner(const Curve& curve, const StudySummary& a, const Indexes& of_a, const StudySummary& b,
            const Indexes& of_b) {
  const auto across = [&](std::string Curve::*what) {
    return are_of_one(a, of_a, what) && are_of_one(b, of_b, what);
  };
  const bool builds = across(&Curve::build), shapes = across(&Curve::shape_name);
  for (const int i : of_b) {
    const Curve& other = b.curves[i];
    if ((builds || other.build == curve.build) &&
        (shapes || other.shape_name == curve.shape_name)) {
      return i;
    }
  }
  return -1;
}

bool has_case(const StudySummary& summary, const std::string& case_name) {
  return std::ranges::any_of(summary.curves,
                             [&](const Curve& curve) { return curve.case_name == case_name; });
}

// Why a curve of one study has no partner in the other.
std::string why_alone(const Curve& curve, const char* side, const StudySummary& other) {
  const std::string name = curve_text(curve.case_name, curve.mode);
  const std::string only = name + ": only " + side + " has it; the other has ";
  if (!has_case(other, curve.case_name)) {
    std::string cases;
    std::set<std::string> seen;
    for (const Curve& one : other.curves) {
      if (!seen.insert(one.case_name).second) continue;
      cases += (cases.empty() ? "" : ", ") + one.case_name;
    }
    return only + (cases.empty() ? "no case at all" : "other cases (" + cases + ")") +
           ". A table can be imported with --case " + curve.case_name +
           " if it is of the same problem.";
  }
  if (curves_of(other, curve.case_name, curve.mode).empty()) {
    return only + "this case in another mode, with another problem at every K, or no valid run.";
  }
  return only + "another build or shape of it (" + curve.build +
         (curve.shape_name.empty() ? "" : ", " + curve.shape_name) + ").";
}

void add_notes(const ComparedStudy& study, const std::string& side,
               std::vector<std::string>& notes) {
  const StudyEvidence& e = study.evidence;
  if (e.backend == to_string(BackendKind::imported)) {
    notes.push_back(side + " is a claim: its times were imported from a table, without samples.");
  }
  for (const Caveat& caveat : e.caveats) {
    if (caveat.code.starts_with("pack")) notes.push_back(side + ": " + caveat.message);
  }
  if (e.state != "finished") notes.push_back(side + " is not finished: it is " + e.state + ".");
  if (e.backend == to_string(BackendKind::simulated)) {
    notes.push_back(side + " is simulated: its times come from formulas.");
  }
  bool emulated = false, stand_in = false;
  for (const Curve& curve : study.analysis.summary.curves) {
    emulated = emulated || curve.emulated;
    stand_in = stand_in || curve.stand_in;
  }
  if (emulated) notes.push_back(side + " holds emulated work: it slept instead of computing.");
  if (stand_in) notes.push_back(side + " ran on a CPU stand-in: no figure of it is one of a GPU.");
}

std::vector<std::string> study_obstacles(const ComparedStudy& a, const ComparedStudy& b) {
  std::vector<std::string> obstacles;
  if (a.evidence.worker != b.evidence.worker) {
    obstacles.push_back(std::string("a worker is a ") + to_string(a.evidence.worker) +
                        " in A and a " + to_string(b.evidence.worker) +
                        " in B, so the same K is not the same thing");
  }
  for (const auto& [study, side] : {std::pair{&a, "A"}, std::pair{&b, "B"}}) {
    if (is_relative(study->evidence)) {
      obstacles.push_back(std::string(side) + " holds speedups only, no times");
    }
  }
  return obstacles;
}

}  // namespace

bool is_of_relative_times(const Caveat& caveat) {
  return caveat.code == "speedup_only" || caveat.code == "efficiency_only";
}

bool is_relative(const StudyEvidence& evidence) {
  return std::ranges::any_of(evidence.caveats, is_of_relative_times);
}

bool StudyComparison::anything() const {
  return std::ranges::any_of(curves, [](const CurveComparison& curve) {
    return std::ranges::any_of(curve.points,
                               [](const ComparedPoint& point) { return point.ratio.has_value(); });
  });
}

StudyComparison compare_studies(const ComparedStudy& a, const ComparedStudy& b) {
  StudyComparison out;
  add_difference(out.differences, "site", a.evidence.site, b.evidence.site);
  add_difference(out.differences, "backend", a.evidence.backend, b.evidence.backend);
  add_notes(a, "A", out.notes);
  add_notes(b, "B", out.notes);
  const StudySummary& left = a.analysis.summary;
  const StudySummary& right = b.analysis.summary;
  std::set<int> taken;
  std::set<std::string> named;  // curves that differ by provenance only have one name
  for (std::size_t i = 0; i < left.curves.size(); ++i) {
    const Curve& curve = left.curves[i];
    if (curve.baseline() == nullptr) continue;
    const std::string name =
        curve_text(curve.case_name, curve.mode) + "/" + curve.build + "/" + curve.shape_name;
    if (!named.insert(name).second) {
      out.not_compared.push_back(curve_text(curve.case_name, curve.mode) +
                                 ": A has a second curve of other provenance (" + curve.provenance +
                                 "); the first is compared.");
      continue;
    }
    const Indexes of_a = curves_of(left, curve.case_name, curve.mode);
    const Indexes of_b = curves_of(right, curve.case_name, curve.mode);
    const int other = partner(curve, left, of_a, right, of_b);
    if (other < 0) {
      out.not_compared.push_back(why_alone(curve, "A", right));
      continue;
    }
    taken.insert(other);
    const Curve& match = right.curves[other];
    CurveComparison& one = out.curves.emplace_back();
    one.case_name = curve.case_name;
    one.mode = curve.mode;
    one.build_a = curve.build;
    one.build_b = match.build;
    if (!are_of_one(left, of_a, &Curve::shape_name)) one.shape = curve.shape_name;
    one.curve_a = static_cast<int>(i);
    one.curve_b = other;
    one.obstacles = study_obstacles(a, b);
    one.knee_a = left.knees[i];
    one.knee_b = right.knees[other];
    one.knee_range_a = knee_range(a.analysis.curves[i], a.evidence.knee_floor);
    one.knee_range_b = knee_range(b.analysis.curves[other], b.evidence.knee_floor);
    compare_points(a, b, one);
    add_curve_differences(a, b, one);
  }
  for (std::size_t i = 0; i < right.curves.size(); ++i) {
    const Curve& curve = right.curves[i];
    if (taken.count(static_cast<int>(i)) > 0 || curve.baseline() == nullptr) continue;
    const bool second = std::ranges::any_of(taken, [&](int t) {
      const Curve& one = right.curves[t];
      return one.case_name == curve.case_name && one.mode == curve.mode &&
             one.build == curve.build && one.shape_name == curve.shape_name;
    });
    out.not_compared.push_back(second ? curve_text(curve.case_name, curve.mode) +
                                            ": B has a second curve of other provenance (" +
                                            curve.provenance + "); the first is compared."
                                      : why_alone(curve, "B", left));
  }
  return out;
}

}  // namespace kneepoint

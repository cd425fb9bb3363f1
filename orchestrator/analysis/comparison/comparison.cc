// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/comparison/comparison.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/model/site.h"

namespace kneepoint {
namespace {

constexpr char kNotRecorded[] = "not recorded";

std::string curve_text(const std::string& case_name, Mode mode) {
  return case_name + ", " + to_string(mode);
}

void add_difference(std::vector<Difference>& out, const std::string& what, const std::string& a,
                    const std::string& b) {
  if (a != b) out.push_back({what, a.empty() ? kNotRecorded : a, b.empty() ? kNotRecorded : b});
}

const PointSummary* with_data(const Curve& curve, int k) {
  for (const PointSummary& point : curve.points) {
    if (point.point.k == k && point.valid > 0) return &point;
  }
  return nullptr;
}

const std::vector<double>* runs_at(const CurveAnalysis& analysis, int k) {
  for (const TimesAtK& at : analysis.times) {
    if (at.k == k) return &at.seconds;
  }
  return nullptr;
}

ComparedSide side_of(const PointSummary& point) {
  ComparedSide side;
  side.runs = point.valid;
  side.seconds = point.seconds;
  side.seconds_interval = point.seconds_interval;
  side.efficiency = point.efficiency;
  side.efficiency_interval = point.efficiency_interval;
  side.flags = point.flags;
  return side;
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
  const Curve& left = a.analysis.summary.curves[static_cast<std::size_t>(out.curve_a)];
  const Curve& right = b.analysis.summary.curves[static_cast<std::size_t>(out.curve_b)];
  const CurveAnalysis& left_runs = a.analysis.curves[static_cast<std::size_t>(out.curve_a)];
  const CurveAnalysis& right_runs = b.analysis.curves[static_cast<std::size_t>(out.curve_b)];
  for (const PointSummary& point : left.points) {
    if (point.valid == 0) continue;
    const PointSummary* other = with_data(right, point.point.k);
    if (other == nullptr) {
      out.only_a.push_back(point.point.k);
      continue;
    }
    ComparedPoint& at = out.points.emplace_back();
    at.k = point.point.k;
    at.a = side_of(point);
    at.b = side_of(*other);
    if (!out.obstacles.empty()) {
      at.why = out.obstacles.front();
      continue;
    }
    at.why = point_obstacle(point, *other);
    const auto* of_a = runs_at(left_runs, at.k);
    const auto* of_b = runs_at(right_runs, at.k);
    if (at.why.empty() && of_a != nullptr && of_b != nullptr) set_ratio(*of_a, *of_b, at);
  }
  for (const PointSummary& point : right.points) {
    if (point.valid > 0 && with_data(left, point.point.k) == nullptr) {
      out.only_b.push_back(point.point.k);
    }
  }
  if (out.points.empty()) {
    out.obstacles.emplace_back("A and B have no K in common");
  } else if (out.obstacles.empty() &&
             std::none_of(out.points.begin(), out.points.end(),
                          [](const ComparedPoint& p) { return p.ratio.has_value(); })) {
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
    for (const RunEvidence& run : evidence.points[static_cast<std::size_t>(point.index)].runs) {
      if (run.state == AttemptState::succeeded && !run.provenance.empty()) return run.provenance;
    }
  }
  return "";
}

std::string shape_text(const Point& point) {
  return std::to_string(point.shape.nodes) + " nodes x " +
         std::to_string(point.shape.ranks_per_node) + " ranks x " +
         std::to_string(point.shape.threads_per_rank) + " threads" +
         (point.shape.gpus_per_node > 0
              ? ", " + std::to_string(point.shape.gpus_per_node) + " GPUs a node"
              : "");
}

// Of the program, which lies elsewhere on every machine; "": an imported point has none.
std::string arguments_of(const Point& point) {
  std::string text;
  for (std::size_t i = 1; i < point.command.argv.size(); ++i) {
    text += (text.empty() ? "" : " ") + point.command.argv[i];
  }
  return text;
}

void add_curve_differences(const ComparedStudy& a, const ComparedStudy& b, CurveComparison& out) {
  const Curve& left = a.analysis.summary.curves[static_cast<std::size_t>(out.curve_a)];
  const Curve& right = b.analysis.summary.curves[static_cast<std::size_t>(out.curve_b)];
  add_difference(out.differences, "build", left.build, right.build);
  add_difference(out.differences, "held fixed", left.held_fixed, right.held_fixed);
  for (const Difference& one :
       provenance_differences(provenance_of(a.evidence, left), provenance_of(b.evidence, right))) {
    out.differences.push_back(one);
  }
  bool shapes = false, sizes = false, profiles = false, commands = false;
  for (const ComparedPoint& at : out.points) {
    const Point& p = with_data(left, at.k)->point;
    const Point& q = with_data(right, at.k)->point;
    const std::string where = " at K=" + std::to_string(at.k);
    if (!shapes && shape_text(p) != shape_text(q)) {
      shapes = true;
      add_difference(out.differences, "shape" + where, shape_text(p), shape_text(q));
    }
    if (!sizes && p.has_size != q.has_size) {
      sizes = true;
      add_difference(out.differences, "size" + where, p.has_size ? plain_number(p.size) : "",
                     q.has_size ? plain_number(q.size) : "");
    }
    if (!commands && arguments_of(p) != arguments_of(q)) {
      commands = true;
      add_difference(out.differences, "arguments" + where, arguments_of(p), arguments_of(q));
    }
    if (!profiles && p.profile != q.profile) {
      profiles = true;
      add_difference(out.differences, "profile" + where, p.profile, q.profile);
    }
  }
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
  return std::all_of(curves.begin(), curves.end(), [&](int i) {
    return summary.curves[static_cast<std::size_t>(i)].*what ==
           summary.curves[static_cast<std::size_t>(curves.front())].*what;
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
    const Curve& other = b.curves[static_cast<std::size_t>(i)];
    if ((builds || other.build == curve.build) &&
        (shapes || other.shape_name == curve.shape_name)) {
      return i;
    }
  }
  return -1;
}

bool has_case(const StudySummary& summary, const std::string& case_name) {
  return std::any_of(summary.curves.begin(), summary.curves.end(),
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

const char* to_string(Faster faster) {
  switch (faster) {
    case Faster::a:
      return "a";
    case Faster::b:
      return "b";
    case Faster::unclear:
      return "unclear";
    case Faster::unknown:
      return "unknown";
  }
  return "?";
}

bool is_relative(const StudyEvidence& evidence) {
  return std::any_of(evidence.caveats.begin(), evidence.caveats.end(), [](const Caveat& caveat) {
    return caveat.code == "speedup_only" || caveat.code == "efficiency_only";
  });
}

std::vector<Difference> provenance_differences(const std::string& a, const std::string& b) {
  const auto parts = [](const std::string& text) {
    std::vector<std::pair<std::string, std::string>> found;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find("; ", at), text.size());
      const std::string part = text.substr(at, end - at);
      const std::size_t cut = std::min(part.find('='), part.size());
      found.emplace_back(part.substr(0, cut), part.substr(std::min(cut + 1, part.size())));
      at = end + 2;
    }
    return found;
  };
  const auto left = parts(a), right = parts(b);
  const auto value = [](const auto& list, const std::string& name) {
    for (const auto& [key, text] : list) {
      if (key == name) return text;
    }
    return std::string();
  };
  std::vector<Difference> out;
  for (const auto& [name, text] : left) add_difference(out, name, text, value(right, name));
  for (const auto& [name, text] : right) {
    if (value(left, name).empty()) add_difference(out, name, "", text);
  }
  return out;
}

bool StudyComparison::anything() const {
  return std::any_of(curves.begin(), curves.end(), [](const CurveComparison& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(),
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
    const Curve& match = right.curves[static_cast<std::size_t>(other)];
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
    one.knee_b = right.knees[static_cast<std::size_t>(other)];
    one.knee_range_a = knee_range(a.analysis.curves[i], a.evidence.knee_floor);
    one.knee_range_b =
        knee_range(b.analysis.curves[static_cast<std::size_t>(other)], b.evidence.knee_floor);
    compare_points(a, b, one);
    add_curve_differences(a, b, one);
  }
  for (std::size_t i = 0; i < right.curves.size(); ++i) {
    const Curve& curve = right.curves[i];
    if (taken.count(static_cast<int>(i)) > 0 || curve.baseline() == nullptr) continue;
    const bool second = std::any_of(taken.begin(), taken.end(), [&](int t) {
      const Curve& one = right.curves[static_cast<std::size_t>(t)];
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

// SPDX-License-Identifier: Apache-2.0
//
// Notes are gathered over all curves, so that each is said once and names its points.

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "orchestrator/model/provenance.h"
#include "orchestrator/report/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kNamedPoints = 10;

using Visit = std::function<void(const PointSummary&, const std::string& name)>;

// Every point once, though it may be on several curves. `name`: "jacobi strong K=4".
void each_point(const StudySummary& summary, const std::vector<std::string>& labels,
                const Visit& visit) {
  std::set<int> seen;
  for (std::size_t c = 0; c < summary.curves.size(); ++c) {
    for (const PointSummary& p : summary.curves[c].points) {
      if (!seen.insert(p.index).second) continue;
      visit(p, labels[c] + " K=" + std::to_string(p.point.k));
    }
  }
}

// "jacobi strong K=2, 4; jacobi weak K=4": the points that have `flag`, by curve.
std::string points_with_flag(const StudySummary& summary, const std::vector<std::string>& labels,
                             const std::string& flag) {
  std::vector<std::string> parts;
  for (std::size_t c = 0; c < summary.curves.size(); ++c) {
    std::vector<std::string> ks;
    for (const PointSummary& p : summary.curves[c].points) {
      if (std::find(p.flags.begin(), p.flags.end(), flag) != p.flags.end()) {
        ks.push_back(std::to_string(p.point.k));
      }
    }
    if (!ks.empty()) parts.push_back(labels[c] + " K=" + joined(ks, ", "));
  }
  return joined(parts, "; ");
}

// "wrong_answer (r7, r12), time_limit (r9)".
std::string why_failed(const PointEvidence& point) {
  if (point.runs.empty()) return "it has no runs";
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const RunEvidence& run : point.runs) {
    if (!run.finished || run.state == AttemptState::succeeded) continue;
    const std::string word =
        run.reason == Reason::none ? to_string(run.state) : to_string(run.reason);
    by_reason[word].push_back("r" + std::to_string(run.number));
  }
  std::vector<std::string> parts;
  for (const auto& [word, runs] : by_reason) {
    const bool many = runs.size() > kNamedPoints;
    parts.push_back(word + " (" +
                    (many ? std::to_string(runs.size()) + " runs" : joined(runs, ", ")) + ")");
  }
  return parts.empty() ? "no time" : joined(parts, ", ");
}

// A list that a person can read: the first ten, then how many more.
std::vector<std::string> shortened(std::vector<std::string> items, const std::string& what) {
  if (items.size() <= kNamedPoints) return items;
  const std::size_t more = items.size() - kNamedPoints;
  items.resize(kNamedPoints);
  items.push_back("and " + std::to_string(more) + " more " + what);
  return items;
}

void note_methods(const StudySummary& summary, std::vector<std::string>& notes) {
  std::set<int> welch;
  bool interval = false, single = false;
  for (const Curve& curve : summary.curves) {
    const PointSummary* base = curve.baseline();
    for (const PointSummary& p : curve.points) {
      interval = interval || p.seconds_interval || p.efficiency_interval;
      single = single || p.valid == 1;
      if (base != nullptr && p.efficiency_interval && p.efficiency_interval->method == kWelch) {
        welch.insert(std::min(p.valid, base->valid));
      }
    }
  }
  if (interval) {
    notes.emplace_back("Intervals are over runs, never over the iterations inside one run.");
  }
  for (const int n : welch) {
    notes.push_back("n=" + std::to_string(n) +
                    ": no distribution-free 95% interval exists; Welch's t on logs is shown.");
  }
  if (single) notes.emplace_back("One run at a point has no interval.");
}

void note_flags(const StudySummary& summary, const std::vector<std::string>& labels,
                std::vector<std::string>& notes) {
  static constexpr struct {
    const char *flag, *opening, *meaning;
  } kFlags[] = {
      {kEmulatedFlag, kEmulatedFlag,
       "the ranks sleep instead of computing; this shows the method, not the machine."},
      {kStandInFlag, kStandInFlag,
       "stand-ins took the place of a GPU's libraries; no figure here is one of a GPU."},
      {kOversubscribedFlag, kOversubscribedFlag,
       "more ranks x threads than cores; not the scaling of a machine that has them."},
      {kBindingFlag, kBindingFlag, "the ranks were not bound as the plan says."},
      {kBusyFlag, kBusyFlag,
       "other programs used the machine during runs; measure again when it is quiet."},
      {kDisturbedFlag, kDisturbedFlag,
       "something went beyond the plan's noise limit during runs; `kneepoint explain RUN` says "
       "what."},
      {kSuperlinearFlag, "E>1",
       "more than ideal needs a cause; docs/methods.md lists what to check."},
  };
  for (const auto& row : kFlags) {
    const std::string where = points_with_flag(summary, labels, row.flag);
    if (!where.empty()) {
      notes.push_back(std::string(row.opening) + " (" + where + "): " + row.meaning);
    }
  }
}

}  // namespace

std::vector<std::string> notes_of(const StudyEvidence& study, const StudySummary& summary,
                                  const std::vector<std::string>& labels) {
  std::vector<std::string> notes;
  std::size_t runs = 0, pending = 0;
  for (const PointEvidence& point : study.points) {
    runs += point.runs.size();
    for (const RunEvidence& run : point.runs) {
      pending += !run.finished && run.state != AttemptState::succeeded;
    }
  }
  if (pending > 0) {
    notes.push_back("The study is " + study.state + ": " + std::to_string(runs - pending) + " of " +
                    std::to_string(runs) + " runs are done; numbers may still move.");
  }
  for (const Caveat& caveat : study.caveats) notes.push_back(caveat.message);
  if (is_simulated(study)) {
    notes.emplace_back("Simulated: the times come from formulas, no machine was measured.");
  }
  std::vector<std::string> failures;
  bool outliers = false;
  each_point(summary, labels, [&](const PointSummary& p, const std::string& name) {
    outliers = outliers || p.outliers > 0;
    if (p.failed == 0) return;
    failures.push_back(name + ": " + std::to_string(p.failed) + " of " +
                       std::to_string(study.points[p.index].runs.size()) +
                       " repeats failed: " + why_failed(study.points[p.index]) + ".");
  });
  const bool failed = !failures.empty();
  for (std::string& note : shortened(std::move(failures), "points with failed repeats")) {
    notes.push_back(std::move(note));
  }
  if (failed) notes.emplace_back("Runs that failed enter no number.");
  note_flags(summary, labels, notes);
  note_methods(summary, notes);
  if (outliers) notes.emplace_back("Outliers are flagged, never dropped.");
  return notes;
}

std::string red_reason_of(const StudyEvidence& study, const StudySummary& summary,
                          const std::vector<std::string>& labels) {
  const bool running = study.state == "running";
  if (study.points.empty()) return running ? "" : "nothing ran: the study has no points";
  if (!summary.anything_ran) return running ? "" : "nothing ran";
  std::vector<std::string> dead;
  bool some_valid = false;
  each_point(summary, labels, [&](const PointSummary& p, const std::string& name) {
    some_valid = some_valid || p.valid > 0;
    if (p.valid == 0 && p.pending == 0 && (p.failed > 0 || !running)) {
      dead.push_back(name + ": " + why_failed(study.points[p.index]));
    }
  });
  if (dead.empty()) return "";
  std::string reason = "every run of the study failed: ";
  if (some_valid || dead.size() < study.points.size()) {
    reason = "every run failed at " + std::to_string(dead.size()) + " of " +
             std::to_string(study.points.size()) + " points: ";
  }
  return reason + joined(shortened(std::move(dead), "points"), "; ");
}

}  // namespace kneepoint

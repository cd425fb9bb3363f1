// SPDX-License-Identifier: Apache-2.0
//
// Every form says the same: the verdict, why, what is slower by how much and since when, and how
// small a change these nights could have shown.
#include "orchestrator/report/gate/gate.h"

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

// "1.058 [1.020, 1.098]"
std::string ratio_text(const NightTest& test) {
  return fixed_text(1 + test.effect, 3) + " [" + fixed_text(test.low, 3) + ", " +
         fixed_text(test.high, 3) + "]";
}

// The test that makes it a finding, else the one of the last night. It has one.
const NightTest& shown_test(const GateFinding& finding) {
  for (const NightTest& test : finding.tests) {
    if (test.slower || test.faster) return test;
  }
  return finding.tests.front();
}

// "last of the old A, program x; first of the new B, program y": the nights on either side.
std::string range_of(const LevelChange& change) {
  const auto named = [](const NightOfProgram& one) {
    return plain(one.night) +
           (one.program.empty() ? "" : ", program " + plain(one.program).substr(0, 12));
  };
  return (change.last_before ? "last of the old " + named(*change.last_before) + "; " : "") +
         "first of the new " + named(change.first_after);
}

}  // namespace

std::vector<const GateFinding*> findings_of(const GateReport& report) {
  std::vector<const GateFinding*> found;
  for (const bool slower : {true, false}) {
    for (const auto* list : {&report.answer.curves, &report.answer.points}) {
      for (const GateFinding& finding : *list) {
        if (slower ? finding.slower : finding.faster && !finding.slower) found.push_back(&finding);
      }
    }
  }
  return found;
}

std::string words_of(const GateFinding& finding) {
  const NightTest& test = shown_test(finding);
  std::string text =
      plain(finding.name) +
      (finding.whole_curve ? " (all " + std::to_string(finding.ks.size()) + " K)" : "") +
      ": T is " + ratio_text(test) + " times that of " + counted(test.history, "night") + " before";
  if (test.window > 1) text += ", over " + std::to_string(test.window) + " nights";
  if (finding.moved) {
    text += "; " + finding.moved->name + " makes up " + percent_text(finding.moved->share) +
            " of the growth" + (finding.moved->by_shape ? " by its shape over K" : "");
  }
  if (const LevelChange* since = finding.since()) {
    text += "; since " + plain(since->first_after.night) + " its level is " +
            fixed_text(since->ratio, 3) + " times the one before (" + range_of(*since) + ")";
  }
  return text + ".";
}

std::vector<std::string> other_findings(const GateReport& report) {
  std::vector<std::string> lines;
  for (const BaselineRatio& one : report.answer.against_baseline) {
    if (!one.slower && !one.faster) continue;
    lines.push_back(plain(one.name) + ": T is " + fixed_text(one.ratio, 3) + " " +
                    bounds_text(one.interval, 1, 3) + " times that of the baseline " +
                    plain(report.baseline ? report.baseline->study : "") + ", Cliff's delta " +
                    fixed_text(one.cliff, 2) + ".");
  }
  for (const Drift& one : report.answer.drifts) {
    if (!one.drifted) continue;
    lines.push_back(plain(one.name) + ": the last 3 nights take " + fixed_text(one.ratio, 3) +
                    " times as long as the baseline " +
                    plain(report.baseline ? report.baseline->study : "") + ".");
  }
  for (const KneeShift& one : report.answer.knees) {
    if (!one.shifted) continue;
    lines.push_back(
        plain(one.name) + ": the knee at E = " + fixed_text(report.options.knee_floor, 2) +
        " is at K = " + significant_text(one.tonight, 3) + ", in the nights before at " +
        significant_text(one.before, 3) + " (" + fixed_text(one.octaves, 2) + " [" +
        fixed_text(one.low, 2) + ", " + fixed_text(one.high, 2) + "] octaves)" +
        (one.confirmed ? ", confirmed in turns." : "."));
  }
  for (const Confirmation& one : report.answer.confirmed) {
    lines.push_back("In turns with the pinned build " + plain(one.name) + " is " +
                    fixed_text(one.ratio, 3) + " " + bounds_text(one.interval, 1, 3) +
                    (one.whole_curve ? "" : ", Cliff's delta " + fixed_text(one.cliff, 2)) +
                    (one.confirmed ? ": confirmed." : ": not confirmed."));
  }
  return lines;
}

std::string sensitivity(const GateReport& report) {
  if (report.answer.curve_detectable <= 0) return "";
  return "In four of five nights these " + std::to_string(report.answer.nights) +
         " would show a whole curve slower by " + percent_text(report.answer.curve_detectable) +
         ", not less.";
}

std::string verdict_line(const GateReport& report) {
  std::string line = std::string(to_string(report.answer.verdict)) + "  " + report.study + ": ";
  const auto found = findings_of(report);
  if (!found.empty() &&
      (report.answer.verdict == Verdict::regressed || report.answer.verdict == Verdict::suspect ||
       report.answer.verdict == Verdict::improved)) {
    const NightTest& test = shown_test(*found.front());
    line += plain(found.front()->name) + " " + ratio_text(test);
    if (found.size() > 1) line += " and " + std::to_string(found.size() - 1) + " more";
    return line + "; " + report.answer.why;
  }
  const auto others = other_findings(report);
  const bool negative =
      report.answer.verdict == Verdict::regressed || report.answer.verdict == Verdict::suspect;
  if (negative && !others.empty()) {
    return line + report.answer.why + ": " + others.front().substr(0, others.front().size() - 1);
  }
  return line + report.answer.why;
}

std::string baseline_line(const Baseline& baseline) {
  std::string text = "Baseline " + plain(baseline.study);
  for (const PinnedBuild& build : baseline.builds) {
    text += ", " + (build.workload.empty() ? std::string("build") : plain(build.workload)) + " " +
            plain(build.value) + (build.hash.empty() ? "" : " (" + build.hash.substr(0, 12) + ")");
  }
  return text + ".";
}

// Every change of every curve in the segment, oldest first, and what ran on either side.
std::string since_text(const GateReport& report, int width) {
  std::string text;
  for (const GateFinding& curve : report.answer.curves) {
    for (const LevelChange& change : curve.changes) {
      text += wrap(plain(curve.name) + ": " + fixed_text(change.ratio, 3) + " times since " +
                       plain(change.first_after.night) + " (" + range_of(change) + ").",
                   width, 0);
    }
  }
  return text.empty() ? "No change of level is dated in these nights.\n" : text;
}

std::string gate_text(const GateReport& report, int width) {
  std::string text =
      "Series " + plain(report.series) + ": " + plain(report.study) + " against " +
      counted(report.answer.nights, "night") + " before it" +
      (report.imported > 0 ? ", " + std::to_string(report.imported) + " imported" : "") + "\n";
  if (report.baseline) text += wrap(baseline_line(*report.baseline), width, 0);
  for (const std::string& line : report.left_out) text += wrap("- " + plain(line), width, 0);
  if (!report.history.changed.empty()) {
    text += wrap("The environment changed: " + plain(report.history.changed) + ".", width, 0);
  }
  const auto found = findings_of(report);
  if (!found.empty()) text += "\n";
  for (const GateFinding* finding : found) text += wrap(words_of(*finding), width, 0);
  for (const std::string& line : other_findings(report)) text += wrap(line, width, 0);
  const std::string seen = sensitivity(report);
  if (!seen.empty()) text += wrap(seen, width, 0);
  if (report.calibration) text += wrap(calibration_words(*report.calibration), width, 0);
  return text + "\n" + verdict_line(report) + "\n";
}

}  // namespace kneepoint

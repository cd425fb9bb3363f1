// SPDX-License-Identifier: Apache-2.0
//
// Every form says the same: the verdict, why, what is slower by how much and since when, and how
// small a change these nights could have shown.
#include "orchestrator/cli/gate_text.h"

#include "orchestrator/cli/gate_words.h"
#include "orchestrator/cli/noise.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {

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
    for (const DatedChange& change : all_changes(report.history, curve)) {
      text += wrap(plain(curve.name) + ": " + fixed_text(change.ratio, 3) + " times since " +
                       plain(report.history.nights[change.night]) + " (" +
                       range_of(report, change) + ").",
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
  for (const GateFinding* finding : found) text += wrap(words_of(report, *finding), width, 0);
  for (const std::string& line : other_findings(report)) text += wrap(line, width, 0);
  const std::string seen = sensitivity(report);
  if (!seen.empty()) text += wrap(seen, width, 0);
  if (report.calibration) text += wrap(calibration_words(*report.calibration), width, 0);
  return text + "\n" + verdict_line(report) + "\n";
}

}  // namespace kneepoint::cli

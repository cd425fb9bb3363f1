// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/gate_words.h"

#include "orchestrator/cli/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {

std::string ratio_text(const NightTest& test) {
  return fixed_text(1 + test.effect, 3) + " [" + fixed_text(test.low, 3) + ", " +
         fixed_text(test.high, 3) + "]";
}

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

const NightTest& shown_test(const GateFinding& finding) {
  for (const NightTest& test : finding.tests) {
    if (test.slower || test.faster) return test;
  }
  return finding.tests.front();
}

std::string words_of(const GateReport& report, const GateFinding& finding) {
  const NightTest& test = shown_test(finding);
  std::string text =
      plain(finding.name) +
      (finding.whole_curve ? " (all " + std::to_string(finding.ks.size()) + " K)" : "") +
      ": T is " + ratio_text(test) + " times that of " + counted(test.history, "night") + " before";
  if (test.window > 1) text += ", over " + std::to_string(test.window) + " nights";
  if (finding.slower) {
    if (const auto moved = moved_term(report.history, finding)) {
      text += "; " + moved->name + " makes up " + percent_text(moved->share) + " of the growth" +
              (moved->by_shape ? " by its shape over K" : "");
    }
  }
  if (const auto change = last_change(report.history, finding)) {
    text += "; since " + plain(report.history.nights[change->night]) + " its level is " +
            fixed_text(change->ratio, 3) + " times the one before (" + range_of(report, *change) +
            ")";
  }
  return text + ".";
}

std::string range_of(const GateReport& report, const DatedChange& change) {
  const auto named = [&](std::size_t night) {
    const std::string& build = report.history.builds[night];
    return plain(report.history.nights[night]) +
           (build.empty() ? "" : ", program " + plain(build).substr(0, 12));
  };
  const std::size_t since = change.night;
  return (since > 0 ? "last of the old " + named(since - 1) + "; " : "") + "first of the new " +
         named(since);
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

}  // namespace kneepoint::cli

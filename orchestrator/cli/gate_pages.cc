// SPDX-License-Identifier: Apache-2.0
//
// The gate's answer for the pages of CI systems: Markdown and JUnit.
#include <algorithm>

#include "orchestrator/cli/gate_text.h"
#include "orchestrator/cli/gate_words.h"
#include "orchestrator/report/figures/svg.h"
#include "orchestrator/report/markdown_text.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

bool is_bad(Verdict verdict) {
  return verdict == Verdict::regressed || verdict == Verdict::failed;
}

}  // namespace

std::string gate_markdown(const GateReport& report) {
  std::string text = "## " + std::string(to_string(report.answer.verdict)) + ": " +
                     markdown_text(report.study) + "\n\n" + markdown_text(report.answer.why) +
                     ".\n\n";
  const auto found = findings_of(report);
  for (const GateFinding* finding : found) {
    text += "- " + markdown_text(words_of(report, *finding)) + "\n";
  }
  const std::vector<std::string> others = other_findings(report);
  for (const std::string& line : others) text += "- " + markdown_text(line) + "\n";
  if (!found.empty() || !others.empty()) text += "\n";
  text += "| curve | T tonight / nights before | 95% | detectable |\n|---|---:|---|---:|\n";
  for (const GateFinding& finding : report.answer.curves) {
    if (finding.tests.empty()) continue;
    const NightTest& test = finding.tests.front();
    text += "| " + markdown_text(finding.name) + " | " + fixed_text(1 + test.effect, 3) + " | [" +
            fixed_text(test.low, 3) + ", " + fixed_text(test.high, 3) + "] | " +
            percent_text(finding.detectable) + " |\n";
  }
  const std::string seen = sensitivity(report);
  return text + (seen.empty() ? "" : "\n" + seen + "\n");
}

// One test case per point and per curve. SUSPECT is no failure: it is watched. The message is an
// attribute and a text: Jenkins shows the first, GitLab the second.
std::string gate_junit(const GateReport& report) {
  int tests = 0, failures = 0, skipped = 0;
  std::string cases;
  const auto add = [&](const std::string& name, const std::string& inside) {
    ++tests;
    cases += "    <testcase classname=\"" + svg::escaped(report.series) + "\" name=\"" +
             svg::escaped(name) + "\" time=\"0\"" +
             (inside.empty() ? "/>\n" : ">" + inside + "</testcase>\n");
  };
  const auto failure = [&](const std::string& type, const std::string& why) {
    ++failures;
    return "<failure type=\"" + svg::escaped(type) + "\" message=\"" + svg::escaped(why) + "\">" +
           svg::escaped(why) + "</failure>";
  };
  const std::string verdict = to_string(report.answer.verdict);
  const bool regressed = report.answer.verdict == Verdict::regressed;
  for (const auto* list : {&report.answer.curves, &report.answer.points}) {
    for (const GateFinding& finding : *list) {
      const bool failed = !finding.whole_curve &&
                          std::find(report.history.failed.begin(), report.history.failed.end(),
                                    finding.name) != report.history.failed.end();
      if (failed) {
        add(finding.name, failure("FAILED", "a run failed"));
      } else if (finding.tests.empty()) {
        ++skipped;
        add(finding.name, "<skipped message=\"too few nights before this one\"/>");
      } else if (regressed && finding.slower) {
        add(finding.name, failure(verdict, words_of(report, finding)));
      } else {
        add(finding.name, "");
      }
    }
  }
  const std::string line = verdict_line(report);
  add("verdict", is_bad(report.answer.verdict)
                     ? failure(verdict, line)
                     : "<system-out>" + svg::escaped(line) + "</system-out>");
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite "
         "name=\"kneepoint " +
         svg::escaped(report.series) + "\" tests=\"" + std::to_string(tests) + "\" failures=\"" +
         std::to_string(failures) + "\" errors=\"0\" skipped=\"" + std::to_string(skipped) +
         "\" time=\"0\">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace kneepoint::cli

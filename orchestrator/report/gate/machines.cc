// SPDX-License-Identifier: Apache-2.0
//
// What CI systems and monitoring read: annotations, JUnit, Markdown, Prometheus.
#include "orchestrator/report/gate/gate.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "orchestrator/base/json_text.h"
#include "orchestrator/report/figures/svg.h"
#include "orchestrator/report/markdown_text.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostAnnotations = 10;
constexpr Verdict kVerdicts[] = {Verdict::pass,        Verdict::improved,     Verdict::suspect,
                                 Verdict::regressed,   Verdict::inconclusive, Verdict::env_change,
                                 Verdict::no_baseline, Verdict::failed};

// Each character that `special` names, as what it names for it.
std::string replaced(std::string_view text, const std::function<const char*(char)>& special) {
  std::string out;
  for (const char c : text) {
    const char* instead = special(c);
    instead == nullptr ? out += c : out += instead;
  }
  return out;
}

std::string workflow_value(std::string_view text, bool property) {
  return replaced(text, [property](char c) -> const char* {
    if (c == '%') return "%25";
    if (c == '\r') return "%0D";
    if (c == '\n') return "%0A";
    if (property && c == ':') return "%3A";
    if (property && c == ',') return "%2C";
    return nullptr;
  });
}

std::string label_value(std::string_view text) {
  return replaced(plain(text), [](char c) -> const char* {
    if (c == '\\') return "\\\\";
    if (c == '"') return "\\\"";
    if (c == '\n') return "\\n";
    return nullptr;
  });
}

enum class Weight { notice, warning, error };

Weight weight_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regressed:
    case Verdict::failed:
      return Weight::error;
    case Verdict::suspect:
    case Verdict::inconclusive:
      return Weight::warning;
    case Verdict::pass:
    case Verdict::improved:
    case Verdict::env_change:
    case Verdict::no_baseline:
      return Weight::notice;
  }
  return Weight::error;
}

// What is wrong, in the order of importance; nothing on a quiet night.
std::vector<std::string> remarks_of(const GateReport& report) {
  std::vector<std::string> remarks;
  if (report.answer.verdict == Verdict::failed) {
    for (const std::string& key : report.history.failed) {
      remarks.push_back(plain(key) + ": a run failed.");
    }
  }
  if (report.answer.verdict != Verdict::regressed && report.answer.verdict != Verdict::suspect) {
    return remarks;
  }
  for (const GateFinding* finding : findings_of(report)) {
    if (!finding->slower || finding->tests.empty()) continue;
    remarks.push_back(words_of(*finding));
  }
  return remarks;
}

// One metric with all its rows, as the text format wants them: together.
class Gauge {
 public:
  Gauge(const std::string& name, const std::string& help)
      : name_("kneepoint_gate_" + name),
        text_("# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " gauge\n") {}

  void add(const std::vector<std::pair<std::string, std::string>>& labels, double value) {
    std::string list;
    for (const auto& [name, text] : labels) {
      list += (list.empty() ? "" : ",") + name + "=\"" + label_value(text) + "\"";
    }
    text_ += name_ + "{" + list + "} " + json_number(value) + "\n";
    ++rows_;
  }
  std::string text() const { return rows_ > 0 ? text_ : ""; }

 private:
  std::string name_, text_;
  int rows_ = 0;
};

std::string finding_gauges(const GateReport& report, const std::vector<GateFinding>& findings,
                           const std::string& what) {
  Gauge ratio(what + "_ratio", "T tonight relative to the nights before.");
  Gauge low(what + "_ratio_low", "Lower end of its 95% interval.");
  Gauge high(what + "_ratio_high", "Upper end of its 95% interval.");
  Gauge seen(what + "_detectable_ratio", "Least ratio that is seen in four of five nights.");
  Gauge slower(what + "_slower", "1 if it is slower than the nights before.");
  for (const GateFinding& finding : findings) {
    const std::vector<std::pair<std::string, std::string>> labels = {{"series", report.series},
                                                                     {what, finding.name}};
    slower.add(labels, finding.slower ? 1 : 0);
    if (finding.tests.empty()) continue;
    const NightTest& test = finding.tests.front();
    ratio.add(labels, 1 + test.effect);
    low.add(labels, test.low);
    high.add(labels, test.high);
    if (finding.detectable > 0) seen.add(labels, 1 + finding.detectable);
  }
  return ratio.text() + low.text() + high.text() + seen.text() + slower.text();
}

}  // namespace

std::string gate_annotations(const GateReport& report) {
  const Weight weight = weight_of(report.answer.verdict);
  const std::string level = weight == Weight::error     ? "error"
                            : weight == Weight::warning ? "warning"
                                                        : "notice";
  const std::string title =
      "kneepoint " + std::string(to_string(report.answer.verdict)) + " " + plain(report.series);
  const auto line = [&](const std::string& words) {
    return "::" + level + " title=" + workflow_value(title, true) +
           "::" + workflow_value(plain(words), false) + "\n";
  };
  std::string text = line(verdict_line(report));
  const std::vector<std::string> remarks = remarks_of(report);
  const std::size_t room = kMostAnnotations - 1;
  const std::size_t shown = remarks.size() > room ? room - 1 : remarks.size();
  for (std::size_t i = 0; i < shown; ++i) text += line(remarks[i]);
  if (shown < remarks.size()) {
    text += line("and " + std::to_string(remarks.size() - shown) + " more");
  }
  return text;
}

std::string gate_prometheus(const GateReport& report, Nanoseconds judged) {
  Gauge verdict("verdict", "1 for the verdict of the last night, 0 for all others.");
  for (const Verdict one : kVerdicts) {
    verdict.add({{"series", report.series}, {"verdict", to_string(one)}},
                one == report.answer.verdict ? 1 : 0);
  }
  Gauge study("study_info", "The study that was judged.");
  study.add({{"series", report.series}, {"study", report.study}}, 1);
  Gauge when("judged_timestamp_seconds", "When it was judged; old means that nights are missing.");
  when.add({{"series", report.series}}, std::floor(to_seconds(judged)));
  Gauge nights("nights", "Nights before this one in its segment.");
  nights.add({{"series", report.series}}, report.answer.nights);
  Gauge seconds("point_seconds", "Median T of tonight.");
  for (const GateSeries& one : report.history.series) {
    if (one.log_medians.empty() || !one.log_medians.back()) continue;
    seconds.add({{"series", report.series},
                 {"point", one.key},
                 {"curve", one.curve},
                 {"k", std::to_string(one.k)}},
                std::exp(*one.log_medians.back()));
  }
  return verdict.text() + study.text() + when.text() + nights.text() + seconds.text() +
         finding_gauges(report, report.answer.curves, "curve") +
         finding_gauges(report, report.answer.points, "point");
}

std::string gate_markdown(const GateReport& report) {
  std::string text = "## " + std::string(to_string(report.answer.verdict)) + ": " +
                     markdown_text(report.study) + "\n\n" + markdown_text(report.answer.why) +
                     ".\n\n";
  const auto found = findings_of(report);
  for (const GateFinding* finding : found) {
    text += "- " + markdown_text(words_of(*finding)) + "\n";
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
        add(finding.name, failure(verdict, words_of(finding)));
      } else {
        add(finding.name, "");
      }
    }
  }
  const std::string line = verdict_line(report);
  add("verdict", weight_of(report.answer.verdict) == Weight::error
                     ? failure(verdict, line)
                     : "<system-out>" + svg::escaped(line) + "</system-out>");
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite "
         "name=\"kneepoint " +
         svg::escaped(report.series) + "\" tests=\"" + std::to_string(tests) + "\" failures=\"" +
         std::to_string(failures) + "\" errors=\"0\" skipped=\"" + std::to_string(skipped) +
         "\" time=\"0\">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace kneepoint

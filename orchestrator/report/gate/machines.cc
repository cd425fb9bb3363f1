// SPDX-License-Identifier: Apache-2.0
//
// What CI systems and monitoring read: annotations, JUnit, Markdown, Prometheus.
#include "orchestrator/report/gate/gate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "orchestrator/base/json_text.h"
#include "orchestrator/report/figures/svg.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostAnnotations = 10;
// How a page of a CI system marks each verdict.
constexpr std::pair<Verdict, const char*> kMarks[] = {
    {Verdict::pass, "notice"},          {Verdict::improved, "notice"},
    {Verdict::suspect, "warning"},      {Verdict::regressed, "error"},
    {Verdict::inconclusive, "warning"}, {Verdict::env_change, "notice"},
    {Verdict::no_baseline, "notice"},   {Verdict::failed, "error"}};

const char* mark_of(Verdict verdict) {
  return std::find_if(std::begin(kMarks), std::end(kMarks),
                      [verdict](const auto& one) { return one.first == verdict; })
      ->second;
}

// Each character that `special` names, as what it names for it.
std::string replaced(std::string_view text, const std::map<char, const char*>& special) {
  std::string out;
  for (const char c : text) {
    const auto it = special.find(c);
    it == special.end() ? out += c : out += it->second;
  }
  return out;
}

std::string workflow_value(std::string_view text) {
  return replaced(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}});
}

std::string workflow_property(std::string_view text) {
  return replaced(workflow_value(text), {{':', "%3A"}, {',', "%2C"}});
}

std::string label_value(std::string_view text) {
  return replaced(plain(text), {{'\\', "\\\\"}, {'"', "\\\""}, {'\n', "\\n"}});
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

using Labels = std::vector<std::pair<std::string, std::string>>;

// One metric with all its rows, as the text format wants them: together.
class Gauge {
 public:
  Gauge(const std::string& name, const char* help)
      : name_("kneepoint_gate_" + name),
        head_(fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name_, help)) {}

  Gauge& add(const Labels& labels, double value) {
    std::string list;
    for (const auto& [name, text] : labels) {
      list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ",", name, label_value(text));
    }
    rows_ += fmt::format("{}{{{}}} {}\n", name_, list, json_number(value));
    return *this;
  }
  std::string text() const { return rows_.empty() ? "" : head_ + rows_; }

 private:
  std::string name_, head_, rows_;
};

std::string finding_gauges(const GateReport& report, const std::vector<GateFinding>& findings,
                           const std::string& what) {
  Gauge ratio(what + "_ratio", "T tonight relative to the nights before.");
  Gauge low(what + "_ratio_low", "Lower end of its 95% interval.");
  Gauge high(what + "_ratio_high", "Upper end of its 95% interval.");
  Gauge seen(what + "_detectable_ratio", "Least ratio that is seen in four of five nights.");
  Gauge slower(what + "_slower", "1 if it is slower than the nights before.");
  for (const GateFinding& finding : findings) {
    const Labels labels = {{"series", report.series}, {what, finding.name}};
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
  const std::string title = workflow_property(
      fmt::format("kneepoint {} {}", to_string(report.answer.verdict), plain(report.series)));
  const auto line = [&](const std::string& words) {
    return fmt::format("::{} title={}::{}\n", mark_of(report.answer.verdict), title,
                       workflow_value(plain(words)));
  };
  std::string text = line(verdict_line(report));
  const std::vector<std::string> remarks = remarks_of(report);
  const std::size_t room = kMostAnnotations - 1;
  const std::size_t shown = remarks.size() > room ? room - 1 : remarks.size();
  for (std::size_t i = 0; i < shown; ++i) text += line(remarks[i]);
  if (shown < remarks.size()) text += line(fmt::format("and {} more", remarks.size() - shown));
  return text;
}

std::string gate_prometheus(const GateReport& report, Nanoseconds judged) {
  Gauge verdict("verdict", "1 for the verdict of the last night, 0 for all others.");
  for (const auto& [one, mark] : kMarks) {
    verdict.add({{"series", report.series}, {"verdict", to_string(one)}},
                one == report.answer.verdict ? 1 : 0);
  }
  const auto gauge = [](const char* name, const char* help, const Labels& labels, double value) {
    return Gauge(name, help).add(labels, value).text();
  };
  Gauge seconds("point_seconds", "Median T of tonight.");
  for (const GateSeries& one : report.history.series) {
    if (one.log_medians.empty() || !one.log_medians.back()) continue;
    seconds.add({{"series", report.series},
                 {"point", one.key},
                 {"curve", one.curve},
                 {"k", std::to_string(one.k)}},
                std::exp(*one.log_medians.back()));
  }
  return verdict.text() +
         gauge("study_info", "The study that was judged.",
               {{"series", report.series}, {"study", report.study}}, 1) +
         gauge("judged_timestamp_seconds", "When it was judged; old means that nights are missing.",
               {{"series", report.series}}, std::floor(to_seconds(judged))) +
         gauge("nights", "Nights before this one in its segment.", {{"series", report.series}},
               report.answer.nights) +
         seconds.text() + finding_gauges(report, report.answer.curves, "curve") +
         finding_gauges(report, report.answer.points, "point");
}

std::string gate_markdown(const GateReport& report) {
  std::string text = fmt::format("## {}: {}\n\n{}.\n\n", to_string(report.answer.verdict),
                                 markdown_text(report.study), markdown_text(report.answer.why));
  std::string list;
  for (const GateFinding* finding : findings_of(report)) {
    list += "- " + markdown_text(words_of(*finding)) + "\n";
  }
  for (const std::string& line : other_findings(report)) list += "- " + markdown_text(line) + "\n";
  text += list + (list.empty() ? "" : "\n") +
          "| curve | T tonight / nights before | 95% | detectable |\n|---|---:|---|---:|\n";
  for (const GateFinding& finding : report.answer.curves) {
    if (finding.tests.empty()) continue;
    const NightTest& test = finding.tests.front();
    text += fmt::format("| {} | {:.3f} | [{:.3f}, {:.3f}] | {} |\n", markdown_text(finding.name),
                        1 + test.effect, test.low, test.high, percent_text(finding.detectable));
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
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"{}\n",
                         svg::escaped(report.series), svg::escaped(name),
                         inside.empty() ? "/>" : ">" + inside + "</testcase>");
  };
  const auto failure = [&](const std::string& type, const std::string& why) {
    ++failures;
    return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", svg::escaped(type),
                       svg::escaped(why), svg::escaped(why));
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
  const bool bad = regressed || report.answer.verdict == Verdict::failed;
  add("verdict",
      bad ? failure(verdict, line) : "<system-out>" + svg::escaped(line) + "</system-out>");
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"kneepoint "
      "{}\" "
      "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"0\">\n{}  </testsuite>\n"
      "</testsuites>\n",
      svg::escaped(report.series), tests, failures, skipped, cases);
}

}  // namespace kneepoint

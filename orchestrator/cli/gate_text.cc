// SPDX-License-Identifier: Apache-2.0
//
// Every form says the same: the verdict, why, what is slower by how much and since when, and how
// small a change these nights could have shown.
#include "orchestrator/cli/gate_text.h"

#include <algorithm>

#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

std::string ratio_text(const NightTest& test) {
  return fixed_text(1 + test.effect, 3) + " [" + fixed_text(test.low, 3) + ", " +
         fixed_text(test.high, 3) + "]";
}

// Slower ones first by how sure they are, curves before points; then faster ones.
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
      text += "; " + moved->name + " makes up " + percent_text(moved->share) + " of the growth";
    }
  }
  if (const auto change = last_change(report.history, finding)) {
    const std::size_t since = change->night;
    text += "; since " + report.history.nights[since] + " its level is " +
            fixed_text(change->ratio, 3) + " times the one before";
    const std::string& build = report.history.builds[since];
    if (!build.empty()) text += " (program " + build.substr(0, 12) + ")";
    if (since > 0 && !report.history.builds[since - 1].empty()) {
      text += ", whose last night is " + report.history.nights[since - 1] + " (program " +
              report.history.builds[since - 1].substr(0, 12) + ")";
    }
  }
  return text + ".";
}

std::string sensitivity(const GateReport& report) {
  if (report.answer.curve_detectable <= 0) return "";
  return "In four of five nights these " + std::to_string(report.answer.nights) +
         " would show a whole curve slower by " + percent_text(report.answer.curve_detectable) +
         ", not less.";
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : plain(text)) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void put_finding(JsonWriter& json, const GateReport& report, const GateFinding& finding) {
  json.begin_object().key("name").value(finding.name);
  json.key("whole_curve").value(finding.whole_curve);
  json.key("k").begin_array();
  for (const int k : finding.ks) json.value(k);
  json.end_array();
  json.key("slower").value(finding.slower).key("slower_before").value(finding.slower_before);
  json.key("faster").value(finding.faster).key("faster_before").value(finding.faster_before);
  json.key("detectable").value(finding.detectable);
  json.key("tests").begin_array();
  for (const NightTest& test : finding.tests) {
    json.begin_object().key("nights").value(test.window).key("history").value(test.history);
    json.key("ratio")
        .value(1 + test.effect)
        .key("low")
        .value(test.low)
        .key("high")
        .value(test.high);
    json.key("p_slower").value(test.p_slower).key("p_faster").value(test.p_faster);
    json.key("deviation").value(test.sd).end_object();
  }
  json.end_array();
  const auto moved = moved_term(report.history, finding);
  json.key("moved");
  finding.slower&& moved ? json.value(moved->name) : json.null();
  const auto change =
      finding.slower || finding.faster ? last_change(report.history, finding) : std::nullopt;
  json.key("since");
  change ? json.value(report.history.nights[change->night]) : json.null();
  json.key("level_ratio");
  change ? json.value(change->ratio) : json.null();
  json.end_object();
}

bool is_bad(Verdict verdict) {
  return verdict == Verdict::regressed || verdict == Verdict::failed;
}

}  // namespace

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
  return line + report.answer.why;
}

std::string gate_text(const GateReport& report, int width) {
  std::string text = "Series " + plain(report.series) + ": " + plain(report.study) + " against " +
                     counted(report.answer.nights, "night") + " before it\n";
  for (const std::string& line : report.left_out) text += wrap("- " + plain(line), width, 0);
  if (!report.history.changed.empty()) {
    text += wrap("The environment changed: " + plain(report.history.changed) + ".", width, 0);
  }
  const auto found = findings_of(report);
  if (!found.empty()) text += "\n";
  for (const GateFinding* finding : found) text += wrap(words_of(report, *finding), width, 0);
  for (const Confirmation& one : report.answer.confirmed) {
    text += wrap("In turns with the pinned build " + plain(one.name) + " is " +
                     fixed_text(one.ratio, 3) + " " + bounds_text(one.interval, 1, 3) +
                     (one.confirmed ? ": confirmed." : ": not confirmed."),
                 width, 0);
  }
  const std::string seen = sensitivity(report);
  if (!seen.empty()) text += wrap(seen, width, 0);
  return text + "\n" + verdict_line(report) + "\n";
}

std::string gate_json(const GateReport& report) {
  JsonWriter json(2);
  json.begin_object().key("schema").value("kneepoint.gate/1");
  json.key("study").value(report.study).key("series").value(report.series);
  json.key("verdict").value(to_string(report.answer.verdict));
  json.key("why").value(report.answer.why).key("line").value(verdict_line(report));
  json.key("nights").value(report.answer.nights);
  json.key("curve_detectable");
  report.answer.curve_detectable > 0 ? json.value(report.answer.curve_detectable) : json.null();
  json.key("environment_changed").value(report.history.changed);
  json.key("left_out").begin_array();
  for (const std::string& line : report.left_out) json.value(line);
  json.end_array();
  json.key("options").begin_object().key("alpha").value(report.options.alpha);
  json.key("min_effect").value(report.options.min_effect);
  json.key("confirm_effect").value(report.options.confirm_effect);
  json.key("max_regression").value(report.options.max_regression).end_object();
  json.key("failed").begin_array();
  for (const std::string& key : report.history.failed) json.value(key);
  json.end_array();
  json.key("curves").begin_array();
  for (const GateFinding& finding : report.answer.curves) put_finding(json, report, finding);
  json.end_array().key("points").begin_array();
  for (const GateFinding& finding : report.answer.points) put_finding(json, report, finding);
  return json.end_array().end_object().text();
}

std::string gate_markdown(const GateReport& report) {
  std::string text = "## " + std::string(to_string(report.answer.verdict)) + ": `" +
                     plain(report.study) + "`\n\n" + report.answer.why + ".\n\n";
  const auto found = findings_of(report);
  for (const GateFinding* finding : found) text += "- " + words_of(report, *finding) + "\n";
  if (!found.empty()) text += "\n";
  text += "| curve | T tonight / nights before | 95% | detectable |\n|---|---:|---|---:|\n";
  for (const GateFinding& finding : report.answer.curves) {
    if (finding.tests.empty()) continue;
    const NightTest& test = finding.tests.front();
    text += "| " + plain(finding.name) + " | " + fixed_text(1 + test.effect, 3) + " | [" +
            fixed_text(test.low, 3) + ", " + fixed_text(test.high, 3) + "] | " +
            percent_text(finding.detectable) + " |\n";
  }
  const std::string seen = sensitivity(report);
  return text + (seen.empty() ? "" : "\n" + seen + "\n");
}

// One test case per point and per curve. SUSPECT is no failure: it is watched.
std::string gate_junit(const GateReport& report) {
  int tests = 0, failures = 0;
  std::string cases;
  const bool regressed = report.answer.verdict == Verdict::regressed;
  for (const auto* list : {&report.answer.curves, &report.answer.points}) {
    for (const GateFinding& finding : *list) {
      ++tests;
      const bool failed = !finding.whole_curve &&
                          std::find(report.history.failed.begin(), report.history.failed.end(),
                                    finding.name) != report.history.failed.end();
      cases += "    <testcase classname=\"" + xml(report.series) + "\" name=\"" +
               xml(finding.name) + "\"";
      if (failed || (regressed && finding.slower)) {
        ++failures;
        const std::string why = failed                  ? "a run failed"
                                : finding.tests.empty() ? ""
                                                        : words_of(report, finding);
        cases += ">\n      <failure message=\"" + xml(why) + "\"/>\n    </testcase>\n";
      } else if (finding.tests.empty()) {
        cases +=
            ">\n      <skipped message=\"too few nights before this one\"/>\n    </testcase>\n";
      } else {
        cases += "/>\n";
      }
    }
  }
  ++tests;
  cases += "    <testcase classname=\"" + xml(report.series) + "\" name=\"verdict\"";
  if (is_bad(report.answer.verdict)) {
    ++failures;
    cases += ">\n      <failure message=\"" + xml(verdict_line(report)) + "\"/>\n    </testcase>\n";
  } else {
    cases +=
        ">\n      <system-out>" + xml(verdict_line(report)) + "</system-out>\n    </testcase>\n";
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite "
         "name=\"kneepoint " +
         xml(report.series) + "\" tests=\"" + std::to_string(tests) + "\" failures=\"" +
         std::to_string(failures) + "\">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace kneepoint::cli

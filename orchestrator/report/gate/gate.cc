// SPDX-License-Identifier: Apache-2.0
//
// The gate's answer for people, what is kept of a series and how noisy it is. Every form of the
// gate says the same: the verdict, why, what is slower by how much and since when, and how small a
// change these nights could have shown.
#include "orchestrator/report/gate/gate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

// "1.058 [1.020, 1.098]"
std::string night_ratio(const NightTest& test) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", 1 + test.effect, test.low, test.high);
}

std::string ratio_words(double ratio, const std::optional<Interval>& interval) {
  return fixed_text(ratio, 3) + " " + bounds_text(interval, 1, 3);
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

std::string by_whom(const std::string& who, Nanoseconds when, const std::string& note) {
  return to_utc_text(when) + (who.empty() ? "" : " by " + plain(who)) +
         (note.empty() ? "" : ": " + plain(note));
}

std::string share_or_unknown(const std::optional<double>& sd) {
  if (!sd) return "not known";
  return *sd > 0 ? percent_text(*sd) : "none seen";
}

// "0 of 1000 nights (at most 0.30%)": the upper end of a 95% interval where nothing was seen.
std::string rate_text(double share, int nights) {
  const long count = std::lround(share * nights);
  std::string text = fmt::format("{} of {}", count, counted(nights, "night"));
  if (count == 0) text += " (at most " + percent_text(3.0 / nights) + ")";
  return text;
}

std::string advice_words(const NoiseReport& report) {
  const NoiseAdvice& advice = report.advice;
  if (!advice.reachable) {
    return fmt::format(
        "No number of repeats helps: even {} repeats and {} nights would show a whole curve slower "
        "by {}, not by {} (gate.max_regression). Make nights more alike (exclusive nodes, fixed "
        "clocks, the same nodes), or raise max_regression.",
        advice.repeats, advice.history, percent_text(advice.detectable),
        percent_text(report.max_regression));
  }
  return fmt::format(
      "Recommended: {} repeats and a history of {} nights; they show a whole curve slower by {} in "
      "four of five nights, and the plan asks for {}.",
      advice.repeats, advice.history,
      percent_text(std::max(advice.detectable, report.curve_effect)),
      percent_text(report.max_regression));
}

std::string baseline_line(const Baseline& baseline) {
  std::string text = "Baseline " + plain(baseline.study);
  for (const PinnedBuild& build : baseline.builds) {
    text += fmt::format(", {} {}{}", build.workload.empty() ? "build" : plain(build.workload),
                        plain(build.value),
                        build.hash.empty() ? "" : " (" + build.hash.substr(0, 12) + ")");
  }
  return text + ".";
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
      fmt::format("{}{}: T is {} times that of {} before", plain(finding.name),
                  finding.whole_curve ? fmt::format(" (all {} K)", finding.ks.size()) : "",
                  night_ratio(test), counted(test.history, "night"));
  if (test.window > 1) text += fmt::format(", over {} nights", test.window);
  if (const auto& moved = finding.moved) {
    text += fmt::format("; {} makes up {} of the growth{}", moved->name, percent_text(moved->share),
                        moved->by_shape ? " by its shape over K" : "");
  }
  if (const LevelChange* since = finding.since()) {
    text += fmt::format("; since {} its level is {:.3f} times the one before ({})",
                        plain(since->first_after.night), since->ratio, range_of(*since));
  }
  return text + ".";
}

std::vector<std::string> other_findings(const GateReport& report) {
  std::vector<std::string> lines;
  const std::string baseline = plain(report.baseline ? report.baseline->study : "");
  for (const BaselineRatio& one : report.answer.against_baseline) {
    if (!one.slower && !one.faster) continue;
    lines.push_back(fmt::format("{}: T is {} times that of the baseline {}, Cliff's delta {:.2f}.",
                                plain(one.name), ratio_words(one.ratio, one.interval), baseline,
                                one.cliff));
  }
  for (const Drift& one : report.answer.drifts) {
    if (!one.drifted) continue;
    lines.push_back(
        fmt::format("{}: the last 3 nights take {:.3f} times as long as the baseline {}.",
                    plain(one.name), one.ratio, baseline));
  }
  for (const KneeShift& one : report.answer.knees) {
    if (!one.shifted) continue;
    lines.push_back(fmt::format(
        "{}: the knee at E = {:.2f} is at K = {}, in the nights before at {} ({:.2f} [{:.2f}, "
        "{:.2f}] octaves){}.",
        plain(one.name), report.options.knee_floor, significant_text(one.tonight, 3),
        significant_text(one.before, 3), one.octaves, one.low, one.high,
        one.confirmed ? ", confirmed in turns" : ""));
  }
  for (const Confirmation& one : report.answer.confirmed) {
    lines.push_back(
        fmt::format("In turns with the pinned build {} is {}{}: {}confirmed.", plain(one.name),
                    ratio_words(one.ratio, one.interval),
                    one.whole_curve ? "" : fmt::format(", Cliff's delta {:.2f}", one.cliff),
                    one.confirmed ? "" : "not "));
  }
  return lines;
}

std::string sensitivity(const GateReport& report) {
  if (report.answer.curve_detectable <= 0) return "";
  return fmt::format(
      "In four of five nights these {} would show a whole curve slower by {}, not less.",
      report.answer.nights, percent_text(report.answer.curve_detectable));
}

std::string verdict_line(const GateReport& report) {
  const Verdict verdict = report.answer.verdict;
  const std::string& why = report.answer.why;
  const std::string line = fmt::format("{}  {}: ", to_string(verdict), report.study);
  const bool negative = verdict == Verdict::regressed || verdict == Verdict::suspect;
  const auto found = findings_of(report);
  if (!found.empty() && (negative || verdict == Verdict::improved)) {
    return fmt::format("{}{} {}{}; {}", line, plain(found.front()->name),
                       night_ratio(shown_test(*found.front())),
                       found.size() > 1 ? fmt::format(" and {} more", found.size() - 1) : "", why);
  }
  const auto others = other_findings(report);
  if (!negative || others.empty()) return line + why;
  return line + why + ": " + others.front().substr(0, others.front().size() - 1);
}

// Every change of every curve in the segment, oldest first, and what ran on either side.
std::string since_text(const GateReport& report, int width) {
  std::string text;
  for (const GateFinding& curve : report.answer.curves) {
    for (const LevelChange& change : curve.changes) {
      text += wrap(fmt::format("{}: {:.3f} times since {} ({}).", plain(curve.name), change.ratio,
                               plain(change.first_after.night), range_of(change)),
                   width, 0);
    }
  }
  return text.empty() ? "No change of level is dated in these nights.\n" : text;
}

std::string gate_text(const GateReport& report, int width) {
  std::string text =
      fmt::format("Series {}: {} against {} before it{}\n", plain(report.series),
                  plain(report.study), counted(report.answer.nights, "night"),
                  report.imported > 0 ? fmt::format(", {} imported", report.imported) : "");
  const auto add = [&](const std::string& line) { text += wrap(line, width, 0); };
  if (report.baseline) add(baseline_line(*report.baseline));
  for (const std::string& line : report.left_out) add("- " + plain(line));
  if (!report.history.changed.empty()) {
    add("The environment changed: " + plain(report.history.changed) + ".");
  }
  const auto found = findings_of(report);
  if (!found.empty()) text += "\n";
  for (const GateFinding* finding : found) add(words_of(*finding));
  for (const std::string& line : other_findings(report)) add(line);
  add(sensitivity(report));
  if (report.calibration) add(calibration_words(*report.calibration));
  return text + "\n" + verdict_line(report) + "\n";
}

std::string series_text(const SeriesView& view, int width) {
  std::string text = fmt::format("Series {}: {}", plain(view.series),
                                 counted(static_cast<long>(view.studies), "study"));
  if (const auto& nights = view.imported; !nights.empty()) {
    text += fmt::format(" and {} ({} to {})",
                        counted(static_cast<long>(nights.size()), "imported night"),
                        plain(nights.front().night), plain(nights.back().night));
  }
  text += "\n";
  const auto add = [&](const std::string& line) { text += wrap(line, width, 0); };
  if (const auto& pinned = view.baseline) {
    add(fmt::format("{} Set {}.", baseline_line(*pinned),
                    by_whom(pinned->who, pinned->made_ns, pinned->note)));
  } else {
    text += "No baseline; 'kneepoint baseline set STUDY' sets one.\n";
  }
  for (const std::string& one : view.problems) add("- " + plain(one));
  for (const AcknowledgedChange& change : view.acknowledged) {
    add(fmt::format("Change acknowledged at {}, {}.", plain(change.study),
                    by_whom(change.who, change.made_ns, change.note)));
  }
  if (const auto& noise = view.calibration) {
    add(fmt::format("Noise on {}: runs {}{}; a whole curve slower by {} would be seen.",
                    to_utc_text(noise->made_ns), percent_text(noise->repeat_sd),
                    noise->night_sd ? ", nights " + percent_text(*noise->night_sd) : "",
                    percent_text(noise->smallest_detectable)));
  }
  if (!view.verdicts.empty()) add("Last verdict: " + plain(view.verdicts.front().line));
  return text;
}

std::string baselines_text(const std::vector<Baseline>& all) {
  if (all.empty()) return "No series has a baseline; 'kneepoint baseline set STUDY' sets one.\n";
  const std::vector<ColumnOf<Baseline>> columns = {
      {"SERIES", [](auto& one) { return one.series; }, Align::left},
      {"STUDY", [](auto& one) { return one.study; }, Align::left},
      {"BUILDS", [](auto& one) { return std::to_string(one.builds.size()); }},
      {"SET", [](auto& one) { return to_utc_text(one.made_ns); }, Align::left},
      {"DROPPED", [](auto& one) { return one.dropped_ns == 0 ? "" : to_utc_text(one.dropped_ns); },
       Align::left},
      {"NOTE", [](auto& one) { return one.note; }, Align::left}};
  return to_table(columns, all);
}

std::string imported_text(const ImportedHistory& imported) {
  const auto count = [](std::size_t number, const char* noun) {
    return counted(static_cast<long>(number), noun);
  };
  if (imported.fresh == 0) {
    return fmt::format("All {} of the table are in {} already; nothing was written.\n",
                       count(imported.known, "night"), imported.series);
  }
  std::string text =
      fmt::format("{} ({} to {}) with {} imported for {}", count(imported.fresh, "night"),
                  imported.first, imported.last, count(imported.times, "time"), imported.series);
  if (imported.known > 0) text += fmt::format("; {} were there already", imported.known);
  if (imported.unit_assumed) text += "; times without a unit are taken as seconds";
  if (!imported.unused.empty()) text += "; not used:";
  for (const std::string& column : imported.unused) text += " '" + column + "'";
  return plain(text) + ".\n";
}

std::string noise_text(const NoiseReport& report, int width) {
  const NoiseComponents& noise = report.noise;
  std::string text =
      fmt::format("Noise of series {}: {} of one build, {}, {}\n\n", plain(report.series),
                  counted(static_cast<long>(report.studies.size()), "study"),
                  counted(noise.points, "point"), counted(noise.runs, "run"));
  const std::vector<std::vector<std::string>> rows = {
      {"repeats", share_or_unknown(noise.repeat_sd), "the same point, again"},
      {"nights, all points", share_or_unknown(noise.common_night_sd), "slower or faster together"},
      {"nights, one point", share_or_unknown(noise.point_night_sd), "on its own"},
      {"nodes", share_or_unknown(noise.node_sd), "another set of nodes"}};
  text += to_table({{{"what differs"}, {"sd of T", Align::right}, {""}}, rows, "", {}}, 2) + "\n";
  const auto add = [&](const std::string& line) { text += wrap(line, width, 0); };
  for (const std::string& sentence : noise.untold) add("- " + sentence);
  if (!noise.untold.empty()) text += "\n";
  const GateBehaviour& quiet = report.quiet;
  add(fmt::format(
      "The gate on such nights (simulated, {} repeats, history {}): REGRESSED by mistake on {}, "
      "SUSPECT on {}, INCONCLUSIVE on {}.",
      report.shape.repeats, report.shape.history, rate_text(quiet.regressed, quiet.nights),
      rate_text(quiet.suspect, quiet.nights), rate_text(quiet.inconclusive, quiet.nights)));
  add(report.detectable
          ? fmt::format("The smallest slowdown of all points that is seen on its first night in "
                        "four of five cases: {}.",
                        percent_text(*report.detectable))
          : "Not even twice the time would be seen on its first night in four of five cases.");
  add(advice_words(report));
  return text;
}

std::string calibration_words(const Calibration& calibration) {
  return fmt::format(
      "Calibrated on {} with {}: T differs between repeats by {}, between nights: {}, between "
      "nodes: {}; a slowdown of {} is seen at once, with {} repeats (recommended {}, history {}).",
      to_utc_text(calibration.made_ns).substr(0, 10), counted(calibration.nights, "study"),
      percent_text(calibration.repeat_sd), share_or_unknown(calibration.night_sd),
      share_or_unknown(calibration.node_sd), percent_text(calibration.smallest_detectable),
      calibration.repeats, calibration.recommended_repeats, calibration.recommended_history);
}

}  // namespace kneepoint

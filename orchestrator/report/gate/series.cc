// SPDX-License-Identifier: Apache-2.0
//
// What is kept of a series and how noisy it is, for people.
#include <algorithm>
#include <cmath>

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/gate/gate.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

std::string by_whom(const std::string& who, Nanoseconds when, const std::string& note) {
  return to_utc_text(when) + (who.empty() ? "" : " by " + plain(who)) +
         (note.empty() ? "" : ": " + plain(note));
}

std::string range_text(const std::vector<ImportedNight>& nights) {
  return plain(nights.front().night) + " to " + plain(nights.back().night);
}

std::string share_or_unknown(const std::optional<double>& sd) {
  if (!sd) return "not known";
  return *sd > 0 ? percent_text(*sd) : "none seen";
}

// "0 of 1000 nights (at most 0.30%)": the upper end of a 95% interval where nothing was seen.
std::string rate_text(double share, int nights) {
  const long count = std::lround(share * nights);
  std::string text = std::to_string(count) + " of " + counted(nights, "night");
  if (count == 0) text += " (at most " + percent_text(3.0 / nights) + ")";
  return text;
}

std::string advice_words(const NoiseReport& report) {
  const NoiseAdvice& advice = report.advice;
  if (!advice.reachable) {
    return "No number of repeats helps: even " + std::to_string(advice.repeats) + " repeats and " +
           std::to_string(advice.history) + " nights would show a whole curve slower by " +
           percent_text(advice.detectable) + ", not by " + percent_text(report.max_regression) +
           " (gate.max_regression). Make nights more alike (exclusive nodes, fixed clocks, the "
           "same nodes), or raise max_regression.";
  }
  return "Recommended: " + std::to_string(advice.repeats) + " repeats and a history of " +
         std::to_string(advice.history) + " nights; they show a whole curve slower by " +
         percent_text(std::max(advice.detectable, report.curve_effect)) +
         " in four of five nights, and the plan asks for " + percent_text(report.max_regression) +
         ".";
}

}  // namespace

std::string series_text(const SeriesView& view, int width) {
  std::string text =
      "Series " + plain(view.series) + ": " + std::to_string(view.studies) +
      (view.studies == 1 ? " study" : " studies") +
      (view.imported.empty()
           ? ""
           : " and " + counted(static_cast<long>(view.imported.size()), "imported night") + " (" +
                 range_text(view.imported) + ")") +
      "\n";
  if (view.baseline) {
    text += wrap(baseline_line(*view.baseline) + " Set " +
                     by_whom(view.baseline->who, view.baseline->made_ns, view.baseline->note) + ".",
                 width, 0);
  } else {
    text += "No baseline; 'kneepoint baseline set STUDY' sets one.\n";
  }
  for (const std::string& one : view.problems) text += wrap("- " + plain(one), width, 0);
  for (const AcknowledgedChange& change : view.acknowledged) {
    text += wrap("Change acknowledged at " + plain(change.study) + ", " +
                     by_whom(change.who, change.made_ns, change.note) + ".",
                 width, 0);
  }
  if (view.calibration) {
    const Calibration& noise = *view.calibration;
    text +=
        wrap("Noise on " + to_utc_text(noise.made_ns) + ": runs " + percent_text(noise.repeat_sd) +
                 (noise.night_sd ? ", nights " + percent_text(*noise.night_sd) : "") +
                 "; a whole curve slower by " + percent_text(noise.smallest_detectable) +
                 " would be seen.",
             width, 0);
  }
  if (!view.verdicts.empty()) {
    text += wrap("Last verdict: " + plain(view.verdicts.front().line), width, 0);
  }
  return text;
}

std::string baselines_text(const std::vector<Baseline>& all) {
  if (all.empty()) return "No series has a baseline; 'kneepoint baseline set STUDY' sets one.\n";
  std::vector<std::vector<std::string>> rows;
  for (const Baseline& one : all) {
    rows.push_back({plain(one.series), plain(one.study), std::to_string(one.builds.size()),
                    to_utc_text(one.made_ns),
                    one.dropped_ns == 0 ? "" : to_utc_text(one.dropped_ns), plain(one.note)});
  }
  return to_table({{"SERIES"}, {"STUDY"}, {"BUILDS", Align::right}, {"SET"}, {"DROPPED"}, {"NOTE"}},
                  rows);
}

std::string imported_text(const ImportedHistory& imported) {
  if (imported.fresh == 0) {
    return "All " + counted(static_cast<long>(imported.known), "night") + " of the table are in " +
           imported.series + " already; nothing was written.\n";
  }
  std::string text = counted(static_cast<long>(imported.fresh), "night") + " (" + imported.first +
                     " to " + imported.last + ") with " +
                     counted(static_cast<long>(imported.times), "time") + " imported for " +
                     imported.series;
  if (imported.known > 0) text += "; " + std::to_string(imported.known) + " were there already";
  if (imported.unit_assumed) text += "; times without a unit are taken as seconds";
  if (!imported.unused.empty()) {
    text += "; not used:";
    for (const std::string& column : imported.unused) text += " '" + column + "'";
  }
  return plain(text) + ".\n";
}

std::string noise_text(const NoiseReport& report, int width) {
  const NoiseComponents& noise = report.noise;
  std::string text = "Noise of series " + plain(report.series) + ": " +
                     counted(static_cast<long>(report.studies.size()), "study") +
                     " of one build, " + counted(noise.points, "point") + ", " +
                     counted(noise.runs, "run") + "\n\n";
  const std::vector<std::vector<std::string>> rows = {
      {"repeats", share_or_unknown(noise.repeat_sd), "the same point, again"},
      {"nights, all points", share_or_unknown(noise.common_night_sd), "slower or faster together"},
      {"nights, one point", share_or_unknown(noise.point_night_sd), "on its own"},
      {"nodes", share_or_unknown(noise.node_sd), "another set of nodes"}};
  text += to_table({{"what differs"}, {"sd of T", Align::right}, {""}}, rows, 2) + "\n";
  for (const std::string& sentence : noise.untold) text += wrap("- " + sentence, width, 0);
  if (!noise.untold.empty()) text += "\n";
  text += wrap("The gate on such nights (simulated, " + std::to_string(report.shape.repeats) +
                   " repeats, history " + std::to_string(report.shape.history) +
                   "): REGRESSED by mistake on " +
                   rate_text(report.quiet.regressed, report.quiet.nights) + ", SUSPECT on " +
                   rate_text(report.quiet.suspect, report.quiet.nights) + ", INCONCLUSIVE on " +
                   rate_text(report.quiet.inconclusive, report.quiet.nights) + ".",
               width, 0);
  text += wrap(report.detectable
                   ? "The smallest slowdown of all points that is seen on its first night in four "
                     "of five cases: " +
                         percent_text(*report.detectable) + "."
                   : std::string("Not even twice the time would be seen on its first night in "
                                 "four of five cases."),
               width, 0);
  return text + wrap(advice_words(report), width, 0);
}

std::string calibration_words(const Calibration& calibration) {
  return "Calibrated on " + to_utc_text(calibration.made_ns).substr(0, 10) + " with " +
         counted(calibration.nights, "study") + ": T differs between repeats by " +
         percent_text(calibration.repeat_sd) +
         ", between nights: " + share_or_unknown(calibration.night_sd) +
         ", between nodes: " + share_or_unknown(calibration.node_sd) + "; a slowdown of " +
         percent_text(calibration.smallest_detectable) + " is seen at once, with " +
         std::to_string(calibration.repeats) + " repeats (recommended " +
         std::to_string(calibration.recommended_repeats) + ", history " +
         std::to_string(calibration.recommended_history) + ").";
}

}  // namespace kneepoint

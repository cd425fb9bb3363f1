// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "orchestrator/base/json_put.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/noise.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

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

std::string noise_json(const NoiseReport& report) {
  JsonWriter json(2);
  json.begin_object().put("schema", "kneepoint.noise/1").put("series", report.series);
  json.put("studies", report.studies).put("nights_of_series", report.nights_of_series);
  put_fields(json, report.noise);
  json.key("simulated").begin_object().put("nights", report.quiet.nights);
  json.put("repeats", report.shape.repeats).put("history", report.shape.history);
  json.put("regressed", report.quiet.regressed).put("suspect", report.quiet.suspect);
  json.put("inconclusive", report.quiet.inconclusive).put("pass", report.quiet.pass);
  json.put("smallest_detectable", report.detectable).end_object();
  return json.put("recommended", report.advice).end_object().text();
}

Calibration calibration_of(const NoiseReport& report, Nanoseconds made) {
  Calibration out;
  out.series = report.series;
  out.made_ns = made;
  out.repeat_sd = report.noise.repeat_sd;
  out.night_sd = report.noise.night_sd();
  out.node_sd = report.noise.node_sd;
  out.false_alarm_rate = report.quiet.regressed;
  out.smallest_detectable = report.detectable.value_or(1);
  out.repeats = report.shape.repeats;
  out.nights = report.noise.nights;
  out.recommended_repeats = report.advice.repeats;
  out.recommended_history = report.advice.history;
  return out;
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

std::string calibration_json(const Calibration& calibration) {
  return json_text(calibration);
}

}  // namespace kneepoint::cli

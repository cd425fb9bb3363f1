// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/baseline_text.h"

#include "orchestrator/base/json_text.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/gate_text.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

std::string by_whom(const std::string& who, Nanoseconds when, const std::string& note) {
  return to_utc_text(when) + (who.empty() ? "" : " by " + plain(who)) +
         (note.empty() ? "" : ": " + plain(note));
}

std::string range_text(const std::vector<ImportedNight>& nights) {
  return plain(nights.front().night) + " to " + plain(nights.back().night);
}

void put_baseline(JsonWriter& json, const Baseline& one) {
  json.begin_object().key("series").value(one.series).key("study").value(one.study);
  json.key("note").value(one.note).key("who").value(one.who);
  json.key("made").value(to_utc_text(one.made_ns)).key("dropped");
  one.dropped_ns > 0 ? json.value(to_utc_text(one.dropped_ns)) : json.null();
  json.key("builds").begin_array();
  for (const PinnedBuild& build : one.builds) {
    json.begin_object().key("workload").value(build.workload);
    json.key("kind").value(to_string(build.kind)).key("value").value(build.value);
    json.key("hash").value(build.hash).end_object();
  }
  json.end_array().end_object();
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
  for (const PinnedState& one : view.builds) {
    if (!one.problem.empty()) text += wrap("- " + plain(one.problem), width, 0);
  }
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

std::string series_json(const SeriesView& view) {
  JsonWriter json(2);
  json.begin_object().key("schema").value("kneepoint.series/1").key("series").value(view.series);
  json.key("studies").value(static_cast<std::int64_t>(view.studies)).key("baseline");
  if (view.baseline) {
    put_baseline(json, *view.baseline);
  } else {
    json.null();
  }
  json.key("problems").begin_array();
  for (const PinnedState& one : view.builds) {
    if (!one.problem.empty()) json.value(one.problem);
  }
  json.end_array().key("acknowledged").begin_array();
  for (const AcknowledgedChange& change : view.acknowledged) {
    json.begin_object().key("study").value(change.study).key("note").value(change.note);
    json.key("who").value(change.who).key("made").value(to_utc_text(change.made_ns)).end_object();
  }
  json.end_array().key("imported").begin_array();
  for (const ImportedNight& night : view.imported) {
    json.begin_object().key("night").value(night.night).key("build").value(night.build);
    json.key("times").value(static_cast<std::int64_t>(night.times.size())).end_object();
  }
  json.end_array().key("calibration");
  if (view.calibration) {
    const Calibration& noise = *view.calibration;
    json.begin_object().key("made").value(to_utc_text(noise.made_ns));
    json.key("repeat_deviation").value(noise.repeat_sd).key("night_deviation");
    noise.night_sd ? json.value(*noise.night_sd) : json.null();
    json.key("node_deviation");
    noise.node_sd ? json.value(*noise.node_sd) : json.null();
    json.key("false_alarm_rate").value(noise.false_alarm_rate);
    json.key("smallest_detectable").value(noise.smallest_detectable);
    json.key("repeats").value(noise.repeats).key("nights").value(noise.nights);
    json.key("recommended_repeats").value(noise.recommended_repeats);
    json.key("recommended_history").value(noise.recommended_history).end_object();
  } else {
    json.null();
  }
  json.key("verdicts").begin_array();
  for (const StoredVerdict& one : view.verdicts) {
    json.begin_object().key("study").value(one.study).key("verdict").value(one.verdict);
    json.key("why").value(one.why).key("made").value(to_utc_text(one.made_ns)).end_object();
  }
  return json.end_array().end_object().text();
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

std::string baselines_json(const std::vector<Baseline>& all) {
  JsonWriter json(2);
  json.begin_object().key("schema").value("kneepoint.baselines/1").key("baselines").begin_array();
  for (const Baseline& one : all) put_baseline(json, one);
  return json.end_array().end_object().text();
}

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
//
// The text of `predict STUDY`. Words first: what a run would take, that this was not measured, and
// where the models part.
#include <fmt/core.h>

#include <cmath>

#include "orchestrator/answers/study/predict.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr double kTrustK = 1e6;  // an optimum further out is only "far beyond"

std::string short_number(double value) {
  return number_text(value, 3);
}

std::string name_of(const CurvePrediction& curve) {
  return curve_name(curve.build, curve.case_name, curve.mode);
}

std::string range(const PredictedValue& e) {
  return short_number(e.low) + " to " + short_number(e.high);
}

std::string optimum_words(const CurvePrediction& curve) {
  if (curve.mode == Mode::weak || curve.models.empty() || curve.lacks_fit) return "";
  const ModelOptimum& best = curve.models.front();
  if (!best.fastest_k) {
    return fmt::format(" By {} every further worker makes it faster.", best.model);
  }
  return fmt::format(
      " By {} the fastest K is {}, {}.", best.model,
      *best.fastest_k > kTrustK ? "beyond 1000000"
                                : "about " + short_number(std::round(*best.fastest_k)),
      best.in_range ? "slower after it" : "outside the K measured: not to be relied on");
}

std::string sentence(const CurvePrediction& curve, bool relative) {
  if (curve.points.empty()) return name_of(curve) + ": no prediction.";
  const PredictedK& last = curve.points.back();
  const bool weak = curve.mode == Mode::weak;
  const std::string text = fmt::format(
      "{}: at K={} {} take {}{} ({}), {} times {} K={} (E={}, {}). ", name_of(curve), last.k,
      weak ? "a problem that grows with K would" : "it would", short_number(last.seconds.value),
      relative ? " of the baseline's time" : " s", range(last.seconds),
      short_number(last.speedup.value), weak ? "the results per second of" : "as fast as", curve.k0,
      short_number(last.efficiency.value), range(last.efficiency));
  const std::string trust =
      last.extrapolated
          ? fmt::format("This is an extrapolation to {} times the largest K measured ({}).",
                        short_number(static_cast<double>(last.k) / curve.largest), curve.largest)
          : "This lies within the K measured.";
  return text + trust + optimum_words(curve);
}

std::string points_table(const CurvePrediction& curve, bool relative) {
  const std::vector<ColumnOf<PredictedK>> columns = {
      {"K", [](auto& p) { return std::to_string(p.k); }},
      {relative ? "T (relative)" : "T (s)", [](auto& p) { return short_number(p.seconds.value); }},
      {"T RANGE", [](auto& p) { return range(p.seconds); }},
      {"S", [](auto& p) { return short_number(p.speedup.value); }},
      {"E", [](auto& p) { return short_number(p.efficiency.value); }},
      {"E RANGE", [](auto& p) { return range(p.efficiency); }},
      {"T MEASURED", [](auto& p) { return or_dash(p.measured, short_number); }},
      {"K IS",
       [](auto& p) {
         return p.extrapolated ? "extrapolated" : p.measured ? "measured" : "between";
       },
       Align::left},
  };
  return to_table(columns, curve.points, 2);
}

std::string seconds_by(const std::string& model, const PredictedK& p) {
  for (const ModelPrediction& m : p.models) {
    if (m.model == model) return short_number(m.seconds);
  }
  return "-";
}

std::string models_table(const CurvePrediction& curve) {
  const auto fastest = [&](const ModelOptimum& model) -> std::string {
    if (curve.mode == Mode::weak) return "-";
    if (!model.fastest_k) return "none";
    return *model.fastest_k > kTrustK ? ">1000000" : short_number(*model.fastest_k);
  };
  std::vector<ColumnOf<ModelOptimum>> columns = {
      {"MODEL", [](auto& model) { return model.model; }, Align::left},
      {"WEIGHT", [](auto& model) { return fixed_text(model.weight, 2); }},
      {"FASTEST K", fastest},
  };
  for (const PredictedK& p : curve.points) {
    columns.push_back({"T(" + std::to_string(p.k) + ")",
                       [&p](auto& model) { return seconds_by(model.model, p); }});
  }
  return to_table(columns, curve.models, 2);
}

std::string disagreement(const PredictedK& p, bool relative) {
  std::string text = fmt::format("The runs can't tell these models apart at K={}:", p.k);
  for (const ModelPrediction& m : p.models) {
    text += fmt::format("{} {}{} by {}", &m == &p.models.front() ? "" : ",",
                        short_number(m.seconds), relative ? "" : " s", m.model);
  }
  return text + ".";
}

std::string words_of(const PredictionRefusal& refusal) {
  switch (refusal.why) {
    case PredictionRefusal::Why::analysis:
      return refusal.what + (refusal.with_beyond ? " (--beyond)" : "");
    case PredictionRefusal::Why::provenance:
      return fmt::format(
          "its runs differ in provenance, and a model would average them: {} against {}",
          refusal.what, refusal.other);
    case PredictionRefusal::Why::no_model:
      return "no model can be fitted to its runs";
    case PredictionRefusal::Why::misfit:
      return fmt::format("the best model that its runs allow, {}, misses them by {} on average",
                         refusal.what, number_percent(refusal.missed, 2));
  }
  return "";
}

}  // namespace

std::vector<std::string> refusals_of(const CurvePrediction& curve) {
  std::vector<std::string> out;
  for (const PredictionRefusal& refusal : curve.refused) {
    std::string& text = out.emplace_back(words_of(refusal));
    if (refusal.add_k.empty()) continue;
    text += fmt::format("; measuring K={} as well would allow {}", ks_text(refusal.add_k),
                        refusal.allows);
  }
  return out;
}

std::vector<std::string> warnings_of(const CurvePrediction& curve) {
  if (!curve.lacks_fit) return {};
  return {fmt::format(
      "the best model, {}, misses the runs by more than their own scatter explains ({} on average)",
      curve.models.front().model, number_percent(curve.missed, 2))};
}

std::string to_text(const StudyPrediction& answer, int width) {
  std::string out;
  for (const CurvePrediction& curve : answer.curves) {
    out += hanging(sentence(curve, answer.relative), width);
    for (const auto& why : refusals_of(curve)) out += hanging("refused: " + why + ".", width);
    for (const auto& why : warnings_of(curve)) out += hanging("warning: " + why + ".", width);
  }
  for (const CurvePrediction& curve : answer.curves) {
    if (curve.points.empty()) continue;
    out += "\n" + name_of(curve) + "\n" + points_table(curve, answer.relative) + "\n" +
           models_table(curve);
    for (const PredictedK& p : curve.points) {
      if (!p.note.empty()) out += wrap(disagreement(p, answer.relative), width, 2);
    }
  }
  out += "\n" + wrap(fmt::format("Ranges: {:.0f}% for one run, over all models listed together; T, "
                                 "S and E are by the first of them. S and E are relative to the "
                                 "smallest K measured.",
                                 100 * answer.level),
                     width, 0);
  for (const Caveat& caveat : answer.caveats) out += hanging("note: " + caveat.message, width);
  return plain_lines(out);
}

std::string to_json(const StudyPrediction& answer) {
  JsonWriter json;
  json.begin_object().put("study", answer.study).put("level", answer.level);
  json.put("time_unit", answer.relative ? "baseline" : "s").key("curves").begin_array();
  for (const CurvePrediction& curve : answer.curves) {
    json.begin_object();
    put_fields(json, curve);
    json.put("refused", refusals_of(curve)).put("warnings", warnings_of(curve)).end_object();
  }
  return json.end_array().put("caveats", answer.caveats).end_object().text();
}

}  // namespace kneepoint

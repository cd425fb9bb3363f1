// SPDX-License-Identifier: Apache-2.0
//
// Words first: what a run would take, that this was not measured, and where the models part.
#include <cmath>
#include <cstdio>

#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/curve_words.h"
#include "orchestrator/cli/predict_study.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr double kTrustK = 1e6;  // an optimum further out is only "far beyond"

std::string short_number(double value) {
  return number_text(value, 3);
}

// The baseline of a table of speedups is 1, not a second.
bool is_relative(const StudyPrediction& answer) {
  for (const Caveat& caveat : answer.caveats) {
    if (caveat.code == "speedup_only" || caveat.code == "efficiency_only") return true;
  }
  return false;
}

std::string name_of(const CurvePrediction& curve) {
  return curve_name(curve.build, curve.case_name, curve.mode);
}

std::string range(const PredictedValue& e) {
  return short_number(e.low) + " to " + short_number(e.high);
}

std::string optimum_words(const CurvePrediction& curve) {
  if (curve.mode == Mode::weak || curve.models.empty()) return "";
  const ModelOptimum& best = curve.models.front();
  if (!best.fastest_k) return " By " + best.model + " every further worker makes it faster.";
  const std::string k = *best.fastest_k > kTrustK
                            ? "beyond 1000000"
                            : "about " + short_number(std::round(*best.fastest_k));
  return " By " + best.model + " the fastest K is " + k +
         (best.in_range ? ", slower after it." : ", outside the K measured: not to be relied on.");
}

std::string sentence(const CurvePrediction& curve, bool relative) {
  if (curve.points.empty()) return name_of(curve) + ": no prediction.";
  const PredictedK& last = curve.points.back();
  const std::string k = std::to_string(last.k);
  std::string text = name_of(curve) + ": at K=" + k;
  const std::string seconds = relative ? " of the baseline's time" : " s";
  text += curve.mode == Mode::weak ? " a problem that grows with K would take " : " it would take ";
  text += short_number(last.seconds.value) + seconds + " (" + range(last.seconds) + "), ";
  text +=
      short_number(last.speedup.value) +
      (curve.mode == Mode::weak ? " times the results per second of K=" : " times as fast as K=") +
      std::to_string(curve.k0) + " (E=" + short_number(last.efficiency.value) + ", " +
      range(last.efficiency) + "). ";
  if (last.extrapolated) {
    text += "This is an extrapolation to " +
            short_number(static_cast<double>(last.k) / curve.largest) +
            " times the largest K measured (" + std::to_string(curve.largest) + ").";
  } else {
    text += "This lies within the K measured.";
  }
  return text + optimum_words(curve);
}

std::string points_table(const CurvePrediction& curve, bool relative) {
  std::vector<std::vector<std::string>> rows;
  for (const PredictedK& p : curve.points) {
    rows.push_back({std::to_string(p.k), short_number(p.seconds.value), range(p.seconds),
                    short_number(p.speedup.value), short_number(p.efficiency.value),
                    range(p.efficiency), p.measured ? short_number(*p.measured) : "-",
                    p.extrapolated ? "extrapolated"
                    : p.measured   ? "measured"
                                   : "between"});
  }
  return to_table({{"K", Align::right},
                   {relative ? "T (relative)" : "T (s)", Align::right},
                   {"T RANGE", Align::right},
                   {"S", Align::right},
                   {"E", Align::right},
                   {"E RANGE", Align::right},
                   {"T MEASURED", Align::right},
                   {"K IS"}},
                  rows, 2);
}

std::string models_table(const CurvePrediction& curve) {
  std::vector<Column> columns = {{"MODEL"}, {"WEIGHT", Align::right}, {"FASTEST K", Align::right}};
  for (const PredictedK& p : curve.points) {
    columns.push_back({"T(" + std::to_string(p.k) + ")", Align::right});
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t m = 0; m < curve.models.size(); ++m) {
    const ModelOptimum& model = curve.models[m];
    const std::string fastest = curve.mode == Mode::weak     ? "-"
                                : !model.fastest_k           ? "none"
                                : *model.fastest_k > kTrustK ? ">1000000"
                                                             : short_number(*model.fastest_k);
    char weight[32];
    std::snprintf(weight, sizeof weight, "%.2f", model.weight);
    rows.push_back({model.model, weight, fastest});
    for (const PredictedK& p : curve.points) {
      rows.back().push_back(m < p.models.size() ? short_number(p.models[m].seconds) : "-");
    }
  }
  return to_table(columns, rows, 2);
}

std::string disagreement(const PredictedK& p, bool relative) {
  std::string text = "The runs can't tell these models apart at K=" + std::to_string(p.k) + ":";
  for (const ModelPrediction& m : p.models) {
    text += (&m == &p.models.front() ? " " : ", ") + short_number(m.seconds) +
            (relative ? " by " : " s by ") + m.model;
  }
  return text + ".";
}

void write(JsonWriter& json, const char* key, const PredictedValue& e) {
  json.key(key).begin_object();
  json.key("value").value(e.value);
  json.key("low").value(e.low);
  json.key("high").value(e.high);
  json.end_object();
}

void write(JsonWriter& json, const PredictedK& p) {
  json.begin_object();
  json.key("k").value(p.k);
  json.key("time").value(p.seconds.value);
  json.key("low").value(p.seconds.low);
  json.key("high").value(p.seconds.high);
  write(json, "speedup", p.speedup);
  write(json, "efficiency", p.efficiency);
  json.key("extrapolated").value(p.extrapolated);
  json.key("measured");
  p.measured ? json.value(*p.measured) : json.null();
  json.key("models").begin_array();
  for (const ModelPrediction& m : p.models) {
    json.begin_object();
    json.key("name").value(m.model);
    json.key("delta").value(m.delta);
    json.key("time").value(m.seconds);
    json.key("low").value(m.low);
    json.key("high").value(m.high);
    json.end_object();
  }
  json.end_array();
  json.key("note").value(p.note);
  json.end_object();
}

void write(JsonWriter& json, const CurvePrediction& curve) {
  json.begin_object();
  json.key("build").value(curve.build);
  json.key("case").value(curve.case_name);
  json.key("mode").value(to_string(curve.mode));
  json.key("shape").value(curve.shape_name);
  json.key("k0").value(curve.k0);
  json.key("time0").value(curve.seconds0);
  json.key("largest_k").value(curve.largest);
  json.key("runs").value(curve.runs);
  json.key("points").begin_array();
  for (const PredictedK& p : curve.points) write(json, p);
  json.end_array();
  json.key("models").begin_array();
  for (const ModelOptimum& model : curve.models) {
    json.begin_object();
    json.key("name").value(model.model);
    json.key("weight").value(model.weight);
    json.key("fastest_k");
    model.fastest_k ? json.value(*model.fastest_k) : json.null();
    json.key("fastest_in_range").value(model.in_range);
    json.end_object();
  }
  json.end_array();
  json.key("refused").begin_array();
  for (const std::string& why : curve.refused) json.value(why);
  json.end_array();
  json.key("warnings").begin_array();
  for (const std::string& why : curve.notes) json.value(why);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string study_prediction_text(const StudyPrediction& answer, int width) {
  const bool relative = is_relative(answer);
  const auto paragraph = [&](const std::string& text) {
    return wrap(text, width, 2).substr(2);  // later lines hang below the first
  };
  std::string out;
  for (const CurvePrediction& curve : answer.curves) {
    out += paragraph(sentence(curve, relative));
    for (const std::string& why : curve.refused) out += paragraph("  refused: " + why + ".");
    for (const std::string& why : curve.notes) out += paragraph("  warning: " + why + ".");
  }
  for (const CurvePrediction& curve : answer.curves) {
    if (curve.points.empty()) continue;
    out +=
        "\n" + name_of(curve) + "\n" + points_table(curve, relative) + "\n" + models_table(curve);
    for (const PredictedK& p : curve.points) {
      if (!p.note.empty()) out += wrap(disagreement(p, relative), width, 2);
    }
  }
  char level[16];
  std::snprintf(level, sizeof level, "%.0f%%", 100 * answer.level);
  out += "\n" + wrap(std::string("Ranges: ") + level +
                         " for one run, over all models listed together; T, S and E are by the "
                         "first of them. S and E are relative to the smallest K measured.",
                     width, 0);
  for (const Caveat& caveat : answer.caveats) out += paragraph("note: " + caveat.message);
  return plain_lines(out);
}

std::string study_prediction_json(const StudyPrediction& answer) {
  JsonWriter json;
  json.begin_object();
  json.key("study").value(answer.study);
  json.key("level").value(answer.level);
  json.key("time_unit").value(is_relative(answer) ? "baseline" : "s");
  json.key("curves").begin_array();
  for (const CurvePrediction& curve : answer.curves) write(json, curve);
  json.end_array();
  put_caveats(json, answer.caveats);
  return json.end_object().text();
}

}  // namespace kneepoint::cli

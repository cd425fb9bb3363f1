// SPDX-License-Identifier: Apache-2.0
//
// What rests on a whole curve: models, knees, predictions; and the order of a curve's tables.
#include <fmt/core.h>

#include <cmath>
#include <set>

#include "orchestrator/report/tables/detail_tables.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

TimeUnit model_unit(const CurveAnalysis& analysis) {
  std::vector<double> medians;
  for (const TimesAtK& at : analysis.times) {
    medians.push_back(at.seconds.empty() ? 0 : median_seconds(at));
  }
  return unit_of_least(medians);
}

std::string scaled(double seconds, const TimeUnit& unit) {
  return significant_text(seconds * unit.per_second, 4);
}

// Names as in formulas, not as in the JSON.
const char* term_name(Term term) {
  constexpr const char* kNames[] = {"constant", "1/K", "log2 K", "K-1"};
  return kNames[static_cast<int>(term)];
}

std::string bounds_words(const Bounds& bounds, std::string (*text)(double)) {
  return text(bounds.low) + " to " + (std::isinf(bounds.high) ? "no end" : text(bounds.high));
}

// ---- models

std::vector<ColumnOf<ModelFit>> model_columns(const TimeUnit& unit, bool strong) {
  const auto term = [&unit](int number, double Coefficients::*value) {
    return [unit, number, value](const ModelFit& fit) -> std::string {
      if ((fit.terms >> number & 1U) == 0) return "";
      return fit.coefficients.*value == 0 ? "0" : scaled(fit.coefficients.*value, unit);
    };
  };
  std::vector<ColumnOf<ModelFit>> columns = {
      {"model", [](auto& fit) { return fit.name; }, Align::left},
      {"weight", [](auto& fit) { return fixed_text(fit.weight, 2); }},
      {"1", term(0, &Coefficients::one)},
      {"1/K", term(1, &Coefficients::inverse_k)},
      {"log2 K", term(2, &Coefficients::log2_k)},
      {"K-1", term(3, &Coefficients::k_minus_1)}};
  if (strong) {
    columns.push_back(
        {"serial", [](auto& fit) { return or_dash(fit.serial_fraction, percent_text); }});
    columns.push_back({"ceiling", [](auto& fit) {
                         return fit.ceiling ? significant_text(*fit.ceiling, 3) : "none";
                       }});
  }
  columns.push_back(
      {"error at\nleft-out K", [](auto& fit) { return or_dash(fit.left_out_rms, percent_text); }});
  return columns;
}

// The ends of the best model's 95% intervals, that model held fixed; "" without any.
std::string sure_words(const ModelFit& best, const ModelIntervals& sure) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::optional<Bounds>& bounds,
                       std::string (*text)(double)) {
    if (bounds) parts.push_back(name + bounds_words(*bounds, text));
  };
  add("serial fraction ", sure.serial_fraction, percent_text);
  if (best.log_share > 0) add("log2 K over T(1) ", sure.log_share, percent_text);
  if (best.linear_share > 0) add("K-1 over T(1) ", sure.linear_share, percent_text);
  if (best.fastest_in_range) add("fastest K ", sure.fastest_k, k_text);
  if (parts.empty()) return "";
  return fmt::format("95% of {}, that model held fixed: {}", best.name, joined(parts, "; "));
}

void add_models(const CurveView& view, std::vector<TextTable>& tables) {
  const ModelsAnswer& models = view.analysis->models;
  const TimeUnit unit = model_unit(*view.analysis);
  TextTable table;
  table.title = "Models";
  if (!models.fits.empty()) {
    table =
        table_of(model_columns(unit, view.curve->mode == Mode::strong), models.fits,
                 fmt::format("Models, best first; T is the sum of the terms, in {}", unit.name));
  }
  table.lines = models.notes;
  if (!models.fits.empty()) {
    const ModelFit& best = models.fits.front();
    for (const UpperLimit& limit : best.not_detectable) {
      table.lines.push_back(fmt::format("not detectable in {}: {} (at most {} {}, one-sided 95%)",
                                        best.name, term_name(limit.term), scaled(limit.limit, unit),
                                        unit.name));
    }
    const auto& sure = view.analysis->best_intervals;
    const std::string words = sure ? sure_words(best, *sure) : "";
    if (!words.empty()) table.lines.push_back(words);
  }
  std::vector<std::string> waiting;
  for (const NotFitted& no : models.not_fitted) {
    waiting.push_back(no.name + (no.add_k.empty() ? "" : " (add K=" + ks_text(no.add_k) + ")"));
  }
  if (!waiting.empty() && !models.fits.empty()) {  // else the note says it
    table.lines.push_back("not fitted, too few K or runs: " + joined(waiting, "; "));
  }
  if (models.power) {
    table.lines.push_back(
        fmt::format("power law a + b/K^p, a diagnostic: p={:.2f}", models.power->p));
  }
  if (!table.rows.empty() || !table.lines.empty()) tables.push_back(std::move(table));
}

// ---- knees

std::string rule_name(const Knee& knee) {
  std::string name = knee.floor ? "E >= " + fixed_text(*knee.floor, 2) : to_string(knee.rule);
  if (!knee.is_measured() && knee.rule != KneeRule::usl_peak) name += " by " + knee.model;
  return name + (knee.powers_of_two ? ", powers of 2" : "");
}

std::string where_words(const Knee& knee) {
  if (knee.place == KneePlace::inside) return "";
  return to_string(knee.place) +
         (knee.extrapolated ? "; model: " + k_text(*knee.extrapolated) : std::string());
}

// Measured K as they are, others with three digits.
std::string k_cell(double k) {
  return k == std::floor(k) ? fixed_text(k, 0) : significant_text(k, 3);
}

std::string knee_bounds(const Knee& knee, int largest) {
  if (!knee.low || (!knee.high && !knee.open_high)) return "[-]";
  if (knee.open_high && *knee.low >= largest) return "";  // all of it is beyond
  return "[" + k_cell(*knee.low) + ", " + (knee.open_high ? "..." : k_cell(*knee.high)) + "]";
}

// A model without an end of the gain, as "ideal" is, has nothing to say about where it ends.
bool says_nothing(const Knee& knee) {
  return !knee.is_measured() && knee.place == KneePlace::beyond && !knee.extrapolated;
}

void add_knees(const CurveView& view, std::vector<TextTable>& tables) {
  const KneesAnswer& answer = view.analysis->knees;
  if (answer.knees.empty() && answer.notes.empty()) return;
  TextTable table;
  if (!answer.knees.empty()) {
    const PointSummary* last = view.largest();
    const int largest = last == nullptr ? 1 : last->point.k;
    const auto whole = [](std::optional<int> Knee::*k) {
      return [k](const Knee& knee) { return knee.*k ? std::to_string(*(knee.*k)) : ""; };
    };
    std::vector<Knee> knees = answer.knees;
    std::erase_if(knees, says_nothing);
    const std::vector<ColumnOf<Knee>> columns = {
        {"rule", rule_name, Align::left},
        {"K", [](auto& knee) { return or_dash(knee.k, k_cell); }},
        {"[95%]", [=](auto& knee) { return knee_bounds(knee, largest); }, Align::left, true},
        {"K sure", whole(&Knee::k_sure)},
        {"K maybe", whole(&Knee::k_maybe)},
        {"where", where_words, Align::left}};
    table = table_of(columns, knees);
  }
  table.title = "Knees by every rule";
  if (!answer.agreement.empty()) table.lines.push_back(answer.agreement);
  table.lines.insert(table.lines.end(), answer.notes.begin(), answer.notes.end());
  std::set<std::string> notes;
  for (const Knee& knee : answer.knees) {
    const bool noted = knee.rule == KneeRule::kneedle && !knee.note.empty();
    if (noted && !says_nothing(knee)) notes.insert("kneedle " + knee.note);
  }
  table.lines.insert(table.lines.end(), notes.begin(), notes.end());
  tables.push_back(std::move(table));
}

// ---- predictions

void add_predictions(const CurveView& view, std::vector<TextTable>& tables) {
  const PredictionsAnswer& answer = view.analysis->predictions;
  if (answer.predictions.empty() && view.analysis->models.fits.empty()) return;
  if (answer.predictions.empty() && answer.refused.empty()) return;
  const TimeUnit unit = model_unit(*view.analysis);
  TextTable table;
  if (!answer.predictions.empty()) {
    const std::vector<ColumnOf<Prediction>> columns = {
        {"K", [](auto& p) { return std::to_string(p.k); }},
        {std::string("T, ") + unit.name, [=](auto& p) { return scaled(p.seconds, unit); }},
        {"[90% of one run]",
         [=](auto& p) {
           return bounds_text(Interval{p.low, p.high, 0.9, ""}, unit.per_second,
                              decimals_for(p.seconds * unit.per_second, 4));
         },
         Align::left, true},
        {"", [](auto& p) { return p.extrapolated ? "extrapolated" : "between the K measured"; },
         Align::left}};
    table = table_of(columns, answer.predictions);
  }
  table.title = "Predictions of T, not measured";
  for (const Prediction& p : answer.predictions) {
    if (!p.note.empty()) table.lines.push_back(p.note);
  }
  for (const RefusedPrediction& one : answer.refused) table.lines.push_back(one.why);
  tables.push_back(std::move(table));
}

}  // namespace

std::vector<TextTable> curve_tables(const CurveView& view) {
  std::vector<TextTable> tables;
  add_models(view, tables);
  add_knees(view, tables);
  add_predictions(view, tables);
  add_point_tables(view, tables);
  add_warnings(view.analysis->warnings, tables);
  for (TextTable& table : tables) make_plain(table);
  return tables;
}

}  // namespace kneepoint

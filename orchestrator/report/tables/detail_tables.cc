// SPDX-License-Identifier: Apache-2.0
//
// What rests on a whole curve: models, knees, predictions; and the order of all tables.
#include "orchestrator/report/tables/detail_tables.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "orchestrator/report/build_text.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

TimeUnit unit_of(const CurveAnalysis& analysis) {
  double shortest = 0;
  for (const TimesAtK& at : analysis.times) {
    const double t = at.seconds.empty() ? 0 : median_seconds(at);
    if (t > 0 && (shortest == 0 || t < shortest)) shortest = t;
  }
  return time_unit(shortest);
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

std::vector<std::string> model_row(const ModelFit& fit, const TimeUnit& unit, bool strong) {
  const Coefficients& c = fit.coefficients;
  std::vector<std::string> row = {fit.name, fixed_text(fit.weight, 2)};
  const double values[] = {c.one, c.inverse_k, c.log2_k, c.k_minus_1};
  for (int j = 0; j < 4; ++j) {
    const bool has = (fit.terms >> j & 1U) != 0;
    row.push_back(!has ? "" : values[j] == 0 ? "0" : scaled(values[j], unit));
  }
  if (strong) {
    row.push_back(fit.serial_fraction ? percent_text(*fit.serial_fraction) : "-");
    row.push_back(fit.ceiling ? significant_text(*fit.ceiling, 3) : "none");
  }
  row.push_back(fit.left_out_rms ? percent_text(*fit.left_out_rms) : "-");
  return row;
}

void add_model_lines(const CurveView& view, const TimeUnit& unit, std::vector<std::string>& lines) {
  const ModelsAnswer& models = view.analysis->models;
  for (const std::string& note : models.notes) lines.push_back(note);
  if (!models.fits.empty()) {
    const ModelFit& best = models.fits.front();
    for (const UpperLimit& limit : best.not_detectable) {
      lines.push_back(std::string("not detectable in ") + best.name + ": " + term_name(limit.term) +
                      " (at most " + scaled(limit.limit, unit) + " " + unit.name +
                      ", one-sided 95%)");
    }
    if (const auto& sure = view.analysis->best_intervals) {
      std::vector<std::string> parts;
      if (sure->serial_fraction) {
        parts.push_back("serial fraction " + bounds_words(*sure->serial_fraction, percent_text));
      }
      if (best.log_share > 0) {
        parts.push_back("log2 K over T(1) " + bounds_words(sure->log_share, percent_text));
      }
      if (best.linear_share > 0) {
        parts.push_back("K-1 over T(1) " + bounds_words(sure->linear_share, percent_text));
      }
      if (sure->fastest_k && best.fastest_in_range) {
        parts.push_back("fastest K " + bounds_words(*sure->fastest_k, k_text));
      }
      if (!parts.empty()) {
        lines.push_back("95% of " + best.name + ", that model held fixed: " + joined(parts, "; "));
      }
    }
  }
  std::vector<std::string> waiting;
  for (const NotFitted& no : models.not_fitted) {
    std::vector<std::string> ks;
    for (const int k : no.add_k) ks.push_back(std::to_string(k));
    waiting.push_back(no.name + (ks.empty() ? "" : " (add K=" + joined(ks, ", ") + ")"));
  }
  if (!waiting.empty() && !models.fits.empty()) {  // else the note says it
    lines.push_back("not fitted, too few K or runs: " + joined(waiting, "; "));
  }
  if (models.power) {
    lines.push_back("power law a + b/K^p, a diagnostic: p=" + fixed_text(models.power->p, 2));
  }
}

void add_models(const CurveView& view, std::vector<DetailTable>& tables) {
  const ModelsAnswer& models = view.analysis->models;
  const bool strong = view.curve->mode == Mode::strong;
  const TimeUnit unit = unit_of(*view.analysis);
  DetailTable table;
  table.title = models.fits.empty()
                    ? "Models"
                    : std::string("Models, best first; T is the sum of the terms, in ") + unit.name;
  if (!models.fits.empty()) {
    table.columns = {{"model"},
                     {"weight", Align::right},
                     {"1", Align::right},
                     {"1/K", Align::right},
                     {"log2 K", Align::right},
                     {"K-1", Align::right}};
    if (strong) {
      table.columns.push_back({"serial", Align::right});
      table.columns.push_back({"ceiling", Align::right});
    }
    table.columns.push_back({"error at\nleft-out K", Align::right});
    for (const ModelFit& fit : models.fits) table.rows.push_back(model_row(fit, unit, strong));
  }
  add_model_lines(view, unit, table.lines);
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
  const std::string model =
      knee.extrapolated ? "; model: " + k_text(*knee.extrapolated) : std::string();
  return to_string(knee.place) + model;
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

void add_knees(const CurveView& view, std::vector<DetailTable>& tables) {
  const KneesAnswer& answer = view.analysis->knees;
  if (answer.knees.empty() && answer.notes.empty()) return;
  DetailTable table;
  table.title = "Knees by every rule";
  if (!answer.knees.empty()) {
    table.columns = {{"rule"},
                     {"K", Align::right},
                     {"[95%]", Align::left, true},
                     {"K sure", Align::right},
                     {"K maybe", Align::right},
                     {"where"}};
  }
  const PointSummary* last = view.largest();
  const int largest = last == nullptr ? 1 : last->point.k;
  std::set<std::string> notes;
  for (const Knee& knee : answer.knees) {
    if (says_nothing(knee)) continue;
    table.rows.push_back({rule_name(knee), knee.k ? k_cell(*knee.k) : "-",
                          knee_bounds(knee, largest),
                          knee.k_sure ? std::to_string(*knee.k_sure) : "",
                          knee.k_maybe ? std::to_string(*knee.k_maybe) : "", where_words(knee)});
    if (knee.rule == KneeRule::kneedle && !knee.note.empty()) notes.insert("kneedle " + knee.note);
  }
  if (!answer.agreement.empty()) table.lines.push_back(answer.agreement);
  for (const std::string& note : answer.notes) table.lines.push_back(note);
  for (const std::string& note : notes) table.lines.push_back(note);
  tables.push_back(std::move(table));
}

// ---- predictions

void add_predictions(const CurveView& view, std::vector<DetailTable>& tables) {
  const PredictionsAnswer& answer = view.analysis->predictions;
  if (answer.predictions.empty() && view.analysis->models.fits.empty()) return;
  if (answer.predictions.empty() && answer.refused.empty()) return;
  const TimeUnit unit = unit_of(*view.analysis);
  DetailTable table;
  table.title = "Predictions of T, not measured";
  if (!answer.predictions.empty()) {
    table.columns = {{"K", Align::right},
                     {std::string("T, ") + unit.name, Align::right},
                     {"[90% of one run]", Align::left, true},
                     {""}};
  }
  for (const Prediction& p : answer.predictions) {
    const double t = p.seconds * unit.per_second;
    const Interval bounds{p.low, p.high, 0.9, ""};
    table.rows.push_back({std::to_string(p.k), significant_text(t, 4),
                          bounds_text(bounds, unit.per_second, decimals_for(t, 4)),
                          p.extrapolated ? "extrapolated" : "between the K measured"});
    if (!p.note.empty()) table.lines.push_back(p.note);
  }
  for (const RefusedPrediction& one : answer.refused) table.lines.push_back(one.why);
  tables.push_back(std::move(table));
}

// The others are shown by a table, a finding or a question; the JSON holds them all.
bool is_shown_here(WarningCode code) {
  switch (code) {
    case WarningCode::invalid_time:
    case WarningCode::stand_in:
    case WarningCode::outliers:
    case WarningCode::relative_baseline:
    case WarningCode::equal_times:
    case WarningCode::fewer_replicates:
    case WarningCode::beyond_parallelism:
    case WarningCode::profile_window:
    case WarningCode::utilisation_refused:
    case WarningCode::collective_not_fitted:
      return true;
    default:
      return false;
  }
}

void add_warnings(const std::vector<Warning>& warnings, std::vector<DetailTable>& tables) {
  DetailTable table;
  table.title = "Warnings";
  for (const Warning& warning : warnings) {
    if (is_shown_here(warning.code)) table.lines.push_back(warning.message);
  }
  if (!table.lines.empty()) tables.push_back(std::move(table));
}

// ---- the study

// "A", "B", ...: shapes have long names.
std::string letter_of(const std::string& shape, std::vector<std::string>& names) {
  auto it = std::find(names.begin(), names.end(), shape);
  if (it == names.end()) it = names.insert(names.end(), shape);
  const auto number = it - names.begin();
  return number < 26 ? std::string(1, static_cast<char>('A' + number)) : std::to_string(number + 1);
}

void add_contest(const ShapeContest& contest, bool several_builds,
                 std::vector<DetailTable>& tables) {
  DetailTable table;
  table.title = "Up or out: " + contest.case_name + ", " + to_string(contest.mode) +
                (several_builds ? ", build " + contest.build : "") +
                "; the shape with the least T at each K";
  table.columns = {{"K", Align::right},         {"cores", Align::right},      {"fastest"},
                   {"faster by", Align::right}, {"[95%]", Align::left, true}, {"than"}};
  std::vector<std::string> names;
  for (const ShapeContest::Entry& e : contest.entries) {
    const bool alone = e.runner_up.empty();
    std::string bounds = alone ? "" : "[-]";
    if (e.interval) {
      bounds = "[" + fixed_text((e.interval->low - 1) * 100, 1) + "%, " +
               fixed_text((e.interval->high - 1) * 100, 1) + "%]";
    }
    const std::string winner = letter_of(e.winner, names);
    table.rows.push_back({std::to_string(e.k), std::to_string(e.cores),
                          e.tie ? winner + ", a tie" : winner,
                          alone ? "-" : fixed_text((e.ratio - 1) * 100, 1) + "%", bounds,
                          alone ? "" : letter_of(e.runner_up, names)});
  }
  for (const std::string& name : names) {
    table.lines.push_back(letter_of(name, names) + ": " + name);
  }
  tables.push_back(std::move(table));
}

void add_collective(const CollectiveAnswer& answer, std::vector<DetailTable>& tables) {
  DetailTable table;
  table.title = "Collectives: all-reduces of " + answer.case_name;
  table.columns = {{"algorithm"},
                   {"alpha, us", Align::right},
                   {"beta, ns/B", Align::right},
                   {"link,\nGB/s", Align::right},
                   {"relative\nerror", Align::right},
                   {""}};
  for (std::size_t i = 0; i < answer.model.fits.size(); ++i) {
    const AllreduceFit& fit = answer.model.fits[i];
    const bool plausible = static_cast<int>(i) < answer.model.plausible;
    table.rows.push_back({to_string(fit.algorithm), significant_text(fit.cost.alpha * 1e6, 3),
                          significant_text(fit.cost.beta * 1e9, 3),
                          fit.cost.beta > 0 ? significant_text(1e-9 / fit.cost.beta, 3) : "-",
                          percent_text(fit.relative_error),
                          i == 0      ? "best"
                          : plausible ? "not told apart"
                                      : ""});
  }
  for (const AllreducePrediction& p : answer.predictions) table.lines.push_back(p.sentence);
  for (const std::string& note : answer.model.notes) table.lines.push_back(note);
  tables.push_back(std::move(table));
}

void make_plain(std::vector<DetailTable>& tables) {
  for (DetailTable& table : tables) kneepoint::make_plain(table);
}

}  // namespace

void make_plain(DetailTable& table) {
  table.title = plain(table.title);
  for (std::string& line : table.lines) line = plain(line);
  for (auto& row : table.rows) {
    for (std::string& cell : row) cell = plain(cell);
  }
}

void add_curve_details(const CurveView& view, std::vector<DetailTable>& tables) {
  add_models(view, tables);
  add_knees(view, tables);
  add_predictions(view, tables);
}

std::vector<DetailTable> detail_tables(const CurveView& view) {
  std::vector<DetailTable> tables;
  add_curve_details(view, tables);
  add_point_details(view, tables);
  add_warnings(view.analysis->warnings, tables);
  make_plain(tables);
  return tables;
}

std::vector<DetailTable> study_tables(const StudyAnalysis& analysis) {
  std::vector<DetailTable> tables;
  if (analysis.builds) add_build_tables(*analysis.builds, tables);
  std::set<std::string> builds;
  for (const ShapeContest& contest : analysis.shapes) builds.insert(contest.build);
  for (const ShapeContest& contest : analysis.shapes) {
    add_contest(contest, builds.size() > 1, tables);
  }
  for (const CollectiveAnswer& answer : analysis.collectives) add_collective(answer, tables);
  add_queue_tables(analysis, tables);
  add_warnings(analysis.warnings, tables);
  make_plain(tables);
  return tables;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/predict_text.h"

#include <cmath>
#include <cstdint>
#include <cstdio>

#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/table.h"

namespace kneepoint::cli {
namespace {

constexpr double kHigh = 0.8, kLow = 0.5;  // the two floors that are always shown

Result<PredictedPoint> point_at(const ScalingLaw& law, Mode mode, int k) {
  PredictedPoint p;
  p.k = k;
  if (mode == Mode::weak) {
    TRY_ASSIGN(const WeakPoint weak, weak_point(law, k, SerialPart::fixed));
    p.time = weak.time;
    p.speedup = weak.throughput_speedup;
    p.efficiency = weak.efficiency;
    p.scaled_speedup = weak.scaled_speedup;
    return p;
  }
  TRY_ASSIGN(const StrongPoint strong, strong_point(law, k));
  p.time = strong.time;
  p.speedup = strong.speedup;
  p.efficiency = strong.efficiency;
  p.ceiling_reached = strong.ceiling_reached;
  TRY_ASSIGN(p.largest_serial, largest_serial_fraction(k, kHigh, law.log_coefficient));
  return p;
}

// E never rises with K, so halving finds the last K. A floor met exactly counts as met, whatever
// rounding does to its last digit.
Result<FloorReach> reach_of(const ScalingLaw& law, Mode mode, int to, double floor) {
  const auto holds = [&](int k) -> Result<bool> {
    TRY_ASSIGN(const PredictedPoint p, point_at(law, mode, k));
    return p.efficiency >= floor * (1 - 1e-12);
  };
  TRY_ASSIGN(const bool beyond, holds(to));
  if (beyond) return FloorReach{floor, to, true};
  int good = 1, bad = to;
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    TRY_ASSIGN(const bool held, holds(middle));
    (held ? good : bad) = middle;
  }
  return FloorReach{floor, good, false};
}

Result<Prediction> predict_one(const ScalingLaw& law, Mode mode, int to) {
  Prediction out;
  out.law = law;
  if (mode == Mode::strong) {
    TRY_ASSIGN(const auto ceiling, amdahl_ceiling(law.serial));
    if (ceiling) out.ceiling = ceiling->speedup;
    TRY_ASSIGN(const auto optimum, fastest_k(law));
    if (optimum) {
      TRY_ASSIGN(const auto there, strong_point(law, static_cast<double>(optimum->k_integer)));
      out.fastest = Fastest{*optimum, there.speedup, there.efficiency};
    }
  }
  TRY_ASSIGN(out.reach[0], reach_of(law, mode, to, kHigh));
  TRY_ASSIGN(out.reach[1], reach_of(law, mode, to, kLow));
  for (std::int64_t k = 1; k < to; k *= 2) {
    TRY_ASSIGN(PredictedPoint p, point_at(law, mode, static_cast<int>(k)));
    out.points.push_back(p);
  }
  TRY_ASSIGN(PredictedPoint last, point_at(law, mode, to));
  out.points.push_back(last);
  return out;
}

// `decimals` after the point, so that a column lines up; digits instead where that would show none,
// and none from a million on.
std::string column_text(double value, int decimals) {
  if (value != 0 && std::abs(value) < 10 * std::pow(10, -decimals)) return number_text(value, 3);
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", std::abs(value) < 1e6 ? decimals : 0, value);
  return text;
}

std::string percent_column(double share) {
  return column_text(100 * share, 1) + "%";
}

std::string title(const ScalingLaw& law) {
  return "s=" + number_text(law.serial, 6) + ", c=" + number_text(law.log_coefficient, 6);
}

std::string reach_words(const Prediction& one, int to) {
  const auto& [high, low] = one.reach;
  const std::string end = std::to_string(to);
  if (high.beyond) return "E stays at 0.8 or above up to K=" + end + ".";
  return "E is 0.8 or more up to K=" + std::to_string(high.k) +
         ", 0.5 or more up to K=" + (low.beyond ? end + " at least" : std::to_string(low.k)) + ".";
}

std::string fastest_words(const Prediction& one, int to) {
  if (!one.fastest) return "every further worker makes it faster";
  const Fastest& best = *one.fastest;
  if (best.at.k_integer == 1) return "no K is faster than one worker";
  return "fastest at K=" + std::to_string(best.at.k_integer) +
         " (S=" + number_text(best.speedup, 4) + ")" +
         (best.at.k_integer > to ? ", which lies beyond this table" : ", slower after it");
}

std::string sentence(const Prediction& one, const PredictAnswer& answer) {
  const PredictedPoint& last = one.points.back();
  const std::string k = std::to_string(last.k);
  const std::string opening = title(one.law) + ": at K=" + k + " ";
  const std::string efficiency = "(E=" + number_text(last.efficiency, 3) + ")";
  if (answer.mode == Mode::weak) {
    return opening + "a problem " + k + " times as large takes " + number_text(last.time, 4) +
           " times as long " + efficiency + "; " + reach_words(one, answer.to);
  }
  std::string text =
      opening + "it is " + number_text(last.speedup, 4) + " times as fast " + efficiency;
  if (one.ceiling) {
    text += ", " + percent_column(*last.ceiling_reached) + " of the ceiling of " +
            number_text(*one.ceiling, 4);
  }
  return text + "; " + fastest_words(one, answer.to) + "; " + reach_words(one, answer.to);
}

std::string reach_cell(const FloorReach& reach) {
  return (reach.beyond ? ">=" : "") + std::to_string(reach.k);
}

// One row for each combination.
std::string overview(const PredictAnswer& answer) {
  const bool strong = answer.mode == Mode::strong;
  std::vector<Column> columns = {{"s", Align::right}, {"c", Align::right}};
  if (strong) {
    for (const char* name : {"1/s", "FASTEST K", "WHOLE K", "POWER OF 2", "S THERE", "E THERE"}) {
      columns.push_back({name, Align::right});
    }
  }
  columns.push_back({"E>=0.8 TO", Align::right});
  columns.push_back({"E>=0.5 TO", Align::right});
  std::vector<std::vector<std::string>> rows;
  for (const Prediction& one : answer.predictions) {
    std::vector<std::string> row = {number_text(one.law.serial, 6),
                                    number_text(one.law.log_coefficient, 6)};
    if (strong) {
      row.push_back(one.ceiling ? number_text(*one.ceiling, 4) : "none");
      if (one.fastest) {
        row.insert(row.end(),
                   {column_text(one.fastest->at.k, 2), std::to_string(one.fastest->at.k_integer),
                    std::to_string(one.fastest->at.k_power_of_two),
                    column_text(one.fastest->speedup, 3), column_text(one.fastest->efficiency, 4)});
      } else {
        row.insert(row.end(), {"none", "-", "-", "-", "-"});
      }
    }
    for (const FloorReach& reach : one.reach) row.push_back(reach_cell(reach));
    rows.push_back(row);
  }
  return to_table(columns, rows);
}

std::string table_of(const Prediction& one, Mode mode) {
  std::vector<Column> columns;
  const std::vector<const char*> titles =
      mode == Mode::strong ? std::vector{"K", "T", "S", "E", "OF 1/s", "MOST s FOR E>=0.8"}
                           : std::vector{"K", "T", "S=K*E", "E", "GUSTAFSON S"};
  for (const char* name : titles) columns.push_back({name, Align::right});
  std::vector<std::vector<std::string>> rows;
  for (const PredictedPoint& p : one.points) {
    rows.push_back({std::to_string(p.k), column_text(p.time, 4), column_text(p.speedup, 3),
                    column_text(p.efficiency, 4)});
    if (mode == Mode::strong) {
      rows.back().push_back(p.ceiling_reached ? percent_column(*p.ceiling_reached) : "-");
      rows.back().push_back(p.largest_serial ? number_text(*p.largest_serial, 3) : "none");
    } else {
      rows.back().push_back(column_text(*p.scaled_speedup, 3));
    }
  }
  return to_table(columns, rows, 2);
}

const char* legend(Mode mode) {
  if (mode == Mode::weak) {
    return "Weak: T(K) = s + (1-s) + c*log2 K with T(1) = 1: the serial part keeps its size, so T "
           "and E do not depend on s. S=K*E counts results per second; Gustafson's S counts serial "
           "work once.";
  }
  return "Strong: T(K) = s + (1-s)/K + c*log2 K with T(1) = 1. \"Most s\" is the largest serial "
         "fraction that still keeps E >= 0.8 at that K and c; none: communication alone is too "
         "much.";
}

void write(JsonWriter& json, const char* key, const std::optional<double>& value) {
  json.key(key);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

void write(JsonWriter& json, const PredictedPoint& p) {
  json.begin_object();
  json.key("k").value(p.k);
  json.key("time").value(p.time);
  json.key("speedup").value(p.speedup);
  json.key("efficiency").value(p.efficiency);
  write(json, "scaled_speedup", p.scaled_speedup);
  write(json, "ceiling_reached", p.ceiling_reached);
  write(json, "largest_serial", p.largest_serial);
  json.end_object();
}

void write(JsonWriter& json, const Prediction& one) {
  json.begin_object();
  json.key("serial").value(one.law.serial);
  json.key("log_coefficient").value(one.law.log_coefficient);
  write(json, "ceiling", one.ceiling);
  json.key("fastest");
  if (one.fastest) {
    json.begin_object();
    json.key("k").value(one.fastest->at.k);
    json.key("k_integer").value(one.fastest->at.k_integer);
    json.key("k_power_of_two").value(one.fastest->at.k_power_of_two);
    json.key("speedup").value(one.fastest->speedup);
    json.key("efficiency").value(one.fastest->efficiency);
    json.end_object();
  } else {
    json.null();
  }
  json.key("floors").begin_array();
  for (const FloorReach& reach : one.reach) {
    json.begin_object();
    json.key("floor").value(reach.floor);
    json.key("k").value(reach.k);
    json.key("beyond").value(reach.beyond);
    json.end_object();
  }
  json.end_array();
  json.key("points").begin_array();
  for (const PredictedPoint& p : one.points) write(json, p);
  json.end_array();
  json.end_object();
}

}  // namespace

Result<PredictAnswer> predict(const PredictRequest& request) {
  PredictAnswer answer{request.mode, request.to, {}};
  for (const double s : request.serials) {
    for (const double c : request.log_coefficients) {
      TRY_ASSIGN(Prediction one,
                 predict_one({.serial = s, .log_coefficient = c}, request.mode, request.to));
      answer.predictions.push_back(std::move(one));
    }
  }
  return answer;
}

std::string predict_text(const PredictAnswer& answer, int width) {
  std::string out;
  for (const Prediction& one : answer.predictions) {
    out += wrap(sentence(one, answer), width, 2).substr(2);  // later lines hang below the first
  }
  out += "\n" + overview(answer) + "\n" + wrap(legend(answer.mode), width, 0);
  for (const Prediction& one : answer.predictions) {
    out += "\n" + title(one.law) + "\n" + table_of(one, answer.mode);
  }
  return out;
}

std::string predict_json(const PredictAnswer& answer) {
  JsonWriter json;
  json.begin_object();
  json.key("mode").value(to_string(answer.mode));
  json.key("to").value(answer.to);
  json.key("predictions").begin_array();
  for (const Prediction& one : answer.predictions) write(json, one);
  json.end_array().end_object();
  return json.text();
}

}  // namespace kneepoint::cli

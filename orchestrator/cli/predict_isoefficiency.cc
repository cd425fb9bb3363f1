// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/predict_isoefficiency.h"

#include <ostream>

#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/predict_flags.h"
#include "orchestrator/cli/table.h"

namespace kneepoint::cli {
namespace {

constexpr std::size_t kMostLaws = 100;
constexpr double kLargestLogCoefficient = 1000;

Result<IsoPoint> point_at(const IsoLaw& law, double efficiency, int k) {
  const IsoRequest request{law.serial, law.coefficient, efficiency, static_cast<double>(k),
                           law.growth};
  IsoPoint point;
  point.k = k;
  TRY_ASSIGN(point.replicated, isoefficiency_replicated(request));
  TRY_ASSIGN(point.fixed_serial, isoefficiency_fixed_serial(request));
  TRY_ASSIGN(point.proportional, isoefficiency_proportional(request));
  return point;
}

std::string title(const IsoLaw& law) {
  const bool linear = law.growth == Growth::linear;
  return "s=" + number_text(law.serial, 6) + (linear ? ", d=" : ", c=") +
         number_text(law.coefficient, 6) + (linear ? " (K-1)" : " log2 K");
}

std::string growth_words(const IsoAnswer& answer) {
  switch (answer.status) {
    case IsoStatus::already_met:
      return "any amount of work does";
    case IsoStatus::unattainable:
      return "no amount of work does";
    case IsoStatus::grows:
      return "W=" + number_text(answer.work, 4) + " (" + number_text(answer.per_worker, 3) +
             " on each)";
  }
  return "";
}

// The first K at which no work suffices; 0: there is none.
int unattainable_from(const IsoCurve& curve) {
  for (const IsoPoint& p : curve.points) {
    if (p.proportional.status == IsoStatus::unattainable) return p.k;
  }
  return 0;
}

std::string sentence(const IsoCurve& curve, double efficiency) {
  const IsoPoint& last = curve.points.back();
  std::string text = title(curve.law) + ": to hold E at " + number_text(efficiency, 3) +
                     " on K=" + std::to_string(last.k) + " it takes " +
                     growth_words(last.fixed_serial) +
                     " where the serial part keeps its size; where it is a fraction of the work, ";
  const int from = unattainable_from(curve);
  if (from > 0) {
    return text + "no amount of work does from K=" + std::to_string(from) +
           " on: the serial fraction alone takes too much.";
  }
  return text + growth_words(last.proportional) + ".";
}

std::string cell(const IsoAnswer& answer, double value) {
  switch (answer.status) {
    case IsoStatus::already_met:
      return "any";
    case IsoStatus::unattainable:
      return "none";
    case IsoStatus::grows:
      return number_text(value, 4);
  }
  return "";
}

std::string table_of(const IsoCurve& curve) {
  std::vector<Column> columns;
  for (const char* name :
       {"K", "W REPLICATED", "EACH", "W FIXED SERIAL", "EACH", "W SERIAL FRACTION", "EACH"}) {
    columns.push_back({name, Align::right});
  }
  std::vector<std::vector<std::string>> rows;
  for (const IsoPoint& p : curve.points) {
    std::vector<std::string> row = {std::to_string(p.k)};
    for (const IsoAnswer* answer : {&p.replicated, &p.fixed_serial, &p.proportional}) {
      row.push_back(cell(*answer, answer->work));
      row.push_back(cell(*answer, answer->per_worker));
    }
    rows.push_back(row);
  }
  return to_table(columns, rows, 2);
}

const char* word_of(IsoStatus status) {
  switch (status) {
    case IsoStatus::already_met:
      return "any";
    case IsoStatus::unattainable:
      return "unattainable";
    case IsoStatus::grows:
      return "grows";
  }
  return "";
}

void write(JsonWriter& json, const char* key, const IsoAnswer& answer) {
  json.key(key).begin_object();
  json.key("status").value(word_of(answer.status));
  const bool grows = answer.status == IsoStatus::grows;
  json.key("work");
  grows ? json.value(answer.work) : json.null();
  json.key("per_worker");
  grows ? json.value(answer.per_worker) : json.null();
  json.end_object();
}

}  // namespace

Result<IsoPrediction> predict_iso(double efficiency, int to, const std::vector<IsoLaw>& laws) {
  IsoPrediction answer{efficiency, to, {}};
  for (const IsoLaw& law : laws) {
    IsoCurve curve{law, {}};
    for (std::int64_t k = 2; k < to; k *= 2) {
      TRY_ASSIGN(const IsoPoint point, point_at(law, efficiency, static_cast<int>(k)));
      curve.points.push_back(point);
    }
    TRY_ASSIGN(const IsoPoint last, point_at(law, efficiency, to));
    curve.points.push_back(last);
    answer.curves.push_back(std::move(curve));
  }
  return answer;
}

std::string iso_text(const IsoPrediction& answer, int width) {
  std::string out;
  for (const IsoCurve& curve : answer.curves) {
    out += wrap(sentence(curve, answer.efficiency), width, 2).substr(2);
  }
  out += "\n" + wrap(
                    "W is the work in all, EACH its share of one worker, in the unit of time of s "
                    "and of the communication. Replicated: every worker does the serial part, and "
                    "it counts as useful. Fixed serial: done once, whatever W. Serial fraction: s "
                    "of all W. any: E is held by any W; none: by no W.",
                    width, 0);
  for (const IsoCurve& curve : answer.curves) {
    out += "\n" + title(curve.law) + "\n" + table_of(curve);
  }
  return out;
}

std::string iso_json(const IsoPrediction& answer) {
  JsonWriter json;
  json.begin_object();
  json.key("efficiency").value(answer.efficiency);
  json.key("to").value(answer.to);
  json.key("curves").begin_array();
  for (const IsoCurve& curve : answer.curves) {
    json.begin_object();
    json.key("serial").value(curve.law.serial);
    json.key("growth").value(curve.law.growth == Growth::linear ? "linear" : "logarithmic");
    json.key("coefficient").value(curve.law.coefficient);
    json.key("points").begin_array();
    for (const IsoPoint& p : curve.points) {
      json.begin_object();
      json.key("k").value(p.k);
      write(json, "replicated", p.replicated);
      write(json, "fixed_serial", p.fixed_serial);
      write(json, "serial_fraction", p.proportional);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.text();
}

Result<int> predict_isoefficiency(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const double efficiency,
             positive_number("--isoefficiency", arguments.text("--isoefficiency"), true));
  if (efficiency >= 1) {
    return wrong_flag("--isoefficiency",
                      "'" + arguments.text("--isoefficiency") + "' is not an efficiency below 1");
  }
  std::vector<double> serials = {0};
  if (arguments.has("--serial")) {
    TRY_ASSIGN(serials, share_list("--serial", arguments.text("--serial"), 1));
  }
  std::vector<IsoLaw> costs;
  for (const Growth growth : {Growth::logarithmic, Growth::linear}) {
    const std::string flag =
        growth == Growth::linear ? "--linear-coefficient" : "--log-coefficient";
    if (!arguments.has(flag)) continue;
    TRY_ASSIGN(const auto values, share_list(flag, arguments.text(flag), kLargestLogCoefficient));
    for (const double value : values) costs.push_back({0, value, growth});
  }
  if (costs.empty()) {
    return wrong_flag("--isoefficiency",
                      "needs --log-coefficient or --linear-coefficient: without communication "
                      "there is nothing to outgrow");
  }
  std::vector<IsoLaw> laws;
  for (const double serial : serials) {
    for (const IsoLaw& cost : costs) laws.push_back({serial, cost.coefficient, cost.growth});
  }
  if (laws.size() > kMostLaws) {
    return wrong_flag("--serial and its costs",
                      "more than " + std::to_string(kMostLaws) + " combinations");
  }
  int to = 512;
  if (arguments.has("--to")) {
    TRY_ASSIGN(to, last_worker(arguments.text("--to")));
  }
  TRY_ASSIGN(const IsoPrediction answer, predict_iso(efficiency, to, laws));
  session.out << (session.json ? iso_json(answer) + "\n"
                               : iso_text(answer, predict_width(session)));
  return kExitDone;
}

}  // namespace kneepoint::cli

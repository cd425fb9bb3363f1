// SPDX-License-Identifier: Apache-2.0
//
// The text of the forms of `predict` that need no study.
#include <fmt/core.h>

#include <cmath>

#include "orchestrator/answers/study/predict.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

// --- A scaling law

// `decimals` after the point, so that a column lines up; digits instead where that would show none,
// and none from a million on.
std::string column_text(double value, int decimals) {
  if (value != 0 && std::abs(value) < 10 * std::pow(10, -decimals)) return number_text(value, 3);
  return fixed_text(value, std::abs(value) < 1e6 ? decimals : 0);
}

std::string percent_column(double share) {
  return column_text(100 * share, 1) + "%";
}

std::string title(const ScalingLaw& law) {
  return fmt::format("s={}, c={}", number_text(law.serial, 6), number_text(law.log_coefficient, 6));
}

std::string reach_words(const LawPrediction& one, int to) {
  const auto& [high, low] = one.reach;
  if (high.beyond) return fmt::format("E stays at 0.8 or above up to K={}.", to);
  return fmt::format("E is 0.8 or more up to K={}, 0.5 or more up to K={}.", high.k,
                     low.beyond ? fmt::format("{} at least", to) : std::to_string(low.k));
}

std::string fastest_words(const LawPrediction& one, int to) {
  if (!one.fastest) return "every further worker makes it faster";
  const Fastest& best = *one.fastest;
  if (best.at.k_integer == 1) return "no K is faster than one worker";
  return fmt::format(
      "fastest at K={} (S={}){}", best.at.k_integer, number_text(best.speedup, 4),
      best.at.k_integer > to ? ", which lies beyond this table" : ", slower after it");
}

std::string sentence(const LawPrediction& one, const PredictAnswer& answer) {
  const PredictedPoint& last = one.points.back();
  const std::string efficiency = number_text(last.efficiency, 3);
  const std::string reach = reach_words(one, answer.to);
  if (answer.mode == Mode::weak) {
    return fmt::format(
        "{0}: at K={1} a problem {1} times as large takes {2} times as long (E={3}); {4}",
        title(one.law), last.k, number_text(last.time, 4), efficiency, reach);
  }
  const std::string ceiling =
      one.ceiling ? fmt::format(", {} of the ceiling of {}", percent_column(*last.ceiling_reached),
                                number_text(*one.ceiling, 4))
                  : "";
  return fmt::format("{}: at K={} it is {} times as fast (E={}){}; {}; {}", title(one.law), last.k,
                     number_text(last.speedup, 4), efficiency, ceiling,
                     fastest_words(one, answer.to), reach);
}

std::string reach_cell(const FloorReach& reach) {
  return (reach.beyond ? ">=" : "") + std::to_string(reach.k);
}

// One row for each combination.
std::string overview(const PredictAnswer& answer) {
  // Of the fastest K, where there is one.
  const auto there = [](auto text) {
    return [text](auto& one) { return one.fastest ? text(*one.fastest) : "-"; };
  };
  std::vector<ColumnOf<LawPrediction>> columns = {
      {"s", [](auto& one) { return number_text(one.law.serial, 6); }},
      {"c", [](auto& one) { return number_text(one.law.log_coefficient, 6); }},
  };
  const std::vector<ColumnOf<LawPrediction>> of_strong = {
      {"1/s", [](auto& one) { return one.ceiling ? number_text(*one.ceiling, 4) : "none"; }},
      {"FASTEST K",
       [](auto& one) { return one.fastest ? column_text(one.fastest->at.k, 2) : "none"; }},
      {"WHOLE K", there([](auto& best) { return std::to_string(best.at.k_integer); })},
      {"POWER OF 2", there([](auto& best) { return std::to_string(best.at.k_power_of_two); })},
      {"S THERE", there([](auto& best) { return column_text(best.speedup, 3); })},
      {"E THERE", there([](auto& best) { return column_text(best.efficiency, 4); })},
  };
  if (answer.mode == Mode::strong) {
    columns.insert(columns.end(), of_strong.begin(), of_strong.end());
  }
  columns.push_back({"E>=0.8 TO", [](auto& one) { return reach_cell(one.reach[0]); }});
  columns.push_back({"E>=0.5 TO", [](auto& one) { return reach_cell(one.reach[1]); }});
  return to_table(columns, answer.predictions);
}

std::string points_table(const LawPrediction& one, Mode mode) {
  const bool strong = mode == Mode::strong;
  std::vector<ColumnOf<PredictedPoint>> columns = {
      {"K", [](auto& p) { return std::to_string(p.k); }},
      {"T", [](auto& p) { return column_text(p.time, 4); }},
      {strong ? "S" : "S=K*E", [](auto& p) { return column_text(p.speedup, 3); }},
      {"E", [](auto& p) { return column_text(p.efficiency, 4); }},
  };
  if (strong) {
    columns.push_back(
        {"OF 1/s", [](auto& p) { return or_dash(p.ceiling_reached, percent_column); }});
    columns.push_back({"MOST s FOR E>=0.8", [](auto& p) {
                         return p.largest_serial ? number_text(*p.largest_serial, 3) : "none";
                       }});
  } else {
    columns.push_back({"GUSTAFSON S", [](auto& p) { return column_text(*p.scaled_speedup, 3); }});
  }
  return to_table(columns, one.points, 2);
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

// --- Isoefficiency

std::string title(const IsoLaw& law) {
  const bool linear = law.growth == Growth::linear;
  return fmt::format("s={}, {}={} {}", number_text(law.serial, 6), linear ? "d" : "c",
                     number_text(law.coefficient, 6), linear ? "(K-1)" : "log2 K");
}

// `grows`: what to say of work that grows.
std::string by_status(const IsoAnswer& answer, const char* any, const char* none,
                      const std::string& grows) {
  if (answer.status == IsoStatus::grows) return grows;
  return answer.status == IsoStatus::already_met ? any : none;
}

std::string growth_words(const IsoAnswer& answer) {
  return by_status(answer, "any amount of work does", "no amount of work does",
                   fmt::format("W={} ({} on each)", number_text(answer.work, 4),
                               number_text(answer.per_worker, 3)));
}

std::string sentence(const IsoCurve& curve, double efficiency) {
  const IsoPoint& last = curve.points.back();
  const std::string text = fmt::format(
      "{}: to hold E at {} on K={} it takes {} where the serial part keeps its size; where it is a "
      "fraction of the work, ",
      title(curve.law), number_text(efficiency, 3), last.k, growth_words(last.fixed_serial));
  for (const IsoPoint& p : curve.points) {
    if (p.proportional.status != IsoStatus::unattainable) continue;
    return fmt::format(
        "{}no amount of work does from K={} on: the serial fraction alone takes too much.", text,
        p.k);
  }
  return text + growth_words(last.proportional) + ".";
}

std::string points_table(const IsoCurve& curve) {
  std::vector<ColumnOf<IsoPoint>> columns = {{"K", [](auto& p) { return std::to_string(p.k); }}};
  const auto add = [&](const char* name, IsoAnswer IsoPoint::*form) {
    for (const auto& [title, number] :
         {std::pair{name, &IsoAnswer::work}, {"EACH", &IsoAnswer::per_worker}}) {
      columns.push_back({title, [form, number = number](auto& p) {
                           return by_status(p.*form, "any", "none",
                                            number_text(p.*form.*number, 4));
                         }});
    }
  };
  add("W REPLICATED", &IsoPoint::replicated);
  add("W FIXED SERIAL", &IsoPoint::fixed_serial);
  add("W SERIAL FRACTION", &IsoPoint::proportional);
  return to_table(columns, curve.points, 2);
}

// --- Training and utilisation

std::string opening(const TrainingAnswer& answer) {
  const TrainingRequest& r = answer.request;
  return fmt::format(
      "One replica takes {} x {} x {} = {} at a step, so a critical batch of {} allows {}.",
      number_text(r.micro, 9), number_text(r.accumulation, 9), number_text(r.sequence, 9),
      number_text(answer.cap.batch_of_one, 9), number_text(r.critical_batch, 9),
      counted(static_cast<long>(answer.cap.replicas), "replica"));
}

std::string data_words(const BatchCost& batch) {
  return fmt::format("{} times the least data: {} of the arithmetic is useful.",
                     number_text(batch.data, 3), number_percent(batch.efficiency));
}

std::string sentence(const TrainingAnswer& answer, const TrainingPoint& point) {
  const std::string gpus = counted(point.gpus, "GPU");
  if (point.plan.model_ways == 1) {
    return fmt::format("{}: all can be replicas; their batch needs {}", gpus,
                       data_words(point.at_plan));
  }
  std::string text = fmt::format(
      "{}: as replicas they would make a batch of {}, which needs {} Within the critical batch the "
      "model must be split {} ways over {}{}; ",
      gpus, number_text(point.gpus * answer.cap.batch_of_one, 6), data_words(point.all_replicas),
      point.plan.model_ways, counted(static_cast<long>(point.plan.replicas), "replica"),
      point.plan.idle > 0
          ? fmt::format(", with {} idle", counted(static_cast<long>(point.plan.idle), "GPU"))
          : "");
  if (!answer.request.comm_ratio) {
    return text + "what splitting costs is not known: measure its comm_ratio and say --comm-ratio.";
  }
  return text + fmt::format("splitting keeps {} by a comm_ratio of {}.",
                            number_percent(point.plan.efficiency),
                            number_text(*answer.request.comm_ratio, 3));
}

}  // namespace

std::string to_text(const PredictAnswer& answer, int width) {
  std::string out;
  for (const LawPrediction& one : answer.predictions) out += hanging(sentence(one, answer), width);
  out += "\n" + overview(answer) + "\n" + wrap(legend(answer.mode), width, 0);
  for (const LawPrediction& one : answer.predictions) {
    out += "\n" + title(one.law) + "\n" + points_table(one, answer.mode);
  }
  return out;
}

std::string to_text(const IsoPrediction& answer, int width) {
  std::string out;
  for (const IsoCurve& curve : answer.curves) {
    out += hanging(sentence(curve, answer.efficiency), width);
  }
  out += "\n" + wrap(
                    "W is the work in all, EACH its share of one worker, in the unit of time of s "
                    "and of the communication. Replicated: every worker does the serial part, and "
                    "it counts as useful. Fixed serial: done once, whatever W. Serial fraction: s "
                    "of all W. any: E is held by any W; none: by no W.",
                    width, 0);
  for (const IsoCurve& curve : answer.curves) {
    out += "\n" + title(curve.law) + "\n" + points_table(curve);
  }
  return out;
}

std::string to_text(const TrainingAnswer& answer, int width) {
  std::string out = hanging(opening(answer), width);
  for (const TrainingPoint& p : answer.points) out += hanging(sentence(answer, p), width);
  const std::vector<ColumnOf<TrainingPoint>> columns = {
      {"GPUS", [](auto& p) { return std::to_string(p.gpus); }},
      {"REPLICAS", [](auto& p) { return std::to_string(p.plan.replicas); }},
      {"WAYS", [](auto& p) { return std::to_string(p.plan.model_ways); }},
      {"IDLE", [](auto& p) { return std::to_string(p.plan.idle); }},
      {"BATCH", [](auto& p) { return number_text(p.batch, 6); }},
      {"STEPS x", [](auto& p) { return fixed_text(p.at_plan.steps, 2); }},
      {"DATA x", [](auto& p) { return fixed_text(p.at_plan.data, 2); }},
      {"USEFUL", [](auto& p) { return or_dash(p.efficiency, fixed(3)); }},
      {"USEFUL, ALL REPLICAS", [](auto& p) { return fixed_text(p.all_replicas.efficiency, 3); }},
  };
  return out + "\n" + to_table(columns, answer.points) + "\n" +
         wrap(
             "Steps and data are in units of the fewest steps and the least data that reach the "
             "result; at the critical batch both are doubled. Useful: of each GPU's arithmetic, "
             "what serves the result, after batch, splitting and idle GPUs.",
             width, 0);
}

std::string to_text(const UtilisationAnswer& answer, int width) {
  const std::vector<UtilisationPoint>& points = answer.points;
  const UtilisationPoint& first = points.front();
  const std::string of_first =
      fmt::format("{} of peak on {}", number_percent(first.utilisation), counted(first.k, "GPU"));
  std::string out;
  for (const UtilisationPoint& p : points) {
    if (p.k == first.k) continue;
    out += hanging(
        fmt::format(
            "{}, {} on {}: each GPU does {} of what it did. {} times the GPUs bring {} times "
            "the work, and a result costs {} times the GPU time.",
            of_first, number_percent(p.utilisation), p.k, number_text(p.kept, 3),
            number_text(static_cast<double>(p.k) / first.k, 4), number_text(p.speedup, 3),
            number_text(p.cost, 3)),
        width);
  }
  if (points.size() == 1) {
    out = of_first + ". One K says nothing of scaling; give another to compare with.\n";
  }
  const std::vector<ColumnOf<UtilisationPoint>> columns = {
      {"GPUS", [](auto& p) { return std::to_string(p.k); }},
      {"UTILISATION", [](auto& p) { return number_percent(p.utilisation); }},
      {"KEPT", [](auto& p) { return fixed_text(p.kept, 3); }},
      {"WORK x", [](auto& p) { return fixed_text(p.speedup, 2); }},
      {"COST x", [](auto& p) { return fixed_text(p.cost, 2); }},
  };
  return out + "\n" + to_table(columns, points);
}

}  // namespace kneepoint

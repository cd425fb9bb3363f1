// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/predict_training.h"

#include <cstdio>
#include <ostream>

#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

std::string hanging(const std::string& text, int width) {
  return wrap(text, width, 2).substr(2);
}

std::string opening(const TrainingAnswer& answer) {
  const TrainingRequest& r = answer.request;
  return "One replica takes " + number_text(r.micro, 9) + " x " + number_text(r.accumulation, 9) +
         " x " + number_text(r.sequence, 9) + " = " + number_text(answer.cap.batch_of_one, 9) +
         " at a step, so a critical batch of " + number_text(r.critical_batch, 9) + " allows " +
         counted(static_cast<long>(answer.cap.replicas), "replica") + ".";
}

std::string sentence(const TrainingAnswer& answer, const TrainingPoint& point) {
  const std::string gpus = counted(point.gpus, "GPU");
  std::string text = gpus + ": ";
  if (point.plan.model_ways == 1) {
    text += "all can be replicas; their batch needs " + number_text(point.at_plan.data, 3) +
            " times the least data: " + number_percent(point.at_plan.efficiency) +
            " of the arithmetic is useful.";
    return text;
  }
  text += "as replicas they would make a batch of " +
          number_text(point.gpus * answer.cap.batch_of_one, 6) + ", which needs " +
          number_text(point.all_replicas.data, 3) +
          " times the least data: " + number_percent(point.all_replicas.efficiency) +
          " of the arithmetic is useful. Within the critical batch the model must be split " +
          std::to_string(point.plan.model_ways) + " ways over " +
          counted(static_cast<long>(point.plan.replicas), "replica");
  if (point.plan.idle > 0) {
    text += ", with " + counted(static_cast<long>(point.plan.idle), "GPU") + " idle";
  }
  if (answer.request.comm_ratio) {
    text += "; splitting keeps " + number_percent(point.plan.efficiency) + " by a comm_ratio of " +
            number_text(*answer.request.comm_ratio, 3);
  } else {
    text += "; what splitting costs is not known: measure its comm_ratio and say --comm-ratio";
  }
  return text + ".";
}

std::string share_cell(const std::optional<double>& value) {
  return value ? fixed_text(*value, 3) : "-";
}

std::vector<UtilisationPoint> compared(std::vector<UtilisationPoint> points) {
  const UtilisationPoint& first = points.front();
  const double k0 = first.k;
  for (UtilisationPoint& point : points) {
    point.speedup = point.k / k0 * point.kept;
    point.cost = 1 / point.kept;
  }
  return points;
}

}  // namespace

Result<TrainingAnswer> predict_training(const TrainingRequest& request) {
  TrainingAnswer answer{request, {}, {}};
  TRY_ASSIGN(answer.cap, replica_cap(request.critical_batch, request.micro, request.accumulation,
                                     request.sequence));
  for (const int gpus : request.gpus) {
    TrainingPoint point;
    point.gpus = gpus;
    TRY_ASSIGN(point.plan, plan_parallelism(gpus, answer.cap, request.comm_ratio.value_or(0)));
    TRY_ASSIGN(point.at_plan,
               batch_cost(static_cast<double>(point.plan.replicas) * answer.cap.batch_of_one,
                          request.critical_batch));
    TRY_ASSIGN(point.all_replicas,
               batch_cost(gpus * answer.cap.batch_of_one, request.critical_batch));
    if (point.plan.model_ways == 1 || request.comm_ratio) {
      point.efficiency = point.at_plan.efficiency * point.plan.efficiency *
                         static_cast<double>(gpus - point.plan.idle) / gpus;
    }
    answer.points.push_back(point);
  }
  return answer;
}

std::string training_text(const TrainingAnswer& answer, int width) {
  std::string out = hanging(opening(answer), width);
  std::vector<std::vector<std::string>> rows;
  for (const TrainingPoint& p : answer.points) {
    out += hanging(sentence(answer, p), width);
    rows.push_back({std::to_string(p.gpus), std::to_string(p.plan.replicas),
                    std::to_string(p.plan.model_ways), std::to_string(p.plan.idle),
                    number_text(static_cast<double>(p.plan.replicas) * answer.cap.batch_of_one, 6),
                    fixed_text(p.at_plan.steps, 2), fixed_text(p.at_plan.data, 2),
                    share_cell(p.efficiency), fixed_text(p.all_replicas.efficiency, 3)});
  }
  const std::vector<const char*> titles = {"GPUS",   "REPLICAS", "WAYS",
                                           "IDLE",   "BATCH",    "STEPS x",
                                           "DATA x", "USEFUL",   "USEFUL, ALL REPLICAS"};
  std::vector<Column> columns;
  for (const char* title : titles) columns.push_back({title, Align::right});
  return out + "\n" + to_table(columns, rows) + "\n" +
         wrap(
             "Steps and data are in units of the fewest steps and the least data that reach the "
             "result; at the critical batch both are doubled. Useful: of each GPU's arithmetic, "
             "what serves the result, after batch, splitting and idle GPUs.",
             width, 0);
}

std::string training_json(const TrainingAnswer& answer) {
  const TrainingRequest& r = answer.request;
  JsonWriter json;
  json.begin_object();
  json.key("critical_batch").value(r.critical_batch);
  json.key("batch_of_one_replica").value(answer.cap.batch_of_one);
  json.key("replicas_allowed").value(answer.cap.replicas);
  json.key("comm_ratio");
  r.comm_ratio ? json.value(*r.comm_ratio) : json.null();
  json.key("points").begin_array();
  for (const TrainingPoint& p : answer.points) {
    json.begin_object();
    json.key("gpus").value(p.gpus);
    json.key("replicas").value(p.plan.replicas);
    json.key("model_ways").value(p.plan.model_ways);
    json.key("idle").value(p.plan.idle);
    json.key("batch").value(static_cast<double>(p.plan.replicas) * answer.cap.batch_of_one);
    json.key("steps").value(p.at_plan.steps);
    json.key("data").value(p.at_plan.data);
    json.key("useful");
    p.efficiency ? json.value(*p.efficiency) : json.null();
    json.key("useful_all_replicas").value(p.all_replicas.efficiency);
    json.end_object();
  }
  json.end_array().end_object();
  return json.text();
}

Result<std::vector<UtilisationPoint>> predict_utilisation(const std::vector<AtWorkers>& at) {
  std::vector<UtilisationPoint> points;
  for (const AtWorkers& one : at) {
    UtilisationPoint point;
    point.k = one.k;
    point.utilisation = one.value;
    TRY_ASSIGN(point.kept, utilisation_kept(at.front().value, one.value));
    points.push_back(point);
  }
  return compared(std::move(points));
}

Result<std::vector<UtilisationPoint>> predict_utilisation(const std::vector<AtWorkers>& rates,
                                                          double parameters, double peak) {
  std::vector<AtWorkers> at;
  for (const AtWorkers& rate : rates) {
    TRY_ASSIGN(const double flops, training_flops(parameters, rate.value));
    auto share = model_flops_utilisation(flops, 1, rate.k, peak);
    if (!share) return share.error().in("K=" + std::to_string(rate.k));
    at.push_back({rate.k, *share});
  }
  TRY_ASSIGN(auto points, predict_utilisation(at));
  for (std::size_t i = 0; i < points.size(); ++i) points[i].tokens_per_second = rates[i].value;
  return points;
}

std::string utilisation_text(const std::vector<UtilisationPoint>& points, int width) {
  const UtilisationPoint& first = points.front();
  std::string out;
  std::vector<std::vector<std::string>> rows;
  for (const UtilisationPoint& p : points) {
    rows.push_back({std::to_string(p.k), number_percent(p.utilisation), fixed_text(p.kept, 3),
                    fixed_text(p.speedup, 2), fixed_text(p.cost, 2)});
    if (p.k == first.k) continue;
    out +=
        hanging(number_percent(first.utilisation) + " of peak on " + counted(first.k, "GPU") +
                    ", " + number_percent(p.utilisation) + " on " + std::to_string(p.k) +
                    ": each GPU does " + number_text(p.kept, 3) + " of what it did. " +
                    number_text(static_cast<double>(p.k) / first.k, 4) + " times the GPUs bring " +
                    number_text(p.speedup, 3) + " times the work, and a result costs " +
                    number_text(p.cost, 3) + " times the GPU time.",
                width);
  }
  if (points.size() == 1) {
    out = number_percent(first.utilisation) + " of peak on " + counted(first.k, "GPU") +
          ". One K says nothing of scaling; give another to compare with.\n";
  }
  return out + "\n" +
         to_table({{"GPUS", Align::right},
                   {"UTILISATION", Align::right},
                   {"KEPT", Align::right},
                   {"WORK x", Align::right},
                   {"COST x", Align::right}},
                  rows);
}

std::string utilisation_json(const std::vector<UtilisationPoint>& points) {
  JsonWriter json;
  json.begin_object();
  json.key("points").begin_array();
  for (const UtilisationPoint& p : points) {
    json.begin_object();
    json.key("k").value(p.k);
    json.key("utilisation").value(p.utilisation);
    json.key("kept").value(p.kept);
    json.key("speedup").value(p.speedup);
    json.key("cost").value(p.cost);
    json.key("tokens_per_second");
    p.tokens_per_second ? json.value(*p.tokens_per_second) : json.null();
    json.end_object();
  }
  json.end_array().end_object();
  return json.text();
}

Result<int> predict_training(Session& session, const Arguments& arguments) {
  TrainingRequest request;
  TRY_ASSIGN(request.critical_batch,
             positive_number("--critical-batch", arguments.text("--critical-batch")));
  if (!arguments.has("--micro")) {
    return wrong_flag("--micro", "missing; give the samples that one replica takes at a time");
  }
  if (!arguments.has("--gpus")) {
    return wrong_flag("--gpus", "missing; give the numbers of GPUs to look at, such as 128,1024");
  }
  request.micro = arguments.count("--micro");
  if (arguments.has("--accumulation")) request.accumulation = arguments.count("--accumulation");
  if (arguments.has("--sequence")) request.sequence = arguments.count("--sequence");
  TRY_ASSIGN(request.gpus, worker_list("--gpus", arguments.text("--gpus")));
  if (arguments.has("--comm-ratio")) {
    constexpr double kLargestRatio = 1000;
    TRY_ASSIGN(const auto ratios,
               share_list("--comm-ratio", arguments.text("--comm-ratio"), kLargestRatio));
    if (ratios.size() != 1) return wrong_flag("--comm-ratio", "one number is expected");
    request.comm_ratio = ratios.front();
  }
  TRY_ASSIGN(const TrainingAnswer answer, predict_training(request));
  session.out << (session.json ? training_json(answer) + "\n"
                               : training_text(answer, predict_width(session)));
  return kExitDone;
}

Result<int> predict_utilisation(Session& session, const Arguments& arguments) {
  std::vector<UtilisationPoint> points;
  if (arguments.has("--mfu")) {
    TRY_ASSIGN(const auto at, values_at_workers("--mfu", arguments.text("--mfu"), true));
    auto made = predict_utilisation(at);
    if (!made) return made.error().in("--mfu");
    points = *made;
  } else {
    TRY_ASSIGN(const auto rates, values_at_workers("--tokens-per-second",
                                                   arguments.text("--tokens-per-second"), false));
    for (const char* flag : {"--parameters", "--peak"}) {
      if (!arguments.has(flag)) return wrong_flag(flag, "missing; --tokens-per-second needs it");
    }
    TRY_ASSIGN(const double parameters,
               positive_number("--parameters", arguments.text("--parameters")));
    TRY_ASSIGN(const double peak, positive_number("--peak", arguments.text("--peak")));
    auto made = predict_utilisation(rates, parameters, peak);
    if (!made) return made.error().in("--tokens-per-second");
    points = *made;
  }
  session.out << (session.json ? utilisation_json(points) + "\n"
                               : utilisation_text(points, predict_width(session)));
  return kExitDone;
}

}  // namespace kneepoint::cli

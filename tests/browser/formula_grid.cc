// SPDX-License-Identifier: Apache-2.0
//
// Prints, as lines of JSON, what the analysis and the cost code answer over a grid of values:
// {"f": name, "in": [...], "out": [...]}. formulas_test.mjs asks the page's formulas the same.
// A null is "none", as in the page.
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "orchestrator/analysis/models/scaling_laws.h"
#include "orchestrator/answers/study/predict.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/cost/cost_curve.h"
#include "orchestrator/cost/recommend.h"

namespace kneepoint {
namespace {

using Numbers = std::vector<std::optional<double>>;

void write(JsonWriter& json, const char* key, const Numbers& numbers) {
  json.key(key).begin_array();
  for (const auto& number : numbers) number ? json.value(*number) : json.null();
  json.end_array();
}

void print(const char* name, const Numbers& in, const Numbers& out) {
  JsonWriter json;
  json.begin_object().key("f").value(name);
  write(json, "in", in);
  write(json, "out", out);
  std::cout << json.end_object().text() << "\n";
}

template <typename T>
T value_of(Result<T> result) {
  return std::move(result).value();  // which says what was refused
}

const std::vector<double> kSerial = {0, 1e-6, 0.004, 0.05, 0.0731, 0.3, 1};
const std::vector<double> kLog = {0, 1e-7, 0.005, 0.01, 0.0333, 0.5};
const std::vector<double> kLinear = {0, 1e-6, 2.5e-4, 0.01};

void print_laws() {
  for (const double s : kSerial) {
    const auto ceiling = value_of(amdahl_ceiling(s));
    print("ceiling", {s}, {ceiling ? std::optional(ceiling->speedup) : std::nullopt});
    for (const double c : kLog) {
      for (const double d : kLinear) {
        const ScalingLaw law{s, c, d};
        for (const double k : {1.0, 2.0, 3.0, 6.0, 64.0, 100.0, 511.0, 4096.0, 1048576.0}) {
          const StrongPoint strong = value_of(strong_point(law, k));
          print("strong", {s, c, d, k}, {strong.time, strong.speedup, strong.efficiency});
          const WeakPoint weak = value_of(weak_point(law, k, SerialPart::fixed));
          print("weak", {s, c, d, k}, {weak.time, weak.throughput_speedup, weak.efficiency});
          for (const double e : {0.5, 0.7, 0.8}) {
            if (k > 1)
              print("largest_serial", {k, e, c, d},
                    {value_of(largest_serial_fraction(k, e, c, d))});
          }
        }
        const auto best = value_of(fastest_k(law));
        print("fastest", {s, c, d},
              best ? Numbers{best->k, static_cast<double>(best->k_integer),
                             static_cast<double>(best->k_power_of_two)}
                   : Numbers{});
      }
    }
  }
}

// `predict` knows the floors 0.8 and 0.5.
void print_reaches() {
  for (const Mode mode : {Mode::strong, Mode::weak}) {
    for (const int to : {2, 512, 1 << 20}) {
      const auto answer = value_of(predict({kSerial, kLog, mode, to}));
      for (const auto& one : answer.predictions) {
        for (const auto& reach : one.reach) {
          print("reach",
                {one.law.serial, one.law.log_coefficient, 0, mode == Mode::weak ? 1.0 : 0.0,
                 static_cast<double>(to), reach.floor},
                {static_cast<double>(reach.k), reach.beyond ? 1.0 : 0.0});
        }
      }
    }
  }
}

PriceItem item_of(double per_node_hour, double per_hour, double per_job) {
  PriceItem item;
  item.per_node_hour = static_cast<std::int64_t>(per_node_hour);
  item.per_hour = static_cast<std::int64_t>(per_hour);
  item.per_job = static_cast<std::int64_t>(per_job);
  return item;
}

void print_bills() {
  for (const double rate : {0.0, 1.0, 39600.0, 2500000.0, 98765432.0, 1e12}) {
    for (const double fee : {0.0, 248000.0}) {
      for (const double nodes : {1.0, 3.0, 64.0, 100000.0}) {
        for (const double seconds : {1e-9, 0.00371, 1.0, 3600.0, 86399.999999999, 1e7}) {
          if (rate * nodes * seconds / 3600 > 9e15) continue;  // past what a double counts exactly
          const PriceItem item = item_of(rate, fee, 7);
          CostPoint point;
          point.use.nodes = static_cast<int>(nodes);
          point.results = 3;
          point.success = 0.8;
          print("bill", {rate, fee, 7, nodes, seconds},
                {static_cast<double>(bill_of(item, point.use, seconds)->total)});
          print("cost", {rate, fee, 7, nodes, seconds, 3, 0.8},
                {static_cast<double>(round_micros(cost_of(item, point, seconds)))});
        }
      }
    }
  }
}

// K measured at 1, 4, 16 on 1, 1, 4 nodes, as when four ranks share one.
CostCurve measured_curve() {
  CostCurve curve;
  for (const auto& [k, nodes] : {std::pair{1, 1}, {4, 1}, {16, 4}}) {
    CostPoint point;
    point.k = k;
    point.use = {.nodes = nodes, .gpus = 0, .cores = k, .workers = k};
    curve.points.push_back(point);
  }
  return curve;
}

void print_ks() {
  const CostCurve measured = measured_curve();
  for (int k = 1; k <= 200; ++k) {
    print("nodes_at", {1, 1, 4, 1, 16, 4, static_cast<double>(k)},
          {static_cast<double>(use_at(measured, k).nodes)});
  }
  for (const int to : {2, 3, 5, 16, 25, 256}) {
    CostCurve curve;
    curve.points.resize(2);  // K = 1 and `to` are measured, so they are not among the answers
    curve.points.back().k = to;
    Numbers ks;
    for (const int k : modelled_ks(curve)) ks.emplace_back(k);
    print("modelled_ks", {static_cast<double>(to)}, ks);
  }
}

// What `recommend` answers of a curve by a law, with and without a fee and a deadline.
void print_choices() {
  const CostCurve measured = measured_curve();
  for (const ScalingLaw& law : {ScalingLaw{0.05, 0.01, 0}, {0, 0, 0}, {0.3, 0, 0.001}}) {
    for (const double fee : {0.0, 5e6}) {
      for (const double deadline : {1e9, 100.0, 31.0, 17.3, 1.0}) {
        const PriceItem item = item_of(2500000, fee, 0);
        CostCurve curve;
        for (const int k : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
          CostPoint point;
          point.k = k;
          point.use = use_at(measured, k);
          point.seconds = 100 * value_of(strong_point(law, k)).time;
          point.bill = *bill_of(item, point.use, point.seconds);
          point.per_result = {round_micros(cost_of(item, point, point.seconds)), "USD"};
          curve.points.push_back(point);
        }
        RecommendRequest request;
        request.objective = Objective::deadline;
        request.deadline_seconds = deadline;
        const Recommendation answer = recommend(curve, item, request);
        print("cheapest", {law.serial, law.log_coefficient, law.linear, fee, deadline},
              answer.chosen != nullptr
                  ? Numbers{static_cast<double>(answer.chosen->k),
                            static_cast<double>(answer.chosen->per_result.micros)}
                  : Numbers{});
      }
    }
  }
}

void print_training() {
  for (const double critical : {1e3, 32768.0, 4e6, 6.5536e6, 1.23e8}) {
    for (const double micro : {1.0, 4.0, 7.0}) {
      for (const double sequence : {1.0, 4096.0}) {
        const ReplicaCap cap = value_of(replica_cap(critical, micro, 2, sequence));
        print("cap", {critical, micro, 2, sequence},
              {static_cast<double>(cap.replicas), cap.batch_of_one});
        for (const double ratio : {0.0, 0.3, 2.0}) {
          for (const int gpus : {1, 2, 127, 1024, 16384}) {
            const ParallelPlan plan = value_of(plan_parallelism(gpus, cap, ratio));
            const auto ways = static_cast<double>(plan.model_ways);
            const auto replicas = static_cast<double>(plan.replicas);
            const auto idle = static_cast<double>(plan.idle);
            const BatchCost batch = value_of(batch_cost(replicas * cap.batch_of_one, critical));
            print("batch", {replicas * cap.batch_of_one, critical},
                  {batch.steps, batch.data, batch.efficiency});
            const Numbers in = {static_cast<double>(gpus), critical, micro, 2, sequence, ratio};
            print("plan", in, {replicas, ways, idle, plan.efficiency});
            TrainingRequest request;
            request.critical_batch = critical;
            request.micro = micro;
            request.accumulation = 2;
            request.sequence = sequence;
            request.gpus = {gpus};
            request.comm_ratio = ratio;
            const auto answer = value_of(predict_training(request));
            print("useful", in, {answer.points.front().efficiency});
          }
        }
      }
    }
  }
  for (const double parameters : {1e8, 7e9, 1.8e12}) {
    for (const double tokens : {1.4e11, 1.5e13}) {
      const double flops = value_of(training_flops(parameters, tokens));
      print("flops", {parameters, tokens}, {flops});
      for (const double k : {8.0, 1024.0}) {
        const double seconds = flops / k / 4e14;
        print("mfu", {flops, seconds, k, 1e15},
              {value_of(model_flops_utilisation(flops, seconds, k, 1e15))});
      }
    }
  }
}

}  // namespace
}  // namespace kneepoint

int main() {
  kneepoint::print_laws();
  kneepoint::print_reaches();
  kneepoint::print_bills();
  kneepoint::print_ks();
  kneepoint::print_choices();
  kneepoint::print_training();
  return std::cout.good() ? 0 : 1;
}

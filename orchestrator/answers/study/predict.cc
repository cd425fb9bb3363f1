// SPDX-License-Identifier: Apache-2.0
//
// The forms without a study: closed formulas of given parameters.
#include "orchestrator/answers/study/predict.h"

#include <cstdint>

namespace kneepoint {
namespace {

constexpr double kHigh = 0.8, kLow = 0.5;  // the two floors that are always shown

// first, 2·first, 4·first, ... and `to`.
std::vector<int> doubling(int first, int to) {
  std::vector<int> ks;
  for (std::int64_t k = first; k < to; k *= 2) ks.push_back(static_cast<int>(k));
  ks.push_back(to);
  return ks;
}

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

Result<LawPrediction> predict_one(const ScalingLaw& law, Mode mode, int to) {
  LawPrediction out;
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
  for (const int k : doubling(1, to)) {
    TRY_ASSIGN(out.points.emplace_back(), point_at(law, mode, k));
  }
  return out;
}

}  // namespace

Result<PredictAnswer> predict(const PredictRequest& request) {
  PredictAnswer answer{request.mode, request.to, {}};
  for (const double s : request.serials) {
    for (const double c : request.log_coefficients) {
      TRY_ASSIGN(answer.predictions.emplace_back(),
                 predict_one({.serial = s, .log_coefficient = c}, request.mode, request.to));
    }
  }
  return answer;
}

Result<IsoPrediction> predict_iso(double efficiency, int to, const std::vector<IsoLaw>& laws) {
  IsoPrediction answer{efficiency, to, {}};
  for (const IsoLaw& law : laws) {
    IsoCurve& curve = answer.curves.emplace_back(IsoCurve{law, {}});
    for (const int k : doubling(2, to)) {
      const IsoRequest request{law.serial, law.coefficient, efficiency, static_cast<double>(k),
                               law.growth};
      IsoPoint& point = curve.points.emplace_back();
      point.k = k;
      TRY_ASSIGN(point.replicated, isoefficiency_replicated(request));
      TRY_ASSIGN(point.fixed_serial, isoefficiency_fixed_serial(request));
      TRY_ASSIGN(point.proportional, isoefficiency_proportional(request));
    }
  }
  return answer;
}

Result<TrainingAnswer> predict_training(const TrainingRequest& request) {
  TrainingAnswer answer{request, {}, {}};
  TRY_ASSIGN(answer.cap, replica_cap(request.critical_batch, request.micro, request.accumulation,
                                     request.sequence));
  const double of_one = answer.cap.batch_of_one;
  for (const int gpus : request.gpus) {
    TrainingPoint& point = answer.points.emplace_back();
    point.gpus = gpus;
    TRY_ASSIGN(point.plan, plan_parallelism(gpus, answer.cap, request.comm_ratio.value_or(0)));
    point.batch = static_cast<double>(point.plan.replicas) * of_one;
    TRY_ASSIGN(point.at_plan, batch_cost(point.batch, request.critical_batch));
    TRY_ASSIGN(point.all_replicas, batch_cost(gpus * of_one, request.critical_batch));
    if (point.plan.model_ways == 1 || request.comm_ratio) {
      point.efficiency = point.at_plan.efficiency * point.plan.efficiency *
                         static_cast<double>(gpus - point.plan.idle) / gpus;
    }
  }
  return answer;
}

Result<UtilisationAnswer> predict_utilisation(const std::vector<AtWorkers>& at) {
  UtilisationAnswer answer;
  std::vector<UtilisationPoint>& points = answer.points;
  for (const AtWorkers& one : at) {
    UtilisationPoint& point = points.emplace_back();
    point.k = one.k;
    point.utilisation = one.value;
    TRY_ASSIGN(point.kept, utilisation_kept(at.front().value, one.value));
    point.speedup = point.k / static_cast<double>(at.front().k) * point.kept;
    point.cost = 1 / point.kept;
  }
  return answer;
}

Result<UtilisationAnswer> predict_utilisation(const std::vector<AtWorkers>& rates,
                                              double parameters, double peak) {
  std::vector<AtWorkers> at;
  for (const AtWorkers& rate : rates) {
    TRY_ASSIGN(const double flops, training_flops(parameters, rate.value));
    auto share = model_flops_utilisation(flops, 1, rate.k, peak);
    if (!share) return share.error().in("K=" + std::to_string(rate.k));
    at.push_back({rate.k, *share});
  }
  TRY_ASSIGN(UtilisationAnswer answer, predict_utilisation(at));
  for (std::size_t i = 0; i < rates.size(); ++i) {
    answer.points[i].tokens_per_second = rates[i].value;
  }
  return answer;
}

}  // namespace kneepoint

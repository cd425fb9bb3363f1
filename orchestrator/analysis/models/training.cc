// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/training.h"

#include <cmath>

#include "orchestrator/analysis/breakdown/breakdown.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint {

Result<BatchCost> batch_cost(double batch, double critical_batch) {
  TRY(require_positive(batch, "the batch"));
  TRY(require_positive(critical_batch, "the critical batch"));
  const double data = 1 + batch / critical_batch;
  return BatchCost{.steps = 1 + critical_batch / batch, .data = data, .efficiency = 1 / data};
}

Result<double> result_efficiency(double sample_efficiency, double k0, double k,
                                 double batch_per_worker, double critical_batch) {
  TRY(require_positive(sample_efficiency, "the efficiency in samples per second"));
  TRY(require_workers(k0, "K0"));
  TRY(require_workers(k));
  TRY(require_positive(batch_per_worker, "the batch per worker"));
  TRY_ASSIGN(const BatchCost before, batch_cost(k0 * batch_per_worker, critical_batch));
  TRY_ASSIGN(const BatchCost after, batch_cost(k * batch_per_worker, critical_batch));
  return sample_efficiency * before.data / after.data;
}

Result<ReplicaCap> replica_cap(double critical_batch, double micro, double accumulation,
                               double sequence) {
  TRY(require_positive(critical_batch, "the critical batch"));
  TRY(require_at_least(micro, 1, "the micro batch"));
  TRY(require_at_least(accumulation, 1, "the number of accumulation steps"));
  TRY(require_at_least(sequence, 1, "the sequence length"));
  ReplicaCap cap;
  cap.batch_of_one = micro * accumulation * sequence;
  const double replicas = std::floor(critical_batch / cap.batch_of_one);
  if (replicas > 1e15) return refusal("the critical batch is not a plausible number");
  cap.replicas = static_cast<std::int64_t>(replicas);
  return cap;
}

Result<ParallelPlan> plan_parallelism(std::int64_t gpus, const ReplicaCap& cap,
                                      double model_split_comm_ratio) {
  TRY(require_workers(static_cast<double>(gpus), "the number of GPUs"));
  TRY_ASSIGN(const double split_efficiency, efficiency_of_comm_ratio(model_split_comm_ratio));
  if (cap.replicas < 0) return refusal("the cap on replicas is below 0");
  ParallelPlan plan;
  const std::int64_t most = cap.replicas > 0 ? cap.replicas : 1;
  plan.model_ways = (gpus + most - 1) / most;
  plan.replicas = gpus / plan.model_ways;
  plan.idle = gpus - plan.replicas * plan.model_ways;
  const std::string count = number_text(static_cast<double>(most));
  if (cap.replicas == 0)
    plan.sentence = "one replica's batch is already above the critical batch; ";
  if (plan.model_ways == 1) {
    plan.sentence +=
        "data parallelism carries all GPUs: the critical batch allows " + count + " replicas";
    return plan;
  }
  plan.efficiency = split_efficiency;
  plan.sentence += "beyond " + count +
                   " replicas more data parallelism buys no result: splitting " + "the model " +
                   number_text(static_cast<double>(plan.model_ways)) +
                   " ways is the only road, at an efficiency of " + number_text(plan.efficiency);
  return plan;
}

Result<double> training_flops(double parameters, double tokens) {
  TRY(require_positive(parameters, "the number of parameters"));
  TRY(require_positive(tokens, "the number of tokens"));
  return 6 * parameters * tokens;
}

Result<double> model_flops_utilisation(double flops, double seconds, double k,
                                       double peak_flops_per_worker) {
  TRY(require_positive(flops, "the number of flops"));
  TRY(require_positive(seconds, "the time"));
  TRY(require_workers(k));
  TRY(require_positive(peak_flops_per_worker, "the peak"));
  const double mfu = flops / seconds / k / peak_flops_per_worker;
  if (mfu > 1) {
    return refusal("the utilisation would be " + number_text(mfu) +
                   ": the flops or the peak are wrong");
  }
  return mfu;
}

Result<double> utilisation_kept(double mfu0, double mfu) {
  TRY(require_share(mfu0, "the utilisation at K0"));
  TRY(require_positive(mfu0, "the utilisation at K0"));
  TRY(require_share(mfu, "the utilisation"));
  return mfu / mfu0;
}

}  // namespace kneepoint

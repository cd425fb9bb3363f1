// SPDX-License-Identifier: Apache-2.0
//
// data_parallel: a training step of a small perceptron. Each rank takes its shard of the global
// batch (shards may differ by one sample), computes the summed gradient, all ranks add theirs, and
// each updates its own copy of the parameters by the mean over the global batch.
#include <cmath>
#include <cstring>

#include "orchestrator/base/hash.h"
#include "workloads/harness/harness.h"
#include "workloads/numerics/hashed_random.h"
#include "workloads/numerics/mlp.h"
#include "workloads/numerics/split.h"

namespace kneepoint::workloads {
namespace {

const Description kDescription = {
    "data_parallel",
    "training step of a perceptron on a shard of the batch, then an all-reduce of gradients",
    "global batch, samples",
    "1024",
    1,
    1e9,
    {{"width", "256", "of every layer", 1, 32768, true, {}},
     {"layers", "3", "of the network", 1, 1000, true, {}},
     {"rate", "0.01", "learning rate", 0, 1e6, false, {}}}};

enum Stream : std::uint64_t { kWeights, kInputs, kTargets };

class DataParallel final : public Workload {
 public:
  explicit DataParallel(const Setup& setup)
      : setup_(setup),
        shape_{setup.whole("width"), static_cast<int>(setup.whole("layers"))},
        rate_(setup.number("rate")),
        shard_(split(setup.size(), setup.ranks, setup.rank)),
        network_(shape_, std::max<Index>(shard_.size(), 2)),
        gradient_(static_cast<std::size_t>(shape_.parameters())) {
    input_ = samples(kInputs, shard_);
    target_ = samples(kTargets, shard_);
    auto& parameters = network_.parameters();
    const float bound = std::sqrt(6.0F / static_cast<float>(shape_.width));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const bool bias =
          static_cast<Index>(i) % shape_.layer_parameters() >= shape_.width * shape_.width;
      parameters[i] = bias ? 0 : bound * hashed_uniform(setup.options.seed, kWeights, i);
    }
  }

  void iterate(Timers& timers) override {
    {
      const auto scope = timers.compute();
      network_.gradient(input_.data(), target_.data(), shard_.size(), gradient_.data());
    }
    {
      const auto scope = timers.communication();
      MPI_Allreduce(MPI_IN_PLACE, gradient_.data(), static_cast<int>(gradient_.size()), MPI_FLOAT,
                    MPI_SUM, setup_.comm);
    }
    const auto scope = timers.compute();
    step(-rate_);
  }

  double work() const override { return static_cast<double>(shard_.size()); }

  record::Check verify() override {
    // The parameters must be the same bits everywhere.
    const auto& parameters = network_.parameters();
    const std::uint64_t hash = fnv1a64(
        {reinterpret_cast<const char*>(parameters.data()), parameters.size() * sizeof(float)});
    const std::uint64_t ends[2] = {hash, ~hash};
    std::uint64_t most[2] = {0, 0};
    MPI_Allreduce(ends, most, 2, MPI_UINT64_T, MPI_MAX, setup_.comm);
    const bool same = most[0] == ~most[1];

    // The last step's gradient g must be the slope of the global loss where it was taken: the loss
    // changes by g.g per unit of a move along g.
    step(rate_);
    double slope = 0;
    for (const float g : gradient_) slope += static_cast<double>(g) * g;
    slope /= batch() * batch();
    const double here = mean_loss();
    const double move = slope > 0 ? 0.01 * here / slope : 1;
    step(move);
    const double ahead = mean_loss();
    step(-2 * move);
    const double behind = mean_loss();
    step(move - rate_);
    const double measured = (ahead - behind) / (2 * move);
    const double deviation = slope > 0 ? std::abs(measured / slope - 1) : std::abs(measured);

    const double slice = deviation_of_slice();
    char detail[240];
    std::snprintf(detail, sizeof detail,
                  "parameters %s on all ranks; gradient deviates from the loss's slope by %.2g "
                  "(allowed 0.05) and from a plain recomputation by %.2g (allowed 0.001)",
                  same ? "equal" : "DIFFER", deviation, slice);
    return {same && deviation <= 0.05 && slice <= 1e-3, detail};
  }

  void spoil() override {
    for (float& g : gradient_) g *= 2;
  }

  std::vector<record::Metric> metrics() override { return {{"loss", mean_loss(), ""}}; }

 private:
  double batch() const { return static_cast<double>(setup_.size()); }

  std::vector<float> samples(std::uint64_t stream, Range range) const {
    std::vector<float> values(static_cast<std::size_t>(range.size() * shape_.width));
    const auto first = static_cast<std::uint64_t>(range.begin * shape_.width);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = hashed_uniform(setup_.options.seed, stream, first + i);
    }
    return values;
  }

  // Moves the parameters by `length` times the mean gradient.
  void step(double length) {
    const float scale = static_cast<float>(length / batch());
    float* parameters = network_.parameters().data();
    const float* gradient = gradient_.data();
    const Index n = shape_.parameters();
#pragma omp parallel for simd schedule(static)
    for (Index i = 0; i < n; ++i) parameters[i] += scale * gradient[i];
  }

  double mean_loss() {
    double sum = network_.loss(input_.data(), target_.data(), shard_.size());
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, setup_.comm);
    return sum / batch();
  }

  // Largest relative difference between the fast gradient and plain loops on two samples.
  double deviation_of_slice() {
    const Range slice{0, std::min<std::int64_t>(2, setup_.size())};
    const auto input = samples(kInputs, slice);
    const auto target = samples(kTargets, slice);
    std::vector<float> fast(gradient_.size());
    network_.gradient(input.data(), target.data(), slice.size(), fast.data());
    const auto plain = reference_gradient(shape_, network_.parameters(), input.data(),
                                          target.data(), slice.size());
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      largest = std::max(largest, std::abs(plain[i]));
      difference = std::max(difference, std::abs(plain[i] - fast[i]));
    }
    return largest > 0 ? difference / largest : difference;
  }

  const Setup& setup_;
  MlpShape shape_;
  double rate_;
  Range shard_;
  Mlp network_;
  std::vector<float> input_, target_, gradient_;
};

Result<std::unique_ptr<Workload>> make(const Setup& setup) {
  if (setup.size() < setup.ranks) {
    return Error{ErrorCode::invalid,
                 "--size " + std::to_string(setup.size()) + ": " + std::to_string(setup.ranks) +
                     " ranks need a batch of at least one sample each",
                 false};
  }
  const MlpShape shape{setup.whole("width"), static_cast<int>(setup.whole("layers"))};
  if (shape.parameters() > 2'000'000'000) {
    return Error{ErrorCode::invalid, "--width and --layers make more than 2e9 parameters", false};
  }
  return std::unique_ptr<Workload>(new DataParallel(setup));
}

}  // namespace
}  // namespace kneepoint::workloads

int main(int argc, char** argv) {
  using namespace kneepoint::workloads;
  return run_workload(argc, argv, kDescription, make);
}

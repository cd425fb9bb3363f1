// SPDX-License-Identifier: Apache-2.0
//
// data_parallel: a training step of a small perceptron. Each rank takes its shard of the global
// batch (shards may differ by one sample), computes the summed gradient, all ranks add theirs, and
// each updates its own copy of the parameters by the mean over the global batch.
#include <cmath>

#include "workloads/harness/across_ranks.h"
#include "workloads/harness/harness.h"
#include "workloads/numerics/counter_random.h"
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
    return check_training(
        setup_.comm,
        {batch(), rate_, network_.parameters(), gradient_, [this](double length) { step(length); },
         [this] { return mean_loss(); }, [this] { return deviation_of_slice(); }});
  }

  void spoil() override {
    for (float& g : gradient_) g *= 2;
  }

  std::vector<record::Metric> metrics() override { return {{"loss", mean_loss(), ""}}; }

 private:
  double batch() const { return static_cast<double>(setup_.size()); }

  std::vector<float> samples(TrainingStream stream, Range range) const {
    return training_samples(setup_.options.seed, stream, range, shape_.width);
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
    return relative_deviation(reference_gradient(shape_, network_.parameters(), input.data(),
                                                 target.data(), slice.size()),
                              fast);
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

// SPDX-License-Identifier: Apache-2.0
//
// tensor_parallel: one request (batch of one) through layers that are split over the ranks. Each
// layer widens to 4 * size and back: the first matrix is split by rows, the second by columns, and
// one all-reduce of `size` floats per layer joins the parts. Latency decides, not bandwidth.
#include <cmath>

#include "workloads/harness/across_ranks.h"
#include "workloads/harness/harness.h"
#include "workloads/numerics/counter_random.h"
#include "workloads/numerics/kernels.h"
#include "workloads/numerics/split.h"

namespace kneepoint::workloads {
namespace {

const Description kDescription = {
    "tensor_parallel",
    "one request through layers split over the ranks, an all-reduce per layer",
    "width of the model",
    "512",
    1,
    100'000,
    {{"layers", "4", "of the model", 1, 1000, true, {}},
     {"tokens", "8", "one after the other in one iteration", 1, 1e6, true, {}}}};

class TensorParallel final : public Workload {
 public:
  explicit TensorParallel(const Setup& setup)
      : setup_(setup),
        width_(setup.size()),
        layers_(static_cast<int>(setup.whole("layers"))),
        tokens_(static_cast<int>(setup.whole("tokens"))),
        part_(split(4 * width_, setup.ranks, setup.rank)),
        state_(count(width_)),
        input_(count(width_)),
        hidden_(count(part_.size())),
        sum_(count(width_)) {
    const std::size_t n = count(part_.size() * width_);
    for (int layer = 0; layer < layers_; ++layer) {
      std::vector<float> wide(n), narrow(n);
      for (Index j = 0; j < part_.size(); ++j) {
        for (Index i = 0; i < width_; ++i) {
          wide[count(j * width_ + i)] = wide_weight(layer, part_.begin + j, i);
          narrow[count(i * part_.size() + j)] = narrow_weight(layer, i, part_.begin + j);
        }
      }
      wide_.push_back(std::move(wide));
      narrow_.push_back(std::move(narrow));
    }
  }

  void prepare(int, bool) override {
    for (std::size_t i = 0; i < state_.size(); ++i) {
      state_[i] = hashed_uniform(setup_.options.seed, 0, i);
    }
  }

  void iterate(Timers& timers) override {
    for (int token = 0; token < tokens_; ++token) {
      for (int layer = 0; layer < layers_; ++layer) {
        {
          const auto scope = timers.compute();
          normalise();
          partial_layer(layer);
        }
        {
          const auto scope = timers.communication();
          MPI_Allreduce(MPI_IN_PLACE, sum_.data(), static_cast<int>(width_), MPI_FLOAT, MPI_SUM,
                        setup_.comm);
        }
        const auto scope = timers.compute();
        for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += sum_[i];
      }
    }
  }

  double work() const override {  // multiply-adds
    return 2.0 * static_cast<double>(width_) * static_cast<double>(part_.size()) * layers_ *
           tokens_;
  }

  // The last layer of the last token, unsplit and in double, from what the timed loop left behind.
  record::Check verify() override {
    const double difference = setup_.rank == 0 ? deviation_of_last_layer() : 0;
    std::vector<float> reference = sum_;
    MPI_Bcast(reference.data(), static_cast<int>(width_), MPI_FLOAT, 0, setup_.comm);
    double spread = 0;
    for (std::size_t i = 0; i < sum_.size(); ++i) {
      spread = std::max(spread, static_cast<double>(std::abs(sum_[i] - reference[i])));
    }
    double widest = 0;
    MPI_Reduce(&spread, &widest, 1, MPI_DOUBLE, MPI_MAX, 0, setup_.comm);
    char detail[200];
    std::snprintf(
        detail, sizeof detail,
        "last layer deviates by %.2g from the unsplit one (allowed 0.0001), ranks by %.2g "
        "from each other (allowed 1e-05)",
        difference, widest);
    return {difference <= 1e-4 && widest <= 1e-5, detail};
  }

  void spoil() override { sum_[0] += 1; }

  std::vector<record::Metric> metrics() override {
    double norm = 0;
    for (const float x : state_) norm += static_cast<double>(x) * x;
    return {{"state_norm", std::sqrt(norm), ""}};
  }

 private:
  static std::size_t count(Index n) { return static_cast<std::size_t>(n); }

  float wide_weight(int layer, Index row, Index column) const {
    return hashed_uniform(setup_.options.seed, 1 + 2 * static_cast<std::uint64_t>(layer),
                          static_cast<std::uint64_t>(row * width_ + column)) /
           std::sqrt(static_cast<float>(width_));
  }
  float narrow_weight(int layer, Index row, Index column) const {
    return hashed_uniform(setup_.options.seed, 2 + 2 * static_cast<std::uint64_t>(layer),
                          static_cast<std::uint64_t>(row * 4 * width_ + column)) /
           std::sqrt(static_cast<float>(width_));
  }

  // input_ = state_ at unit mean square: keeps any number of layers and tokens finite.
  void normalise() {
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::size_t i = 0; i < state_.size(); ++i) squares += state_[i] * state_[i];
    const float scale = 1 / std::sqrt(squares / static_cast<float>(width_) + 1e-12F);
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i] = input_[i] = state_[i] * scale;
  }

  void partial_layer(int layer) {
    kernels().gemv(wide_[count(layer)].data(), input_.data(), hidden_.data(), part_.size(), width_);
    for (float& h : hidden_) h = h > 0 ? h : 0;
    kernels().gemv(narrow_[count(layer)].data(), hidden_.data(), sum_.data(), width_, part_.size());
  }

  double deviation_of_last_layer() const {
    const int layer = layers_ - 1;
    std::vector<double> hidden(count(4 * width_));
    for (Index j = 0; j < 4 * width_; ++j) {
      double h = 0;
      for (Index i = 0; i < width_; ++i) h += wide_weight(layer, j, i) * input_[count(i)];
      hidden[count(j)] = h > 0 ? h : 0;
    }
    std::vector<double> expected(count(width_));
    for (Index i = 0; i < width_; ++i) {
      for (Index j = 0; j < 4 * width_; ++j) {
        expected[count(i)] += narrow_weight(layer, i, j) * hidden[count(j)];
      }
    }
    return relative_deviation(expected, sum_);
  }

  const Setup& setup_;
  Index width_;
  int layers_;
  int tokens_;
  Range part_;  // of the 4 * width_ inner values
  std::vector<float> state_, input_, hidden_, sum_;
  std::vector<std::vector<float>> wide_;    // per layer: part x width
  std::vector<std::vector<float>> narrow_;  // per layer: width x part
};

Result<std::unique_ptr<Workload>> make(const Setup& setup) {
  if (4 * setup.size() < setup.ranks) {
    return Error{ErrorCode::invalid,
                 "--size " + std::to_string(setup.size()) + ": " + std::to_string(setup.ranks) +
                     " ranks need a width of at least a quarter of their number",
                 false};
  }
  return std::unique_ptr<Workload>(new TensorParallel(setup));
}

}  // namespace
}  // namespace kneepoint::workloads

int main(int argc, char** argv) {
  using namespace kneepoint::workloads;
  return run_workload(argc, argv, kDescription, make);
}

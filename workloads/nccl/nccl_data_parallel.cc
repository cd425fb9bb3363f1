// SPDX-License-Identifier: Apache-2.0
//
// nccl_data_parallel: a training step of a deep linear network on one shard of the global batch per
// GPU. Gradients are all-reduced in buckets on a second stream while the backward pass goes on;
// what of that no computing covers is the step's communication. Layers are linear since there is no
// device code; the gemms are those of a perceptron.
#include <cmath>
#include <functional>
#include <memory>

#include "workloads/harness/across_ranks.h"
#include "workloads/harness/harness.h"
#include "workloads/nccl/device.h"
#include "workloads/nccl/nccl_plan.h"
#include "workloads/numerics/counter_random.h"
#include "workloads/numerics/split.h"

namespace kneepoint::workloads {
namespace {

const Description kDescription = {
    "nccl_data_parallel",
    "training step on a shard of the batch per GPU, gradients all-reduced during the backward pass",
    "global batch, samples",
    "8192",
    1,
    1e9,
    {{"width", "2048", "of every layer", 1, 32768, true, {}},
     {"layers", "8", "of the network", 1, 1000, true, {}},
     {"rate", "0.01", "learning rate", 0, 1e6, false, {}},
     {"bucket", "26214400", "bytes of gradients that travel together, at least", 1, 1e12, true, {}},
     {"overlap",
      "yes",
      "yes or no: communicate during the backward pass, or after it",
      0,
      0,
      false,
      {"yes", "no"}}},
    true};

// The training step as work for a stream: cuBLAS calls on one shard of the batch. Nothing here
// waits; the caller says when a layer's gradient has been asked for.
class GemmNet {
 public:
  GemmNet(const Device& device, cudaStream_t stream, NetShape shape, std::int64_t most_samples)
      : device_(device),
        stream_(stream),
        shape_(shape),
        elements_(static_cast<int>(shape.parameters())),
        weights_(device, static_cast<std::size_t>(shape.parameters())),
        gradient_(device, static_cast<std::size_t>(shape.parameters())),
        input_(device, area(most_samples)),
        target_(device, area(most_samples)),
        delta_(device, area(most_samples)),
        next_delta_(device, area(most_samples)) {
    for (int layer = 0; layer < shape.layers; ++layer) {
      outputs_.push_back(std::make_unique<DeviceArray>(device, area(most_samples)));
    }
    device_.check(cublasCreate(&blas_), "cublasCreate");
    device_.check(cublasSetStream(blas_, stream), "cublasSetStream");
  }
  ~GemmNet() { cublasDestroy(blas_); }
  GemmNet(const GemmNet&) = delete;
  GemmNet& operator=(const GemmNet&) = delete;

  DeviceArray& weights() { return weights_; }
  DeviceArray& gradient() { return gradient_; }
  // Columns are samples.
  void load(const std::vector<float>& input, const std::vector<float>& target) {
    input_.write(input);
    target_.write(target);
  }

  // And the distance to the target.
  void forward(std::int64_t samples) {
    const int count = static_cast<int>(area(samples));
    for (int layer = 0; layer < shape_.layers; ++layer) {
      multiply(CUBLAS_OP_N, CUBLAS_OP_N, samples, shape_.width, layer_of(weights_, layer),
               input_of(layer), outputs_[static_cast<std::size_t>(layer)]->data());
    }
    const float minus = -1;
    current_ = delta_.data();
    device_.check(cublasScopy(blas_, count, input_of(shape_.layers), 1, current_, 1),
                  "cublasScopy");
    device_.check(cublasSaxpy(blas_, count, &minus, target_.data(), 1, current_, 1), "cublasSaxpy");
  }

  // After forward(); `made` hears of each layer as its gradient has been put on the stream.
  void backward(std::int64_t samples, const std::function<void(int layer)>& made) {
    float* next = next_delta_.data();
    for (int layer = shape_.layers - 1; layer >= 0; --layer) {
      multiply(CUBLAS_OP_N, CUBLAS_OP_T, shape_.width, samples, current_, input_of(layer),
               layer_of(gradient_, layer));
      made(layer);
      if (layer == 0) break;
      multiply(CUBLAS_OP_T, CUBLAS_OP_N, samples, shape_.width, layer_of(weights_, layer), current_,
               next);
      std::swap(current_, next);
    }
  }

  // weights += length * gradient
  void step(float length) {
    device_.check(cublasSaxpy(blas_, elements_, &length, gradient_.data(), 1, weights_.data(), 1),
                  "cublasSaxpy");
  }

  void scale_gradient(float factor) {
    device_.check(cublasSscal(blas_, elements_, &factor, gradient_.data(), 1), "cublasSscal");
  }

  // After forward(), which it waits for: half the squared distance, summed over the samples.
  double loss(std::int64_t samples) {
    float norm = 0;
    device_.check(cublasSnrm2(blas_, static_cast<int>(area(samples)), current_, 1, &norm),
                  "cublasSnrm2");
    device_.wait(stream_);
    return 0.5 * static_cast<double>(norm) * static_cast<double>(norm);
  }

 private:
  std::size_t area(std::int64_t samples) const {
    return static_cast<std::size_t>(shape_.width * samples);
  }
  float* layer_of(const DeviceArray& array, int layer) const {
    return array.data() +
           static_cast<std::size_t>(layer) * static_cast<std::size_t>(shape_.layer_parameters());
  }
  const float* input_of(int layer) const {
    return layer == 0 ? input_.data() : outputs_[static_cast<std::size_t>(layer - 1)]->data();
  }
  // c = op(a) op(b); all leading dimensions are the width.
  void multiply(cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t columns,
                std::int64_t inner, const float* a, const float* b, float* c) {
    const float one = 1, zero = 0;
    const int width = static_cast<int>(shape_.width);
    device_.check(cublasSgemm(blas_, op_a, op_b, width, static_cast<int>(columns),
                              static_cast<int>(inner), &one, a, width, b, width, &zero, c, width),
                  "cublasSgemm");
  }

  const Device& device_;
  cudaStream_t stream_;
  NetShape shape_;
  int elements_;  // of the parameters
  cublasHandle_t blas_ = nullptr;
  DeviceArray weights_, gradient_, input_, target_;
  std::vector<std::unique_ptr<DeviceArray>> outputs_;  // of each layer
  DeviceArray delta_, next_delta_;
  float* current_ = nullptr;  // of the two, the one that holds the distance
};

class NcclDataParallel final : public Workload {
 public:
  explicit NcclDataParallel(const Setup& setup)
      : setup_(setup),
        shape_{setup.whole("width"), static_cast<int>(setup.whole("layers"))},
        rate_(setup.number("rate")),
        overlap_(setup.options.word("overlap") == "yes"),
        shard_(split(setup.size(), setup.ranks, setup.rank)),
        buckets_(make_buckets(shape_.layers, static_cast<std::size_t>(shape_.layer_parameters()),
                              static_cast<std::size_t>(setup.whole("bucket") / 4))),
        device_(setup) {}

  std::optional<record::Failure> begin() override {
    if (auto failure = device_.choose()) return failure;
    device_.connect();
    compute_ = std::make_unique<DeviceStream>(device_);
    traffic_ = std::make_unique<DeviceStream>(device_);
    for (auto* event : {&begun_, &backward_done_, &reduced_, &ended_}) {
      *event = std::make_unique<DeviceEvent>(device_);
    }
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      ready_.push_back(std::make_unique<DeviceEvent>(device_));
      from_.push_back(std::make_unique<DeviceEvent>(device_));
      to_.push_back(std::make_unique<DeviceEvent>(device_));
    }
    net_ = std::make_unique<GemmNet>(device_, compute_->get(), shape_,
                                     std::max<std::int64_t>(shard_.size(), 2));
    net_->load(samples(kInputs, shard_), samples(kTargets, shard_));
    std::vector<float> weights(static_cast<std::size_t>(shape_.parameters()));
    const float bound = std::sqrt(3.0F / static_cast<float>(shape_.width));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = bound * hashed_uniform(setup_.options.seed, kWeights, i);
    }
    net_->weights().write(weights);
    return std::nullopt;
  }

  void prepare(int, bool warmup) override { warmup_ = warmup; }

  void iterate(Timers& timers) override {
    const Nanoseconds start = system_clock().steady();
    begun_->record(compute_->get());
    net_->forward(shard_.size());
    std::size_t bucket = 0;
    net_->backward(shard_.size(), [&](int layer) {
      if (buckets_[bucket].last_made != layer) return;
      ready_[bucket]->record(compute_->get());
      if (overlap_) reduce(bucket, *ready_[bucket]);
      ++bucket;
    });
    backward_done_->record(compute_->get());
    for (std::size_t i = 0; !overlap_ && i < buckets_.size(); ++i) reduce(i, *backward_done_);
    to_.back()->hold(compute_->get());
    reduced_->record(compute_->get());
    step(-rate_);
    ended_->record(compute_->get());
    device_.wait(compute_->get());
    take_account(timers, system_clock().steady() - start);
  }

  double work() const override { return static_cast<double>(shard_.size()); }

  record::Check verify() override {
    device_.wait(compute_->get());
    return check_training(
        setup_.comm,
        {batch(), rate_, net_->weights().read(net_->weights().count()),
         net_->gradient().read(net_->gradient().count()), [this](double length) { step(length); },
         [this] { return mean_loss(); }, [this] { return deviation_of_slice(); }});
  }

  void spoil() override { net_->scale_gradient(2); }

  std::vector<record::Metric> metrics() override {
    const double count = std::max(1, timed_);
    double mine[4];
    for (std::size_t i = 0; i < 4; ++i) mine[i] = sums_[i] / count;
    double most[4] = {0, 0, 0, 0};
    MPI_Reduce(mine, most, 4, MPI_DOUBLE, MPI_MAX, 0, setup_.comm);
    // Of all ranks together, since the rank that waits most is not the one that overlaps least.
    double sum[4] = {0, 0, 0, 0};
    MPI_Reduce(mine, sum, 4, MPI_DOUBLE, MPI_SUM, 0, setup_.comm);
    const double loss = mean_loss();
    return {{"exposed_communication", most[0], "s"},
            {"communication", most[1], "s"},
            {"overlapped_share", sum[1] > 0 ? 1 - sum[0] / sum[1] : 0, ""},
            {"step_by_events", most[2], "s"},
            {"step_by_wall", most[3], "s"},
            {"buckets", static_cast<double>(buckets_.size()), ""},
            {"loss", loss, ""}};
  }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    auto facts = device_.facts();
    facts.emplace_back("cublas", std::to_string(CUBLAS_VER_MAJOR) + "." +
                                     std::to_string(CUBLAS_VER_MINOR) + "." +
                                     std::to_string(CUBLAS_VER_PATCH));
    return facts;
  }

 private:
  double batch() const { return static_cast<double>(setup_.size()); }

  std::vector<float> samples(TrainingStream stream, Range range) const {
    return training_samples(setup_.options.seed, stream, range, shape_.width);
  }

  // The sum over all ranks of one bucket, on the second stream, once `when` has happened.
  void reduce(std::size_t i, DeviceEvent& when) {
    const Bucket& bucket = buckets_[i];
    float* data = net_->gradient().data() + bucket.begin;
    when.hold(traffic_->get());
    from_[i]->record(traffic_->get());
    device_.check(ncclAllReduce(data, data, bucket.count, ncclFloat, ncclSum, device_.comm(),
                                traffic_->get()),
                  "ncclAllReduce");
    to_[i]->record(traffic_->get());
  }

  void take_account(Timers& timers, Nanoseconds wall) {
    const auto at = [&](const std::unique_ptr<DeviceEvent>& event) {
      return device_.seconds(begun_->get(), event->get());
    };
    const std::vector<Span> compute = {{0, at(backward_done_)}, {at(reduced_), at(ended_)}};
    std::vector<Span> communication;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      communication.push_back({at(from_[i]), at(to_[i])});
    }
    const double alone = exposed(communication, compute);
    const Account parts = account(covered(compute), alone, wall);
    timers.add_compute(parts.compute);
    timers.add_communication(parts.communication);
    if (warmup_) return;
    ++timed_;
    const double parts_of_step[4] = {alone, covered(communication), at(ended_), to_seconds(wall)};
    for (std::size_t i = 0; i < 4; ++i) sums_[i] += parts_of_step[i];
  }

  // Moves the parameters by `length` times the mean gradient.
  void step(double length) { net_->step(static_cast<float>(length / batch())); }

  double mean_loss() {
    net_->forward(shard_.size());
    double sum = net_->loss(shard_.size());
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, setup_.comm);
    return sum / batch();
  }

  // Largest relative difference between the device's gradient and plain loops on two samples.
  double deviation_of_slice() {
    const Range slice{0, std::min<std::int64_t>(2, setup_.size())};
    const auto input = samples(kInputs, slice);
    const auto target = samples(kTargets, slice);
    net_->load(input, target);
    net_->forward(slice.size());
    net_->backward(slice.size(), [](int) {});
    device_.wait(compute_->get());
    const auto fast = net_->gradient().read(net_->gradient().count());
    const auto weights = net_->weights().read(net_->weights().count());
    return relative_deviation(linear_gradient(shape_, weights, input, target, slice.size()), fast);
  }

  const Setup& setup_;
  NetShape shape_;
  double rate_;
  bool overlap_;
  Range shard_;
  std::vector<Bucket> buckets_;
  bool warmup_ = false;
  int timed_ = 0;
  // Seconds of this rank over the timed iterations: exposed communication, communication, steps by
  // events, steps by the host's clock.
  double sums_[4] = {};
  Device device_;
  std::unique_ptr<DeviceStream> compute_, traffic_;
  std::unique_ptr<DeviceEvent> begun_, backward_done_, reduced_, ended_;
  std::vector<std::unique_ptr<DeviceEvent>> ready_, from_, to_;  // of each bucket
  std::unique_ptr<GemmNet> net_;
};

Error refusal(const std::string& message) {
  return {ErrorCode::invalid, message, false};
}

Result<std::unique_ptr<Workload>> make(const Setup& setup) {
  constexpr double kMost = 2e9;  // elements: cuBLAS counts in 32 bits
  const double width = setup.number("width");
  if (setup.size() < setup.ranks) {
    return refusal("--size " + std::to_string(setup.size()) + ": " + std::to_string(setup.ranks) +
                   " ranks need a batch of at least one sample each");
  }
  if (setup.number("layers") * width * width > kMost) {
    return refusal("--width and --layers make more than 2e9 parameters");
  }
  if (std::ceil(setup.options.size / setup.ranks) * width > kMost) {
    return refusal("--size and --width make more than 2e9 numbers for one GPU");
  }
  return std::unique_ptr<Workload>(new NcclDataParallel(setup));
}

}  // namespace
}  // namespace kneepoint::workloads

int main(int argc, char** argv) {
  using namespace kneepoint::workloads;
  return run_workload(argc, argv, kDescription, make);
}

// SPDX-License-Identifier: Apache-2.0
//
// nccl_allreduce: a collective of NCCL over a sweep of message sizes up to `size` bytes. Rates come
// from the device's events, the sample from the host's clock; a message's bytes count once, as in
// the MPI workload allreduce. Sums of small whole numbers are exact in any order.
#include <algorithm>
#include <cmath>

#include "workloads/harness/across_ranks.h"
#include "workloads/harness/harness.h"
#include "workloads/nccl/device.h"
#include "workloads/nccl/nccl_plan.h"
#include "workloads/numerics/split.h"
#include "workloads/numerics/time_models.h"

namespace kneepoint::workloads {
namespace {

const Description kDescription = {
    "nccl_allreduce",
    "a collective of NCCL on ever larger messages, one GPU per rank; reports bandwidths",
    "largest message, bytes (whole floats)",
    "67108864",
    8,
    64e9,
    {{"collective", "all_reduce", "all_reduce, reduce_scatter or all_gather", 0, 0, false,
      collective_words()},
     {"factor", "4", "between one message size and the next", 2, 1e6, true, {}},
     {"repeats", "20", "collectives of each size in one iteration", 1, 1e6, true, {}}},
    true};

class Collectives final : public Workload {
 public:
  explicit Collectives(const Setup& setup)
      : setup_(setup),
        collective_(parse_collective(setup.options.word("collective"))),
        sizes_(message_sweep(collective_, setup.size(), setup.whole("factor"), setup.ranks)),
        repeats_(static_cast<int>(setup.whole("repeats"))),
        device_(setup) {}

  std::optional<record::Failure> begin() override {
    if (auto failure = device_.choose()) return failure;
    device_.connect();
    stream_ = std::make_unique<DeviceStream>(device_);
    from_ = std::make_unique<DeviceEvent>(device_);
    to_ = std::make_unique<DeviceEvent>(device_);
    const auto most = static_cast<std::size_t>(sizes_.back() / 4);
    send_ = std::make_unique<DeviceArray>(device_, most);
    receive_ = std::make_unique<DeviceArray>(device_, most);
    std::vector<float> values(most);
    for (std::size_t i = 0; i < most; ++i) values[i] = sent(i, setup_.rank);
    send_->write(values);
    return std::nullopt;
  }

  void prepare(int, bool warmup) override { warmup_ = warmup; }

  void iterate(Timers& timers) override {
    std::vector<double> by_events, by_wall;
    for (const std::int64_t size : sizes_) {
      const auto scope = timers.communication();
      from_->record(stream_->get());
      for (int i = 0; i < repeats_; ++i) start(size);
      to_->record(stream_->get());
      device_.wait(stream_->get());
      by_wall.push_back(to_seconds(scope.elapsed()) / repeats_);
      by_events.push_back(device_.seconds(from_->get(), to_->get()) / repeats_);
    }
    if (warmup_) return;
    by_events_.push_back(std::move(by_events));
    by_wall_.push_back(std::move(by_wall));
  }

  double work() const override {
    double bytes = 0;
    for (const std::int64_t size : sizes_) {
      bytes += 4.0 * static_cast<double>(split(size / 4, setup_.ranks, setup_.rank).size());
    }
    return bytes * repeats_;
  }

  record::Check verify() override {
    // The timed sweep ended with the largest size; the others are made once more.
    std::int64_t wrong = count_wrong(sizes_.back());
    for (const std::int64_t size : sizes_) {
      receive_->fill_with_nan();
      start(size);
      device_.wait(stream_->get());
      wrong += count_wrong(size);
    }
    std::int64_t all = 0;
    MPI_Reduce(&wrong, &all, 1, MPI_INT64_T, MPI_SUM, 0, setup_.comm);
    return {all == 0, std::to_string(all) + " wrong values in " + std::to_string(sizes_.size()) +
                          " message sizes over all ranks"};
  }

  void spoil() override {
    std::vector<float> values = receive_->read(1);
    values[0] += 1;
    receive_->write(values);
  }

  std::vector<record::Metric> metrics() override {
    const std::vector<double> by_events = slowest_medians(setup_.comm, by_events_);
    const std::vector<double> by_wall = slowest_medians(setup_.comm, by_wall_);
    if (setup_.rank != 0) return {};
    std::vector<MessageTime> times;
    std::vector<record::Metric> each;
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      const auto bytes = static_cast<double>(sizes_[s]);
      const double seconds = std::max(by_events[s], 1e-9);
      times.push_back({bytes, seconds});
      const std::string name = "." + std::to_string(sizes_[s]);
      each.push_back({"algbw" + name, algorithm_bandwidth(bytes, seconds), "GB/s"});
      each.push_back(
          {"busbw" + name, bus_bandwidth(collective_, bytes, seconds, setup_.ranks), "GB/s"});
    }
    const MessageFit fit = fit_messages(times);
    const MessageTime& last = times.back();
    std::vector<record::Metric> metrics = {
        {"algbw", algorithm_bandwidth(last.bytes, last.seconds), "GB/s"},
        {"busbw", bus_bandwidth(collective_, last.bytes, last.seconds, setup_.ranks), "GB/s"},
        {"alpha", fit.alpha, "s"},
        {"beta", fit.beta, "s/byte"},
        {"fit_error", fit.relative_error, ""},
        {"largest_by_events", last.seconds, "s"},
        {"largest_by_wall", by_wall.back(), "s"}};
    metrics.insert(metrics.end(), each.begin(), each.end());
    return metrics;
  }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    return device_.facts();
  }

 private:
  static float sent(std::size_t i, int rank) {
    return static_cast<float>(i % 1000) + static_cast<float>(rank);
  }

  void start(std::int64_t bytes) {
    const auto whole = static_cast<std::size_t>(bytes / 4);
    const std::size_t part = whole / static_cast<std::size_t>(setup_.ranks);
    const float* from = send_->data();
    float* to = receive_->data();
    switch (collective_) {
      case Collective::all_reduce:
        return device_.check(
            ncclAllReduce(from, to, whole, ncclFloat, ncclSum, device_.comm(), stream_->get()),
            "ncclAllReduce");
      case Collective::reduce_scatter:
        return device_.check(
            ncclReduceScatter(from, to, part, ncclFloat, ncclSum, device_.comm(), stream_->get()),
            "ncclReduceScatter");
      case Collective::all_gather:
        return device_.check(
            ncclAllGather(from, to, part, ncclFloat, device_.comm(), stream_->get()),
            "ncclAllGather");
    }
  }

  // What element i of the answer to a message of `whole` elements must be on this rank.
  float expected(std::size_t i, std::size_t whole) const {
    const std::size_t part = whole / static_cast<std::size_t>(setup_.ranks);
    if (collective_ == Collective::all_gather) {
      return sent(i % part, static_cast<int>(i / part));
    }
    if (collective_ == Collective::reduce_scatter) {
      i += part * static_cast<std::size_t>(setup_.rank);
    }
    const auto ranks = static_cast<float>(setup_.ranks);
    return ranks * static_cast<float>(i % 1000) + ranks * (ranks - 1) / 2;
  }

  std::int64_t count_wrong(std::int64_t bytes) const {
    const auto whole = static_cast<std::size_t>(bytes / 4);
    const std::size_t count = collective_ == Collective::reduce_scatter
                                  ? whole / static_cast<std::size_t>(setup_.ranks)
                                  : whole;
    const std::vector<float> values = receive_->read(count);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) wrong += values[i] != expected(i, whole) ? 1 : 0;
    return wrong;
  }

  const Setup& setup_;
  Collective collective_;
  std::vector<std::int64_t> sizes_;
  int repeats_;
  bool warmup_ = false;
  Device device_;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceEvent> from_, to_;
  std::unique_ptr<DeviceArray> send_, receive_;
  // Seconds of one collective of each size, for each timed iteration.
  std::vector<std::vector<double>> by_events_, by_wall_;
};

}  // namespace
}  // namespace kneepoint::workloads

int main(int argc, char** argv) {
  using namespace kneepoint::workloads;
  return run_workload(argc, argv, kDescription, make_workload<Collectives>);
}

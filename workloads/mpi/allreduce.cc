// SPDX-License-Identifier: Apache-2.0
//
// allreduce: a sweep over message sizes up to `size` bytes, fitted to t = alpha + beta * bytes.
// The vector's bytes count once: each rank reports its share of them as its work, since all ranks
// together make one reduced vector.
#include <algorithm>
#include <cmath>

#include "workloads/harness/across_ranks.h"
#include "workloads/harness/harness.h"
#include "workloads/numerics/split.h"
#include "workloads/numerics/time_models.h"

namespace kneepoint::workloads {
namespace {

const Description kDescription = {
    "allreduce",
    "all-reduce of ever larger vectors; reports alpha, beta and bus bandwidth",
    "largest vector, bytes (whole doubles)",
    "1048576",
    8,
    8e9,
    {{"factor", "4", "between one message size and the next", 2, 1e6, true, {}},
     {"repeats", "20", "all-reduces of each size in one iteration", 1, 1e6, true, {}}}};

class Allreduce final : public Workload {
 public:
  explicit Allreduce(const Setup& setup)
      : setup_(setup),
        sizes_(message_sizes(setup.size(), setup.whole("factor"))),
        repeats_(static_cast<int>(setup.whole("repeats"))),
        times_(sizes_.size()) {
    send_.resize(static_cast<std::size_t>(sizes_.back() / 8));
    receive_.resize(send_.size());
    for (std::size_t i = 0; i < send_.size(); ++i) {
      send_[i] = static_cast<double>(i % 1000) + setup.rank;
    }
  }

  void prepare(int, bool warmup) override { warmup_ = warmup; }

  void iterate(Timers& timers) override {
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      const auto scope = timers.communication();
      for (int i = 0; i < repeats_; ++i) reduce(sizes_[s]);
      times_[s] = to_seconds(scope.elapsed()) / repeats_;
    }
    if (!warmup_) history_.push_back(times_);
  }

  double work() const override {
    double bytes = 0;
    for (const std::int64_t size : sizes_) {
      bytes += 8.0 * static_cast<double>(split(size / 8, setup_.ranks, setup_.rank).size());
    }
    return bytes * repeats_;
  }

  record::Check verify() override {
    // The timed sweep ended with the largest size; the others are made once more.
    std::int64_t wrong = count_wrong(sizes_.back());
    for (const std::int64_t size : sizes_) {
      std::fill(receive_.begin(), receive_.end(), -1.0);
      reduce(size);
      wrong += count_wrong(size);
    }
    std::int64_t all = 0;
    MPI_Reduce(&wrong, &all, 1, MPI_INT64_T, MPI_SUM, 0, setup_.comm);
    return {all == 0, std::to_string(all) + " wrong sums in " + std::to_string(sizes_.size()) +
                          " message sizes over all ranks"};
  }

  void spoil() override { receive_[0] += 1; }

  std::vector<record::Metric> metrics() override {
    const std::vector<double> seconds = slowest_medians(setup_.comm, history_);
    if (setup_.rank != 0) return {};
    std::vector<MessageTime> times;
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      times.push_back({static_cast<double>(sizes_[s]), std::max(seconds[s], 1e-9)});
    }
    const MessageFit fit = fit_messages(times);
    return {
        {"alpha", fit.alpha, "s"},
        {"beta", fit.beta, "s/byte"},
        {"busbw", bus_bandwidth(times.back().bytes, times.back().seconds, setup_.ranks), "GB/s"},
        {"fit_error", fit.relative_error, ""}};
  }

 private:
  void reduce(std::int64_t bytes) {
    MPI_Allreduce(send_.data(), receive_.data(), static_cast<int>(bytes / 8), MPI_DOUBLE, MPI_SUM,
                  setup_.comm);
  }

  // Sums of small whole numbers are exact in any order.
  std::int64_t count_wrong(std::int64_t bytes) const {
    const double ranks = setup_.ranks;
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(bytes / 8); ++i) {
      const double expected = ranks * static_cast<double>(i % 1000) + ranks * (ranks - 1) / 2;
      if (receive_[i] != expected) ++wrong;
    }
    return wrong;
  }

  const Setup& setup_;
  std::vector<std::int64_t> sizes_;
  int repeats_;
  bool warmup_ = false;
  std::vector<double> send_, receive_;
  std::vector<double> times_;                 // seconds per all-reduce of each size, this iteration
  std::vector<std::vector<double>> history_;  // of the timed iterations
};

}  // namespace
}  // namespace kneepoint::workloads

int main(int argc, char** argv) {
  using namespace kneepoint::workloads;
  return run_workload(argc, argv, kDescription, make_workload<Allreduce>);
}

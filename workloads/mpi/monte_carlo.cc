// SPDX-License-Identifier: Apache-2.0
//
// monte_carlo: estimates pi from random points, without communication. The points come from a
// counter-based generator and are counted in integers, so the answer is the same to the last digit
// for any number of ranks and threads.
#include <cmath>
#include <numbers>

#include "workloads/harness/harness.h"
#include "workloads/numerics/counter_random.h"
#include "workloads/numerics/kernels.h"
#include "workloads/numerics/split.h"

namespace kneepoint::workloads {
namespace {

const Description kDescription = {"monte_carlo",
                                  "pi from random points; no communication",
                                  "global number of samples (points)",
                                  "10000000",
                                  1,
                                  1e15,
                                  {}};

std::int64_t hits_of_pair(std::uint64_t seed, std::uint64_t pair, bool both) {
  const PhiloxWords w =
      philox({static_cast<std::uint32_t>(pair), static_cast<std::uint32_t>(pair >> 32), 0, 0},
             static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  return in_circle(w.w0, w.w1) + (both ? in_circle(w.w2, w.w3) : 0);
}

class MonteCarlo final : public Workload {
 public:
  explicit MonteCarlo(const Setup& setup)
      : setup_(setup), pairs_(split((setup.size() + 1) / 2, setup.ranks, setup.rank)) {
    half_pair_ = setup.size() % 2 == 1 && pairs_.size() > 0 && pairs_.end * 2 > setup.size();
  }

  void iterate(Timers& timers) override {
    const auto scope = timers.compute();
    const std::int64_t whole = pairs_.size() - (half_pair_ ? 1 : 0);
    hits_ = count(pairs_.begin, whole);
    if (half_pair_) hits_ += hits_of_pair(setup_.options.seed, last_pair(), false);
  }

  double work() const override { return static_cast<double>(points()); }

  record::Check verify() override {
    // The first pairs of this rank once more, one by one.
    const std::int64_t some = std::min<std::int64_t>(pairs_.size() - (half_pair_ ? 1 : 0), 4096);
    std::int64_t plain = 0;
    for (std::int64_t i = 0; i < some; ++i) {
      plain +=
          hits_of_pair(setup_.options.seed, static_cast<std::uint64_t>(pairs_.begin + i), true);
    }
    const std::int64_t mine[3] = {points(), hits_, plain != count(pairs_.begin, some) ? 1 : 0};
    std::int64_t all[3] = {0, 0, 0};
    MPI_Reduce(mine, all, 3, MPI_INT64_T, MPI_SUM, 0, setup_.comm);
    const double n = static_cast<double>(setup_.size());
    const double probability = std::numbers::pi / 4;
    const double deviations = (static_cast<double>(all[1]) - n * probability) /
                              std::sqrt(n * probability * (1 - probability));
    char detail[200];
    std::snprintf(detail, sizeof detail,
                  "%lld of %lld points counted, %lld ranks differ from a plain recount, estimate "
                  "%.2f standard deviations from pi (allowed 6)",
                  static_cast<long long>(all[0]), static_cast<long long>(setup_.size()),
                  static_cast<long long>(all[2]), deviations);
    return {all[0] == setup_.size() && all[2] == 0 && std::abs(deviations) <= 6, detail};
  }

  void spoil() override { hits_ += 100 + points() / 8; }

  std::vector<record::Metric> metrics() override {
    std::int64_t all = 0;
    MPI_Reduce(&hits_, &all, 1, MPI_INT64_T, MPI_SUM, 0, setup_.comm);
    return {{"pi", 4 * static_cast<double>(all) / static_cast<double>(setup_.size()), ""}};
  }

 private:
  std::uint64_t last_pair() const { return static_cast<std::uint64_t>(pairs_.end - 1); }
  std::int64_t points() const { return 2 * pairs_.size() - (half_pair_ ? 1 : 0); }
  std::int64_t count(std::int64_t first, std::int64_t pairs) const {
    return kernels().circle_hits(setup_.options.seed, static_cast<std::uint64_t>(first),
                                 static_cast<std::uint64_t>(pairs));
  }

  const Setup& setup_;
  Range pairs_;
  bool half_pair_ = false;  // this rank has the odd last point
  std::int64_t hits_ = 0;
};

}  // namespace
}  // namespace kneepoint::workloads

int main(int argc, char** argv) {
  using namespace kneepoint::workloads;
  return run_workload(argc, argv, kDescription, make_workload<MonteCarlo>);
}

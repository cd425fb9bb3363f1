// SPDX-License-Identifier: Apache-2.0
//
// synthetic: takes exactly the time of a formula (numerics/time_models.h), for tests and demos.
// `--work sleep` needs no CPU and is marked emulated by whoever plans it. K is --workers; the work
// it reports is its share of the problem: 1 in total in strong mode, K in weak mode.
#include "workloads/harness/harness.h"
#include "workloads/harness/timers.h"
#include "workloads/numerics/time_models.h"

namespace kneepoint::workloads {
namespace {

const Description kDescription = {
    "synthetic",
    "takes the time of a formula: s + (1-s)/K + c log2 K, or s + (1-s) + c log2 K in weak mode",
    "not used: the time depends on K alone",
    "",
    0,
    0,
    {{"seconds", "0.1", "T(1) of one iteration", 1e-6, 1e6, false, {}},
     {"s", "0.05", "serial fraction", 0, 1, false, {}},
     {"c", "0.01", "coefficient of log2 K", 0, 1e6, false, {}},
     {"work", "busy", "busy or sleep", 0, 0, false, {"busy", "sleep"}},
     {"noise", "0", "relative deviation of an iteration's time, seeded", 0, 1, false, {}}}};

class Synthetic final : public Workload {
 public:
  explicit Synthetic(const Setup& setup)
      : setup_(setup),
        sleeps_(setup.options.word("work") == "sleep"),
        exact_(synthetic_time(setup.number("seconds"), setup.number("s"), setup.number("c"),
                              setup.workers, setup.options.weak)) {}

  bool sleeps() const override { return sleeps_; }

  void prepare(int iteration, bool) override {
    const double factor = synthetic_noise(setup_.number("noise"), setup_.options.seed, iteration);
    compute_ = from_seconds(exact_.compute * factor);
    communication_ = from_seconds(exact_.communication * factor);
  }

  void iterate(Timers& timers) override {
    const Nanoseconds start = system_clock().steady();
    {
      const auto scope = timers.compute();
      pass_until(start + compute_);
    }
    if (communication_ > 0) {
      const auto scope = timers.communication();
      pass_until(start + compute_ + communication_);
    }
    elapsed_ = system_clock().steady() - start;
  }

  double work() const override {
    return (setup_.options.weak ? static_cast<double>(setup_.workers) : 1.0) / setup_.ranks;
  }

  // Never faster than the formula, on any rank; how much slower is what the samples say.
  record::Check verify() override {
    const Nanoseconds lead = compute_ + communication_ - elapsed_;
    Nanoseconds most = 0;
    MPI_Reduce(&lead, &most, 1, MPI_INT64_T, MPI_MAX, 0, setup_.comm);
    return {most <= 0, "the last iteration took " + to_duration_text(elapsed_) +
                           ", the formula says " + to_duration_text(compute_ + communication_)};
  }

  void spoil() override { elapsed_ = 0; }

 private:
  void pass_until(Nanoseconds steady) const {
    if (sleeps_) {
      sleep_until(steady);
    } else {
      spin_until(steady);
    }
  }

  const Setup& setup_;
  bool sleeps_;
  SyntheticTime exact_;
  Nanoseconds compute_ = 0;
  Nanoseconds communication_ = 0;
  Nanoseconds elapsed_ = 0;
};

}  // namespace
}  // namespace kneepoint::workloads

int main(int argc, char** argv) {
  using namespace kneepoint::workloads;
  return run_workload(argc, argv, kDescription, make_workload<Synthetic>);
}

// SPDX-License-Identifier: Apache-2.0
//
// The harness: it owns MPI_Init, the warm-up, the clock, the reductions and the records; a workload
// owns its data and one iteration. The rule: nothing that only measuring needs may happen inside
// iterate().
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/wire/record.h"
#include "orchestrator/base/result.h"
#include "workloads/harness/command_line.h"
#include "workloads/harness/timers.h"

namespace kneepoint::workloads {

// What a workload is made from.
struct Setup {
  const Description& description;
  Options options;
  MPI_Comm comm;
  int rank = 0;
  int ranks = 1;
  int workers = 1;

  std::int64_t size() const { return static_cast<std::int64_t>(options.size); }
  double number(const std::string& name) const { return options.number(name); }
  std::int64_t whole(const std::string& name) const {
    return static_cast<std::int64_t>(number(name));
  }
};

class Workload {
 public:
  virtual ~Workload() = default;

  // Collective, untimed, before all else: takes what it needs of the machine. A failure, the same
  // on every rank (see first_failure), is reported and ends the program with 4.
  virtual std::optional<record::Failure> begin() { return std::nullopt; }
  virtual void prepare(int /*iteration*/, bool /*warmup*/) {}  // untimed, before each iteration
  virtual void iterate(Timers& timers) = 0;                    // timed
  virtual double work() const = 0;                             // of this rank in one iteration
  virtual bool sleeps() const { return false; }                // emulated: wait without spinning

  // The rest is collective and untimed, after the last iteration; what rank 0 returns counts.
  virtual record::Check verify() = 0;
  virtual void spoil() = 0;  // damages the answer on one rank at least, for --break-answer
  virtual std::vector<record::Metric> metrics() { return {}; }
  virtual std::vector<std::pair<std::string, std::string>> facts() const { return {}; }
};

// Every rank gets the same verdict: an Error is one of the arguments and ends the program with 2.
using Factory = std::function<Result<std::unique_ptr<Workload>>(const Setup&)>;

// For a workload that takes any arguments.
template <typename W>
Result<std::unique_ptr<Workload>> make_workload(const Setup& setup) {
  return std::unique_ptr<Workload>(std::make_unique<W>(setup));
}

std::string this_node();  // where this rank runs, by name

// Collective: what the lowest rank with a failure says, on every rank.
std::optional<record::Failure> first_failure(MPI_Comm comm,
                                             const std::optional<record::Failure>& mine);

// Ends all ranks from this one, anywhere after the start: the failure goes to stderr and, where it
// is in reach, to the file of records; then MPI_Abort with status 4.
[[noreturn]] void fail_run(const Setup& setup, const record::Failure& failure);

// main() of every workload.
int run_workload(int argc, char** argv, const Description& description, const Factory& make);

}  // namespace kneepoint::workloads

// SPDX-License-Identifier: Apache-2.0
//
// The seam: how steps reach machines. One instance per site, called from one thread, every call
// bounded by its deadline; past it the answer is ErrorCode::timeout and the next tick looks the
// name up again. Implementations have no header: backend_table() names them all. tests/contract is
// the definition of what a launcher must do.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/io/poller.h"
#include "orchestrator/model/attempt.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

struct Starter {
  StarterKind kind = StarterKind::none;
  std::vector<std::string> options;
};

// One attempt of one run, on the first `shape.nodes` nodes of its allocation.
struct Step {
  std::string attempt;  // unique name, e.g. "r17-a1" within the study
  std::string run_dir;  // absolute; the agent claims it by exclusive mkdir
  Shape shape;
  Command command;    // of one rank
  std::string image;  // Kubernetes: instead of the site's; "": that
  Starter starter;
  std::vector<MetricSpec> metrics;
  ProgramSpec program;
  Nanoseconds noise_sample = 0;  // 0: no sampling
  std::string profile = "none";  // none | mpi: the agent preloads the profile of MPI calls
  bool own_harness = false;      // must report samples and an end of its own
  bool emulated = false;         // sleeps: takes no CPU slot
  bool oversubscribed = false;   // more ranks × threads than cores, on purpose
  bool measure_machine =
      false;  // the workload states flops: what can the machine do? Once per boot
  Nanoseconds limit = 0;
  double modelled_seconds = 0;  // simulated backend: T
  std::string identity;  // simulated backend: seed of this run's noise; same for all attempts
};

// One job per run has one step.
struct AllocationRequest {
  std::string name;       // kp-<hash8>-<n>-<allocation>-a<try>, at most 40 characters
  std::string directory;  // <work_dir>/<study>: where its files lie
  Shape shape;
  Nanoseconds limit = 0;
  std::vector<Step> steps;
  PushTarget push;  // where its agent pushes records to, besides its files
};

struct JobRef {
  std::string name;
  std::string directory;  // as in the request
  std::string id;         // the backend's; trusted only if name and submit time match
  Nanoseconds submitted_ns = 0;
};

enum class AllocationState { unknown, queued, running, ended };

// Times are in the backend's own clock: only compare them with each other.
struct Observation {
  JobRef job;
  AllocationState state = AllocationState::unknown;
  std::string detail;            // why it waits, or what the backend says of its end
  Reason reason = Reason::none;  // when the backend knows why it ended: node_failed, time_limit...
  bool preempted = false;
  Nanoseconds suspended_ns = 0;       // when it was last seen to stand still; 0: never
  std::string nodes;                  // where it was placed, in the backend's words; "": not known
  Nanoseconds expected_start_ns = 0;  // of a queued one, if the backend has an idea
  Nanoseconds submitted_ns = 0;
  Nanoseconds started_ns = 0;  // 0: not yet
  Nanoseconds ended_ns = 0;    // 0: not yet
  Nanoseconds observed_ns = 0;
};

struct StepArtifacts {
  std::string attempt;
  bool begun = false;
  std::string records;  // records.ndjson as it is now; may be cut anywhere
  std::string problem;  // why they can't be read, now or ever; "": none
};

struct Artifacts {
  std::vector<StepArtifacts> steps;  // in the request's order
};

struct Capabilities {
  int nodes = 1;           // 0: unknown
  int cores_per_node = 1;  // 0: unknown
  int gpus_per_node = 0;
  double cores_asked = 0;               // the site asks for so many per node; 0: by the shape
  int default_concurrent = 1;           // allocations at once when nobody says
  bool shares_cores = false;            // steps of different allocations compete for the same cores
  bool has_queue = false;               // jobs wait and run without us: leaving them there is safe
  Nanoseconds poll_interval = kSecond;  // how long it pays to wait between two observations
  Nanoseconds call_deadline = 2 * kSecond;  // what one call may take
  std::string place;                        // in the backend's words: "partition batch"; may be ""
  int nodes_down = 0;                       // of `nodes`, those that can't run anything now
  int most_nodes = 0;                       // of one allocation; 0: no limit but `nodes`
  Nanoseconds most_time = 0;                // of one allocation; 0: no limit
  // How much longer than the limits of its steps an allocation may be held, whoever is there to end
  // it: starting, killing, the backend's own margin. Budgets reckon with it.
  Nanoseconds overrun = 0;
};

using Deadline = Nanoseconds;  // on Clock::steady()

class Launcher {
 public:
  virtual ~Launcher() = default;
  virtual Capabilities capabilities() const = 0;
  // Idempotent by name: already there = adopted, never submitted twice.
  virtual std::vector<Result<JobRef>> submit(std::span<const AllocationRequest>, Deadline) = 0;
  // One query for all. An unknown job is AllocationState::unknown, not an error.
  virtual Result<std::vector<Observation>> observe(std::span<const JobRef>, Deadline) = 0;
  // Idempotent; cancelling a finished or unknown one is ok.
  virtual std::vector<Result<void>> cancel(std::span<const JobRef>, Deadline) = 0;
  // Repeatable, also while running.
  virtual Result<Artifacts> collect(const JobRef&, Deadline) = 0;
  // What submit would hand over, as files {name, content}; for `check --emit`.
  struct EmittedFile {
    std::string name;
    std::string content;
  };
  virtual std::vector<EmittedFile> emit(const AllocationRequest&) const = 0;
  // Would the backend take this request? Its own words, or "" when it has none to say; an Error
  // says what it would refuse. Nothing is submitted.
  virtual Result<std::string> rehearse(const AllocationRequest&, Deadline) { return std::string(); }
};

// What every launcher is made with. All references outlive it.
struct LauncherContext {
  const Site& site;
  const Clock& clock;
  Poller& poller;          // to be woken when something of theirs ends
  std::string agent_path;  // absolute path of kneepoint-agent
};

struct BackendRow {
  BackendKind kind;
  Result<std::unique_ptr<Launcher>> (*make)(const LauncherContext&);
  std::string (*why_unavailable)(const Site&);  // "" = available here
};
std::span<const BackendRow> backend_table();

// The row's launcher, or an error that says why this backend can't be used here.
Result<std::unique_ptr<Launcher>> make_launcher(const LauncherContext& context);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// A cluster as a discrete-event model: nodes, a queue, a virtual clock. Pure: it does what it is
// told and nothing else moves its time, so that replaying the same calls gives the same cluster.
// What becomes of a step is drawn before it is submitted, from names and the site's seed alone. Its
// memory is a journal, and what its agents would report is made from a job alone.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/fd.h"

namespace kneepoint::simulated {

// The virtual clock starts here; 0 means "not yet" in an Observation.
constexpr Nanoseconds kEpoch = kSecond;

enum class Fate { succeeds, exits, loses_node, runs_out_of_time };
const char* to_string(Fate fate);

struct SimulatedStep {
  std::string attempt;
  double seconds = 0;  // T, exactly as the model and the noise give it
  Fate fate = Fate::succeeds;
  Nanoseconds lasts = 1;  // until its end, whichever it is; at least 1
  int nodes = 1, ranks = 1, ranks_per_node = 1, threads_per_rank = 1;
};

struct SimulatedJob {
  std::string name;
  int nodes = 1;
  Nanoseconds wait = 0;   // in the queue before it may start, nodes or not
  Nanoseconds limit = 0;  // 0: none
  std::vector<SimulatedStep> steps;

  // The cluster's part.
  AllocationState state = AllocationState::queued;
  Nanoseconds submitted = 0;
  Nanoseconds started = 0;  // 0: not yet
  Nanoseconds ended = 0;    // when running: when it will
  std::size_t step = 0;     // that runs
  Nanoseconds step_ends = 0;
  Reason reason = Reason::none;
};

// Depends only on the site's seed, the step's identity and, for failures, its attempt.
SimulatedStep draw_step(const SimulatedSite& site, const Step& step);
// Depends only on the site's seed and the allocation's name.
Nanoseconds draw_wait(const SimulatedSite& site, const std::string& allocation);

class Cluster {
 public:
  explicit Cluster(int nodes) : nodes_(nodes), free_(nodes) {}

  Nanoseconds now() const { return now_; }
  int nodes() const { return nodes_; }
  bool is_idle() const { return waiting_.empty() && running_.empty(); }
  const SimulatedJob* find(const std::string& name) const;

  // The name must be new, the nodes must fit, there must be a step.
  void submit(SimulatedJob job);
  // False: nothing to cancel.
  bool cancel(const std::string& name);
  // Everything up to and at this time happens.
  void advance_to(Nanoseconds time);
  // What one look at the cluster is worth: if nothing runs, the next start; else as many ends of
  // steps as an eighth of the jobs that run or wait, and all else that happens until then. False:
  // nothing happened.
  bool advance();

 private:
  using Entry = std::pair<Nanoseconds, std::size_t>;  // when, index: FIFO among equals

  bool next_event(Nanoseconds& time) const;
  bool settle();  // all that happens now: ends first, then starts in order, none overtaking
  void start(std::size_t index);

  int nodes_;
  int free_;
  Nanoseconds now_ = kEpoch;
  std::size_t steps_ended_ = 0;
  std::vector<SimulatedJob> jobs_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::set<Entry> waiting_;
  std::set<Entry> running_;  // by the end of the step that runs
};

// What the agents of a simulated job would have reported by now. Made from the job alone, so that
// collecting twice, or after a restart, gives the same bytes.

// All ranks of a simulated step are alike: it is enough to see some.
constexpr int kMostRankTotals = 16;

Artifacts artifacts_of(const SimulatedJob& job, Nanoseconds now);

// The journal: one line for each thing done to the cluster, appended before it is done. Reading the
// file and doing the same again gives the same cluster. A last line cut short by a crash is
// dropped: what it would have told was never answered.

// Lines, newline included.
std::string header_line(int nodes);
std::string submit_line(const SimulatedJob& job);
std::string clock_line(Nanoseconds now);
std::string cancel_line(const std::string& name);

struct Replayed {
  Cluster cluster;
  std::size_t good_bytes = 0;  // what follows is a line cut short
};
// `path` is only for messages. An empty text is a cluster of `nodes` that nobody used yet.
Result<Replayed> replay(std::string_view text, int nodes, const std::string& path);

struct Opened;
// Makes folder and file when missing.
Result<Opened> open_journal(const std::string& path, int nodes);

// An open journal. Appending is complete when it returns: a kill afterwards loses nothing.
class Journal {
 public:
  explicit Journal(Fd file) : file_(std::move(file)) {}
  Result<void> append(std::string_view lines);

 private:
  friend Result<Opened> open_journal(const std::string&, int);
  Fd file_;
  std::size_t size_ = 0;  // bytes of whole lines
};

struct Opened {
  Cluster cluster;
  Journal journal;
};

}  // namespace kneepoint::simulated

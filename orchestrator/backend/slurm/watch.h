// SPDX-License-Identifier: Apache-2.0
//
// SlurmWatch: from what Slurm and the job's own files tell to one Observation. Slurm's memory is
// short, its accounting late, and a shared folder may show a file a minute after it was written, so
// nothing is called lost before all three had their time. Starts and submits nothing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "orchestrator/backend/allocation_files.h"
#include "orchestrator/backend/launcher.h"
#include "orchestrator/backend/slurm/transport.h"

namespace kneepoint {

// What a Slurm job's own files tell, whatever Slurm still knows of it: what did the batch script
// say, did the job stand still; and the nodes that failed under a study.

// The last line that the batch script wrote, cut to a sentence; "": none.
std::string last_output_line(const std::string& output_path);

// Why nothing can be written there, as this host sees it: full or read-only; "": nothing is wrong.
std::string folder_trouble(const std::string& directory);

// <directory>/<name>.suspended: when the job was last seen to stand still, for the next controller;
// 0: never.
Result<void> note_suspended(const std::string& directory, const std::string& name,
                            Nanoseconds wall);
Nanoseconds read_suspended(const std::string& directory, const std::string& name);

// Is a process on this host submitting a job of that name? An sbatch outlives the controller that
// started it.
bool is_being_submitted(const std::string& name, const std::string& script_path);

// <directory>/failed-nodes.txt: one node a line.
std::vector<std::string> read_failed_nodes(const std::string& directory);
Result<void> add_failed_nodes(const std::string& directory, const std::vector<std::string>& nodes);
// <directory>/failed-starts.txt: the node of each allocation that ended before a step began. How
// many it has now.
Result<int> add_failed_start(const std::string& directory, const std::string& node);

// What each state of a Slurm job means for the allocation, and the sentence for people. Pure; one
// table, with the words of 21.08 to 25.x. A state that the table lacks is taken for running: the
// next look, or the plan's time limit, will tell.
struct SlurmMeaning {
  AllocationState state = AllocationState::unknown;
  Reason reason = Reason::none;
  bool preempted = false;
  std::string detail;
};

// `wall`: now, to tell an expected start from a past one.
SlurmMeaning meaning_of(const SlurmJob& job, Nanoseconds wall);

// How long to leave the controller alone between two looks: the longer nothing changed, the longer,
// from a second to a minute; to 15 s while something runs.
Nanoseconds look_interval(Nanoseconds since_last_change, bool any_running);

// An allocation as its launcher knows it. Moments are on the steady clock; 0: not so.
struct SlurmAllocation : RemoteJob {
  using RemoteJob::RemoteJob;
  Nanoseconds doubtful_until = 0;  // it was submitted without an answer: it may turn up until then
  Nanoseconds missing_since = 0;   // Slurm does not list it
  Nanoseconds late_since = 0;      // over for Slurm, but not by its files
  Nanoseconds asked_since = 0;     // who cancelled it?
  Nanoseconds completing_since = 0;  // its nodes are being cleaned
  Nanoseconds changed = 0;           // its state, as far as we know
  bool begun = false;                // one of its steps
  bool ran = false;                  // by a list of Slurm's, an earlier one than the present
  bool requeued = false;             // it ran and is in the queue again
  AllocationState state = AllocationState::queued;
};

class SlurmWatch {
 public:
  SlurmWatch(SlurmTransport& transport, const SlurmCluster& cluster, const Clock& clock)
      : transport_(transport), cluster_(cluster), clock_(clock) {}

  // One query, unless the last one is recent enough for jobs that change so seldom.
  // True: it was made.
  Result<bool> look_if_due(Deadline deadline);
  Result<void> look(Deadline deadline);
  void look_soon() { next_look_ = 0; }

  // By name and folder; of several, the one with the id, else the newest.
  const SlurmJob* listed(const JobRef& ref) const;

  // One accounting query for all that the list lacks, if there is accounting. While it refuses, a
  // job that is not listed stays what it was.
  Result<void> ask_accounting(const std::vector<SlurmAllocation*>& missing, Deadline deadline);
  const SlurmJob* recorded(const JobRef& ref) const;

  Observation observe(SlurmAllocation& job, Deadline deadline);
  // Is anything to be learnt of it only from accounting?
  bool needs_accounting(const SlurmAllocation& job) const;
  // Has it left the list without an end that its files tell?
  bool is_in_doubt(const SlurmAllocation& job) const;
  // The next look comes the later the longer nothing has changed.
  void schedule(const std::vector<SlurmAllocation*>& jobs);

 private:
  using Jobs = std::unordered_map<std::string, std::vector<SlurmJob>>;  // by name and folder
  static std::string key_of(const std::string& name, const std::string& directory);
  static const SlurmJob* pick(const Jobs& jobs, const JobRef& ref);

  Observation digest(SlurmAllocation& job, const SlurmJob& told, Deadline deadline);
  Observation ended(SlurmAllocation& job, const SlurmJob& told, Observation seen,
                    Deadline deadline);
  Observation not_listed(SlurmAllocation& job);
  // How long the files of an ended job are waited for; 0: they tell enough, or there will be none.
  static Nanoseconds patience_for(const SlurmAllocation& job, const SlurmJob& told);
  static AllocationState as_far_as_begun(SlurmAllocation& job);
  void take_back(SlurmAllocation& job, Deadline deadline);
  void note_suspension(SlurmAllocation& job, const SlurmJob& told) const;
  void note(SlurmAllocation& job, AllocationState state) const;
  // A node on which allocations end before a step begins gets no more of them after the second; it
  // is named, or "".
  std::string note_failed_start(const SlurmAllocation& job) const;
  void remember_failed_nodes(const SlurmAllocation& job, const SlurmJob& told, Deadline deadline);

  SlurmTransport& transport_;
  const SlurmCluster& cluster_;
  const Clock& clock_;
  Jobs listed_, recorded_;
  Nanoseconds last_look_ = 0, next_look_ = 0;
  Nanoseconds asked_wall_ = 0;     // when the list was asked for
  std::string accounting_silent_;  // its last refusal; "": it answered
};

}  // namespace kneepoint

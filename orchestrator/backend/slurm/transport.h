// SPDX-License-Identifier: Apache-2.0
//
// SlurmTransport: how the Slurm launcher talks to Slurm; the commands (sbatch, squeue, sacct,
// scancel) and slurmrestd implement it. A transport keeps no memory of jobs and decides nothing:
// names, adoption, waiting for accounting and the meaning of states are the launcher's.
// Every call is bounded by its deadline. ErrorCode::timeout from submit means "may have arrived".
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "orchestrator/backend/launcher.h"

namespace kneepoint {

// One job to be, without any transport's syntax.
struct SlurmSubmission {
  std::string name;
  std::string directory;    // the job's working directory; with the name it is the job's identity
  std::string script;       // the whole batch script
  std::string script_path;  // where the launcher has written that very script
  std::string output_path;  // stdout and stderr of the script
  int nodes = 1;            // exactly so many
  int tasks = 1;            // in all
  int tasks_per_node = 1;   // at most
  int cpus_per_task = 1;
  int gpus_per_node = 0;
  bool overcommit = false;           // more tasks than CPUs on purpose: ask for one CPU a node
  Nanoseconds limit = 0;             // rounded up to whole minutes by Slurm
  std::vector<std::string> exclude;  // nodes it must not get
};

// The base state of a job: "PENDING", "NODE_FAIL"...; never "CANCELLED by 0". Only those that the
// launcher tells apart have a kind; what each word means is in words.cc.
struct SlurmState {
  enum Kind {
    other,
    pending,
    configuring,
    running,
    suspended,
    stopped,
    completed,
    failed,
    cancelled,
    timeout,
    out_of_memory,
    deadline,
  };
  SlurmState() = default;
  template <typename Text>
  requires std::is_convertible_v<const Text&, std::string_view> SlurmState(const Text& its_word)
      : SlurmState(std::string_view(its_word)) {}
  SlurmState(std::string_view its_word);
  bool operator==(Kind one) const { return kind == one; }

  std::string word;
  Kind kind = other;
};

// One job as Slurm tells of it, whatever transport and version. Times are Slurm's own, in whole
// seconds since the epoch as nanoseconds; 0: none.
struct SlurmJob {
  std::string id;
  std::string name;
  std::string directory;
  SlurmState state;
  bool completing = false;  // over, but its nodes are still being cleaned
  std::string reason;       // why it waits, or why it ended: "Priority", "NodeDown"; "": none
  std::string nodes;        // "n[1-4]"; "": none yet
  std::string failed_node;
  std::string ended_by;  // uid of who cancelled it, if known
  Nanoseconds submitted = 0;
  Nanoseconds started = 0;  // of a pending job: when Slurm expects to start it
  Nanoseconds ended = 0;
  int exit_code = 0;
  int signal = 0;
};

struct SlurmPartition {
  int nodes = 0;           // whatever their state
  int nodes_up = 0;        // of them not down, drained or failed
  int cores_per_node = 0;  // of the smallest one
  int gpus_per_node = 0;
  int most_nodes = 0;          // of one job; 0: no limit
  Nanoseconds time_limit = 0;  // 0: none
};

// What a cluster says of itself, and of the partition that is used. Asked once, when the launcher
// is made.
struct SlurmCluster : SlurmPartition {
  std::string version;  // "22.05.8"
  bool has_accounting = false;
  bool excludes_nodes = true;  // a request can name nodes that it does not want
  std::string partition;       // the site's, or Slurm's default one; "": there is no default
  std::vector<std::string> partitions;
};

class SlurmTransport {
 public:
  virtual ~SlurmTransport() = default;
  // Reachable? The error is one sentence with Slurm's own words and what to change.
  virtual Result<SlurmCluster> cluster(Deadline) = 0;
  // Does it hand the script over as a file? Else it travels in the request.
  virtual bool reads_script_file() const { return true; }
  // The ids, in order. Not idempotent: the launcher has made sure that none of the names is there.
  virtual std::vector<Result<std::string>> submit(std::span<const SlurmSubmission>, Deadline) = 0;
  // All jobs of this user that the controller has in memory, ended ones too. One query, however
  // many jobs.
  virtual Result<std::vector<SlurmJob>> list(Deadline) = 0;
  // One job by its id, where that is cheaper than list(); ErrorCode::unsupported where it isn't.
  virtual Result<SlurmJob> find(const std::string&, Deadline) {
    return Error{ErrorCode::unsupported, "list() is as cheap", false};
  }
  // What accounting knows of jobs with these names, submitted at or after `since` (wall clock).
  // ErrorCode::unsupported: this cluster has none. It lags some seconds behind list().
  virtual Result<std::vector<SlurmJob>> history(const std::vector<std::string>& names,
                                                Nanoseconds since, Deadline) = 0;
  // By id. A job that is over or unknown is fine.
  virtual std::vector<Result<void>> cancel(std::span<const std::string> ids, Deadline) = 0;
  // Would Slurm take it? Its own words when and where; an Error with its own words why not.
  virtual Result<std::string> rehearse(const SlurmSubmission&, Deadline) = 0;
  // Of these nodes ("n[1-4]") those that can't run anything now.
  virtual Result<std::vector<std::string>> down_nodes(const std::string& nodes, Deadline) = 0;
  // What submit would hand over, for `check --emit`; {name, content}.
  virtual std::vector<Launcher::EmittedFile> emit(const SlurmSubmission&) const = 0;
};

// The implementations. Nothing is asked of Slurm yet.
std::unique_ptr<SlurmTransport> make_slurm_commands(const LauncherContext& context);
std::unique_ptr<SlurmTransport> make_slurm_rest(const LauncherContext& context);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Site: where a plan runs. Only plan/site_reader makes one from a file. Secrets appear only as
// file paths or names of environment variables, never as values.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/clock.h"

namespace kneepoint {

enum class BackendKind { local, slurm, kubernetes, simulated };
const char* to_string(BackendKind kind);

// How the ranks of a step are started.
enum class StarterKind { mpirun, none };
const char* to_string(StarterKind kind);

struct SimulatedSite {
  int nodes = 16;
  int cores_per_node = 64;
  int gpus_per_node = 0;
  double noise = 0;               // relative deviation of T; 0: the formula exactly
  double failure_rate = 0;        // of an attempt
  double queue_wait_seconds = 0;  // mean, exponential
  std::uint64_t seed = 1;
  double default_seconds = 1;  // T of a workload without a model
};

// How runs are handed over: one allocation for each, or many runs as steps of one allocation, so
// that queue wait is paid once and the curve of a study is drawn on one set of nodes.
enum class PackingMode { one_per_run, packed };
const char* to_string(PackingMode mode);

struct Packing {
  PackingMode mode = PackingMode::one_per_run;
  int allocations = 1;            // packed: at once; the runs are spread over them
  int steps = 0;                  // packed: at most so many in one allocation; 0: as many as fit
  Nanoseconds limit = 4 * kHour;  // packed: the longest allocation to ask for
};

struct SiteLimits {  // ceilings: the smaller of site and plan wins; 0: none
  int nodes = 0;
  int concurrent = 0;
  int cores = 0;  // local: use at most this many
  double node_hours = 0;
};

struct Site {
  std::string name = "local";
  BackendKind backend = BackendKind::local;
  std::string work_dir;  // run directories; empty: beside the database
  std::string programs;  // folder of our workloads; empty: beside this program
  std::string agent;     // path of kneepoint-agent; empty: beside this program
  StarterKind starter = StarterKind::mpirun;
  std::vector<std::string> starter_options;
  std::vector<std::pair<std::string, std::string>> environment;
  SimulatedSite simulated;
  Packing packing;
  SiteLimits limits;
  std::string text;  // the file's bytes; empty for the built-in local site
  std::string path;
};

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Site: where a plan runs. Only plan/site_reader makes one from a file. Secrets appear only as
// file paths or names of environment variables, never as values.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/clock.h"

namespace kneepoint {

// `imported` runs nothing: the times of such a study came from a table.
enum class BackendKind { local, slurm, kubernetes, simulated, imported };
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
  SiteLimits limits;
  std::string text;  // the file's bytes; empty for the built-in local site
  std::string path;
};

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The allocation file: what a launcher asks an agent to do, as a plain value. The launcher writes
// it under a temporary name and renames it, so a file that doesn't read is wrong, never half done.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orchestrator/base/result.h"

namespace kneepoint::agent {

// A number to take from the output: first capture group of the last match.
struct MetricPattern {
  std::string name;
  std::string pattern;
  std::string unit;
  std::string from = "stdout";  // stdout | stderr; "time" also mpi | probe, without a pattern
};

struct StepSpec {
  std::string attempt;
  std::string run_dir;            // absolute
  std::vector<std::string> argv;  // complete: the starter's part included
  std::vector<std::pair<std::string, std::string>> env;
  std::int64_t limit_ns = 0;  // 0: none
  bool own_harness = false;   // must report samples and its own end
  int ranks = 1;
  int threads_per_rank = 1;
  int nodes = 0;      // how many of the allocation's; 0: not told
  std::string place;  // srun | mpirun: it must be told which nodes; "": it has them all, or one
  std::string bind = "none";  // core | socket | none
  bool emulated = false;
  bool oversubscribed = false;
  std::string node_names;        // the agent's own note: "n[1-2]"; "": not known
  std::string program;           // of a rank; "": not told, then argv[0] unless it is a starter
  bool measure_machine = false;  // if nobody has since the node booted
  std::string profile = "none";  // none | mpi: preload the profile of MPI calls
  std::vector<MetricPattern> metrics;
};

struct AllocationFile {
  std::string name;
  std::vector<StepSpec> steps;
};

Result<AllocationFile> parse_allocation(std::string_view text);

}  // namespace kneepoint::agent

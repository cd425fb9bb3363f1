// SPDX-License-Identifier: Apache-2.0
//
// The allocation file: what a launcher asks an agent to do, as a plain value. The launcher writes
// it under a temporary name and renames it, so a file that doesn't read is wrong, never half done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orchestrator/base/result.h"

namespace kneepoint::agent {

// A number to take from the output: first capture group of the last match, or a value of JSON.
struct MetricPattern {
  std::string name;
  std::string pattern;
  std::string unit;
  std::string from = "stdout";  // stdout | stderr | file; "time" also mpi | probe
  std::string file;             // in the run's folder
  std::string json;             // a path, instead of `pattern`
  std::string better;           // lower | higher; "": not said
};

// What must hold besides a good end. One of the four kinds.
struct SanityRule {
  enum class Kind { must_match, must_not_match, exit_codes, metric };
  Kind kind = Kind::must_match;
  std::string pattern;
  std::string from = "stdout";
  std::string file;
  std::vector<int> exit_codes;
  std::string metric;
  std::optional<double> at_least, at_most, equals;
  double tolerance = 0;
  bool relative = false;
};

// A file for the run's folder: a link to `from`, or made of `content`.
struct InputSpec {
  std::string name;
  std::string from;
  std::string content;
  bool executable = false;
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
  std::vector<SanityRule> sanity;
  bool own_folder = false;  // runs in run_dir/work
  std::vector<InputSpec> inputs;
  std::vector<std::string> keep;     // patterns of files in that folder
  std::int64_t keep_bytes = 0;       // of all of them
  std::int64_t noise_sample_ns = 0;  // 0: no sampling
};

// Where records go while the steps run, besides the run directory. The token never leaves the
// agent and its pusher.
struct PushSpec {
  std::string url;    // https://HOST:PORT
  std::string token;  // of this allocation
  std::string ca;     // PEM: whom to trust; "": whom the system trusts
};

struct AllocationFile {
  std::string name;
  std::optional<PushSpec> push;
  std::vector<StepSpec> steps;
};

Result<AllocationFile> parse_allocation(std::string_view text);

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// What a plan says of a program beyond its command line: which numbers to take from what it printed
// or wrote (MetricSpec), when its answer is wrong (SanityRule), both as its agent is told; which
// files it needs and which are kept. Plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/wire/allocation.h"

namespace kneepoint {

// A file made visible in the run's folder.
struct InputFile {
  std::string name;    // its path there: "mesh/a.dat"
  std::string source;  // absolute; "": `content` is all there is
  std::string sha256;
  std::uint64_t size = 0;
  bool executable = false;
  std::shared_ptr<const std::string> content;  // of small ones; for sites without shared folders
};

// A run has a folder of its own (`work` in its run directory) if any of this needs one.
struct ProgramSpec {
  bool own_folder = false;
  std::vector<SanityRule> sanity;
  std::vector<std::string> keep;    // patterns of files in the run's folder
  std::vector<std::string> inputs;  // files and folders as the plan names them
  std::vector<InputFile> staged;    // the files that `inputs` come to; filled in by who may read
};

// Samples of what else goes on on a node while a run is timed, and when that is too much.
struct NoiseSpec {
  std::int64_t sample_ns = 0;        // 0: no sampling
  std::optional<double> steal;       // largest share of CPU time taken by the hypervisor
  std::optional<double> others;      // cores that other programs may use
  std::optional<double> clock_drop;  // share by which the clock may fall below its highest
  std::optional<double> throttle;    // share of samples in which a GPU may be throttled
  int repeat = 0;  // attempts more for a run beyond a limit, which then does not count; 0: flag it

  bool has_limit() const { return steal || others || clock_drop || throttle; }
};

}  // namespace kneepoint

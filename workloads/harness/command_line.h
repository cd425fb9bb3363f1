// SPDX-License-Identifier: Apache-2.0
//
// The command line that every workload understands. Pure: reading it neither prints nor exits.
// `--size 512 --mode strong --workers 4 --warmup 1 --iterations 5 --seed 1 [--min-time 2.0]
// [--<parameter> value]...`; sizes are global, whatever the mode.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"

namespace kneepoint::workloads {

// A parameter of one workload. Numbers are checked against their bounds; words against the list.
struct ParameterRule {
  std::string name;
  std::string default_value;
  std::string meaning;
  double least = 0;
  double most = 0;
  bool whole = false;
  std::vector<std::string> words;  // not empty: one of these, and no number
  std::string placeholder = "";    // of its value in the help; "" in a workload's own
};

// What a program says of itself.
struct Description {
  std::string name;     // jacobi3d
  std::string summary;  // one line
  std::string size_meaning;
  std::string default_size;  // empty: the workload has no size and accepts any
  double least_size = 1;
  double most_size = 1e18;
  std::vector<ParameterRule> parameters;
  bool uses_gpu = false;  // may end with status 4
};

struct Options {
  double size = 0;
  bool weak = false;
  int workers = 0;  // 0: not told; as many as ranks
  int warmup = 1;
  int iterations = 5;
  Nanoseconds min_time = 0;  // > 0: replaces iterations
  std::uint64_t seed = 1;
  bool help = false;
  // For tests only, and therefore not in --help: the workload damages its answer before checking
  // it, which proves that wrong answers are caught.
  bool break_answer = false;
  std::map<std::string, std::string> values;  // of all parameters

  double number(const std::string& name) const;
  const std::string& word(const std::string& name) const;
};

Result<Options> parse_command_line(const Description& description,
                                   const std::vector<std::string>& arguments);

std::string help_text(const Description& description);

}  // namespace kneepoint::workloads

// SPDX-License-Identifier: Apache-2.0
//
// Starting programs. An argument vector, never a shell; everything of ours is O_CLOEXEC; the child
// gets a clean signal mask.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

struct SpawnOptions {
  std::vector<std::string> argv;                                 // argv[0] is looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment;  // added to or replacing ours
  // Ours that it doesn't get: names that begin so, unless they stand in `environment`.
  std::vector<std::string> without_prefixes;
  bool new_session = false;  // survives our terminal and us
  std::string output_path;   // stdout and stderr, appended; "" = /dev/null
  std::vector<int> cpus;     // it and its children may only run on these; empty: where we may
};

Result<pid_t> spawn(const SpawnOptions& options);

struct Captured {
  int exit_code = 0;   // 128 + signal when killed
  std::string output;  // stdout
  std::string errors;  // stderr
};
// Runs to the end; past the deadline it is killed and the answer is ErrorCode::timeout. More than
// most_bytes on one stream is an error too: half an answer is never taken for a whole one.
Result<Captured> run_captured(const SpawnOptions& options, Nanoseconds at_most,
                              std::size_t most_bytes = 16 << 20);

// Several at a time, at most `at_once`; answers in the order given. What the deadline leaves no
// time to start is ErrorCode::unavailable: unlike after a timeout, it surely did nothing.
std::vector<Result<Captured>> run_captured_all(std::span<const SpawnOptions> programs,
                                               Nanoseconds at_most, std::size_t at_once,
                                               std::size_t most_bytes = 16 << 20);

// Is there a program of this name (a path, or looked up in PATH)?
bool program_exists(const std::string& name);

}  // namespace kneepoint

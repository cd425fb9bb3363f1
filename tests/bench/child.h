// SPDX-License-Identifier: Apache-2.0
//
// Runs one program to its end and says what it took and how much memory it had at most. Limits hold
// for the time on a CPU: how long it waited for one is the machine's matter.
#pragma once

#include <string>
#include <vector>

namespace kneepoint::bench {

struct ChildEnd {
  int exit_code = -1;         // 128 + signal when killed; -1: could not be started
  double seconds = 0;         // from start to end
  double cpu_seconds = 0;     // its own and those of children that it waited for
  double peak_megabytes = 0;  // largest resident set of the program itself
  std::string output;         // stdout and stderr
};

// argv[0] is a path. `environment` is added to ours as NAME=VALUE.
ChildEnd run_child(const std::vector<std::string>& argv,
                   const std::vector<std::string>& environment);

// An empty folder below the build tree: a real disk, unlike a /tmp that may be memory.
std::string fresh_folder(const std::string& name);

void write_file(const std::string& path, const std::string& text);

}  // namespace kneepoint::bench

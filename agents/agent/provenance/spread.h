// SPDX-License-Identifier: Apache-2.0
//
// `kneepoint-agent spread`: starts a program without MPI as ranks in the first pods, with the
// variables by which such programs find each other. Rank 0 is in pod 0, and its stdout is that of
// the whole; what the others print goes to stderr with their rank before each line.
#pragma once

#include <string>
#include <vector>

#include "agents/agent/supervise/child.h"

namespace kneepoint::agent {

struct Spread {
  int pods = 1;
  int ranks_per_pod = 1;
  std::vector<std::string> passed;  // variables that go along to other pods
  std::vector<std::string> argv;
};

// What follows "spread": N [-r RANKS_PER_POD] [-x NAME]... -- COMMAND...
Result<Spread> parse_spread(const std::vector<std::string>& arguments);

// `master`: pod 0, as pods resolve it.
Environment rank_variables(const Spread& spread, const std::string& master, int rank);

// For a shell: every character stands for itself.
std::string shell_quoted(const std::string& text);
std::string shell_text(const Environment& variables, const std::vector<std::string>& argv);

// The exit code: 0 when all ranks ended so, else that of the first one that did not.
int run_spread(const Spread& spread);

}  // namespace kneepoint::agent

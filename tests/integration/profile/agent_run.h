// SPDX-License-Identifier: Apache-2.0
//
// One step under the real agent, in a folder of its own, and its records.
#pragma once

#include <string>
#include <vector>

#include "agents/wire/record.h"

namespace kneepoint::profile {

struct Setting {
  int ranks = 1;
  std::string profile = "mpi";
  std::string time_from = "mpi";         // mpi | probe; "": no metric
  std::vector<std::string> environment;  // NAME=VALUE of the step
};

struct AgentRun {
  std::string output;  // the program's
  std::string errors;
  record::Records records;
  std::string problem;  // "" if the agent did its work
};

// `argv` is the program of a rank; ranks are started by mpirun, oversubscribed.
AgentRun run_agent(const std::vector<std::string>& argv, const Setting& setting);

// 0 if there is no such operation.
const record::Operation* operation(const record::Records& records, const std::string& name);
std::string fact(const record::Records& records, const std::string& name);

}  // namespace kneepoint::profile

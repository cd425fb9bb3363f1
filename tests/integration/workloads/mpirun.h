// SPDX-License-Identifier: Apache-2.0
//
// Runs one of our programs under mpirun, the way the local launcher does, and reads its records
// the way the agent does.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agents/wire/record.h"

namespace kneepoint::workloads {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Outcome {
  int exit_code = -1;
  std::string output;
  std::string errors;
  record::Records records;           // stamped as the agent would
  std::vector<std::string> refused;  // lines that the agent would refuse
};

// Instead of a number of ranks: one rank without mpirun, which waits long after a failure.
constexpr int kAlone = 0;

// `program` is jacobi3d, ...; with_records false leaves KNEEPOINT_RECORDS unset.
Outcome mpirun(int ranks, const std::string& program, const std::vector<std::string>& arguments,
               bool with_records = true, const Environment& environment = {});

// The value of a metric; NaN if it is absent.
double metric(const record::Records& records, const std::string& name);

// The value of a fact of the workload's provenance; "" if it is absent.
std::string fact(const record::Records& records, const std::string& name);

// The work of all ranks together.
double total_work(const record::Records& records);

}  // namespace kneepoint::workloads

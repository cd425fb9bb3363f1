// SPDX-License-Identifier: Apache-2.0
//
// Where a rank really runs, and rank 0's voice: it appends records to the file that the agent
// names, or prints a small table when nobody does. One write per line, so that a reader never sees
// lines mixed.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agents/wire/record.h"
#include "orchestrator/base/fd.h"
#include "orchestrator/base/result.h"

namespace kneepoint::workloads {

using Record = std::variant<record::Provenance, record::Sample, record::RankTotal, record::Metric,
                            record::Check, record::Failure, record::Done>;

class Reporter {
 public:
  Reporter() = default;  // a table on stdout
  Reporter(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  Result<void> report(const Record& record) const;

 private:
  Fd file_;
  std::string path_;
};

// To $KNEEPOINT_RECORDS if it is set and not empty, else a table on stdout.
Result<Reporter> make_reporter();

// For a rank that must end the run at once: appends to $KNEEPOINT_RECORDS if that file is there, as
// it is for all ranks where they share the run directory.
void append_if_shared(const record::Failure& r);

// KNEEPOINT_NODE or SLURMD_NODENAME when set (several "nodes" may share one machine), else
// `processor_name`, which MPI gave.
std::string node_name(const std::string& processor_name);

// sched_getaffinity as list text: "0-3,8".
std::string allowed_cpus();

// {0,1,2,3,8} -> "0-3,8"; ascending in.
std::string cpu_list_text(const std::vector<int>& cpus);

}  // namespace kneepoint::workloads

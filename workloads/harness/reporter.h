// SPDX-License-Identifier: Apache-2.0
//
// Rank 0's voice: it appends records to the file that the agent names, or prints a small table when
// nobody does. One write per line, so that a reader never sees lines mixed.
#pragma once

#include <memory>

#include "agents/wire/record.h"
#include "orchestrator/base/result.h"

namespace kneepoint::workloads {

class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual Result<void> report(const record::Provenance& r) = 0;
  virtual Result<void> report(const record::Sample& r) = 0;
  virtual Result<void> report(const record::RankTotal& r) = 0;
  virtual Result<void> report(const record::Metric& r) = 0;
  virtual Result<void> report(const record::Check& r) = 0;
  virtual Result<void> report(const record::Failure& r) = 0;
  virtual Result<void> report(const record::Done& r) = 0;
};

// To $KNEEPOINT_RECORDS if it is set and not empty, else a table on stdout.
Result<std::unique_ptr<Reporter>> make_reporter();

// For a rank that must end the run at once: appends to $KNEEPOINT_RECORDS if that file is there, as
// it is for all ranks where they share the run directory.
void append_if_shared(const record::Failure& r);

}  // namespace kneepoint::workloads

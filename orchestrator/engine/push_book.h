// SPDX-License-Identifier: Apache-2.0
//
// PushBook: takes pushed records from the spool into the database, each once by attempt and seq,
// and only from the allocation that the attempt is a step of. An attempt whose records arrive is
// running. How it ends is still the backend's to say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "orchestrator/engine/attempt_book.h"
#include "orchestrator/engine/engine.h"
#include "orchestrator/engine/run_table.h"
#include "orchestrator/store/push_spool.h"

namespace kneepoint {

class PushBook {
 public:
  PushBook(StudyStore& store, RunTable& table, AttemptBook& book, const LiveReports& live);

  // Where the agent of this allocation pushes to; none if nobody listens.
  PushTarget target(const std::string& allocation) const;
  // All that has come, and what the endpoint has to tell; in transactions of its own.
  Result<void> take();

 private:
  Result<void> tell_news();
  Result<void> absorb(const std::vector<Push>& pushes);
  Result<void> absorb_one(const Push& push, int index);

  StudyStore& store_;
  RunTable& table_;
  AttemptBook& book_;
  const LiveReports& live_;
  SpoolReader reader_;
  bool told_of_trouble_ = false;
};

}  // namespace kneepoint

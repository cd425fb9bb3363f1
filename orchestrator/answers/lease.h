// SPDX-License-Identifier: Apache-2.0
//
// What `run` and `cancel` share: being the one process that works on a study.
#pragma once

#include <string>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// The lease of a study, given back on destruction.
class HeldLease {
 public:
  // The error names the holder and the command to watch it with.
  static Result<HeldLease> take(StudyStore& store, const StudyRow& study, const Clock& clock);
  HeldLease(HeldLease&& other) noexcept;
  HeldLease& operator=(HeldLease&&) = delete;
  ~HeldLease();
  const Lease& lease() const { return lease_; }

 private:
  HeldLease(StudyStore& store, RowId study, Lease lease);
  StudyStore* store_;
  RowId study_;
  Lease lease_;
};

}  // namespace kneepoint

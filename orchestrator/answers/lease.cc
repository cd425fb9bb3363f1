// SPDX-License-Identifier: Apache-2.0
//
// Leases end with the process that holds them, however it ends: a dead holder's lease is free.
#include "orchestrator/answers/lease.h"

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/log.h"

namespace kneepoint {

HeldLease::HeldLease(StudyStore& store, RowId study, Lease lease)
    : store_(&store), study_(study), lease_(std::move(lease)) {}

HeldLease::HeldLease(HeldLease&& other) noexcept
    : store_(other.store_), study_(other.study_), lease_(std::move(other.lease_)) {
  other.store_ = nullptr;
}

HeldLease::~HeldLease() {
  if (store_ == nullptr) return;
  if (auto released = store_->release_lease(study_); !released) {
    log_warning("", "the lease could not be given back: " + released.error().message);
  }
}

Result<HeldLease> HeldLease::take(StudyStore& store, const StudyRow& study, const Clock& clock) {
  const Lease lease = own_lease(clock);
  TRY(store.acquire_lease(study.row, lease, is_process_alive));
  return HeldLease(store, study.row, lease);
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Who drives a study, and what others want of it. A holder on this host is asked for by its pid;
// one on another host is given up when its heartbeat is a minute old.
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kLeaseAge = 60 * kSecond;

bool is_held(const Lease& holder, const Lease& wanted, Nanoseconds age,
             bool (*alive)(const Lease& holder)) {
  if (holder.host != wanted.host) return age <= kLeaseAge;
  return holder.pid != wanted.pid && alive(holder);
}

}  // namespace

Result<std::optional<Lease>> StudyStore::lease(RowId study) {
  return db_.first<Lease>("SELECT host, pid, heartbeat_ns FROM leases WHERE study = ?", study);
}

Result<void> StudyStore::acquire_lease(RowId study, const Lease& lease_wanted,
                                       bool (*alive)(const Lease& holder)) {
  ENSURE(alive != nullptr, "only the caller can tell whether a process is alive");
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(const auto holder, lease(study));
  const Nanoseconds now = clock_.wall();
  if (holder) {
    const Nanoseconds age = std::max<Nanoseconds>(0, now - holder->heartbeat_ns);
    if (is_held(*holder, lease_wanted, age, alive)) {
      TRY_ASSIGN(const auto row, study_row(study));
      return Error{ErrorCode::conflict,
                   "study " + row.id + " is being run by process " + std::to_string(holder->pid) +
                       " on host " + holder->host + ", last seen " + to_duration_text(age) +
                       " ago; follow it with `kneepoint watch " + row.id +
                       "`, or stop it with `kneepoint cancel " + row.id + "`",
                   true};
    }
  }
  TRY(put_for("study", study,
              db_.run(insert_text<Lease>("leases", {"study"}) +
                          " ON CONFLICT (study) DO UPDATE SET host = excluded.host,"
                          " pid = excluded.pid, heartbeat_ns = excluded.heartbeat_ns",
                      study, Lease{lease_wanted.host, lease_wanted.pid, now})));
  if (holder && (holder->host != lease_wanted.host || holder->pid != lease_wanted.pid)) {
    TRY(put_event(study, Event{now, "lease",
                               "taken over from process " + std::to_string(holder->pid) +
                                   " on host " + holder->host + ", which is gone",
                               0, 0}));
  }
  TRY(transaction.commit());
  held_[study] = lease_wanted;
  return {};
}

Result<void> StudyStore::renew_lease(RowId study, const Lease& mine) {
  // SQLite would go on writing to a file without a name, and all of it would be lost at our end.
  if (db_.is_replaced()) {
    return Error{ErrorCode::corrupt, db_.path() +
                                         " was removed or replaced while it was in use; stopping "
                                         "here, since nothing more would be kept"};
  }
  TRY_ASSIGN(const int renewed,
             db_.run("UPDATE leases SET heartbeat_ns = ? WHERE study = ? AND host = ? AND pid = ?",
                     clock_.wall(), study, mine.host, mine.pid));
  if (renewed > 0) return {};
  TRY_ASSIGN(const auto holder, lease(study));
  if (!holder)
    return Error{ErrorCode::conflict,
                 "the lease is gone: the study was released or "
                 "deleted; stop writing"};
  return Error{ErrorCode::conflict, "the lease was taken over by process " +
                                        std::to_string(holder->pid) + " on host " + holder->host +
                                        "; stop writing"};
}

Result<void> StudyStore::release_lease(RowId study) {
  const auto held = held_.find(study);
  if (held == held_.end()) return {};  // never take somebody else's away
  TRY(db_.run("DELETE FROM leases WHERE study = ? AND host = ? AND pid = ?", study,
              held->second.host, held->second.pid));
  held_.erase(held);
  return {};
}

Result<void> StudyStore::put_request(RowId study, RequestKind kind) {
  return put_for("study", study,
                 db_.run("INSERT INTO requests (study, kind, made_ns) VALUES (?, ?, ?)"
                         " ON CONFLICT (study, kind) WHERE taken_ns = 0 DO NOTHING",
                         study, to_string(kind), clock_.wall()));
}

Result<std::vector<RequestKind>> StudyStore::take_requests(RowId study) {
  // Asked at every tick and nearly always empty: look before taking the write lock.
  TRY_ASSIGN(
      std::vector<RequestKind> taken,
      db_.all<RequestKind>("SELECT kind FROM requests WHERE study = ? AND taken_ns = 0", study));
  if (taken.empty()) return taken;
  TRY(db_.run("UPDATE requests SET taken_ns = MAX(1, ?) WHERE study = ? AND taken_ns = 0",
              clock_.wall(), study));
  return taken;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/night/prune.h"

#include "orchestrator/answers/lookup.h"

namespace kneepoint {
namespace {

Result<void> thin_one(const Context& context, StudyStore& store, const OldStudy& old) {
  TRY_ASSIGN(const HeldLease lease, HeldLease::take(store, old.row, context.clock));
  TRY_ASSIGN(auto transaction, store.begin());
  TRY(store.drop_samples(old.row.row));
  TRY(store.set_caveat(
      old.row.row,
      {"thinned", "Its " + std::to_string(old.samples) + " samples were thinned out on " +
                      to_utc_text(context.clock.wall()).substr(0, 10) +
                      ": T of every run is as it was, single iterations are gone."}));
  return transaction->commit();
}

}  // namespace

std::int64_t PruneAnswer::samples() const {
  std::int64_t sum = 0;
  for (const OldStudy& one : studies) sum += one.samples;
  return sum;
}

Result<PruneAnswer> find_old_studies(const Context& context, StudyStore& store,
                                     const std::string& name, Nanoseconds age) {
  PruneAnswer answer;
  const Nanoseconds before = context.clock.wall() - age;
  bool known = name.empty();
  TRY_ASSIGN(const std::vector<StudyRow> all, store.studies());
  for (auto row = all.rbegin(); row != all.rend(); ++row) {
    if (!name.empty() && row->name != name && row->name + "-" + row->hash8 != name) continue;
    known = true;
    if (row->state != "finished" && row->state != "cancelled") continue;
    if (row->updated_ns > before) continue;
    TRY_ASSIGN(const std::int64_t samples, store.sample_count(row->row));
    if (samples > 0) answer.studies.push_back({*row, samples});
  }
  if (!known) {
    return Error{ErrorCode::not_found, "there is no study or series of the name '" + name + "'"};
  }
  return answer;
}

Result<void> thin_out(const Context& context, StudyStore& store, PruneAnswer& found) {
  found.dry_run = false;
  for (const OldStudy& one : found.studies) TRY(thin_one(context, store, one));
  auto compacted = store.compact();
  if (!compacted) {
    return compacted.error().in(
        "the samples are gone, but their room is not free yet: run prune again while nobody "
        "writes");
  }
  found.database_bytes = *compacted;
  return {};
}

}  // namespace kneepoint

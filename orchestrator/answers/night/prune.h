// SPDX-License-Identifier: Apache-2.0
//
// Old studies without their samples. Nothing that an answer rests on goes: T of every run, its
// parts, ranks, metrics and provenance stay, so reports and verdicts are the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

struct OldStudy {
  StudyRow row;
  std::int64_t samples = 0;
  static constexpr auto fields() {
    return described(field("study", [](const OldStudy& one) { return one.row.id; }),
                     field("samples", &OldStudy::samples));
  }
};

struct PruneAnswer {
  bool dry_run = true;
  std::vector<OldStudy> studies;    // oldest first
  std::int64_t database_bytes = 0;  // when they are thinned; 0 before
  static constexpr auto fields() {
    using T = PruneAnswer;
    return described(KP_NAMED(dry_run, studies),
                     field_or_null("database_bytes", &T::database_bytes));
  }
  std::int64_t samples() const;
};

// Studies with samples that are over and that nobody touched for `age`; `name`: of this study or
// series only, "": all.
Result<PruneAnswer> find_old_studies(const Context& context, StudyStore& store,
                                     const std::string& name, Nanoseconds age);

// Takes their samples away, and gives their room back to the disk.
Result<void> thin_out(const Context& context, StudyStore& store, PruneAnswer& found);

}  // namespace kneepoint

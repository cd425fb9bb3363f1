// SPDX-License-Identifier: Apache-2.0
//
// Spending: what a study has cost so far, in node-hours and in money, and what an allocation would
// add to it. Money is that of the bills: a step that ends makes its allocation's bill longer, it
// is no bill of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "orchestrator/cost/billing.h"
#include "orchestrator/engine/admission.h"
#include "orchestrator/engine/requests.h"
#include "orchestrator/engine/run_table.h"
#include "orchestrator/model/point.h"

namespace kneepoint {

class Spending {
 public:
  // `earlier`: the prices of before, that some allocations are still billed by.
  explicit Spending(std::optional<StudyPrice> price, std::vector<StudyPrice> earlier = {})
      : price_(std::move(price)), earlier_(std::move(earlier)) {}

  bool has_price() const { return price_.has_value(); }
  // All that was spent before.
  void begin(const StudyEvidence& evidence);
  // A step of the allocation, of a run at `point`, has run for so long. `nodes`: of the allocation.
  void add(const std::string& allocation, const Point& point, int nodes, Nanoseconds held);

  double node_seconds() const { return node_seconds_; }
  std::int64_t micros() const { return micros_; }  // 0 without a price
  // What its bill grows by when steps at these points run in it, `seconds` in all.
  std::int64_t added_by(const std::string& allocation, const std::vector<const Point*>& points,
                        double seconds) const;
  // "12.30 USD"; "": there is no price.
  std::string text() const;

 private:
  std::int64_t bill(const HeldAllocation& held) const;

  std::optional<StudyPrice> price_;
  std::vector<StudyPrice> earlier_;
  std::unordered_map<std::string, HeldAllocation> held_;
  double node_seconds_ = 0;
  std::int64_t micros_ = 0;
};

// What runs need, as admission counts it. Pure.

// These runs as the steps of one new allocation, one after the other: the largest counts, and it is
// held for all of the time. A run of which nothing is known is taken at its time limit. The answer
// refers to `study` and `spending`.
Need need_of_all(const std::vector<int>& runs, RunTable& table, const Study& study,
                 const Capabilities& backend, const Spending& spending, bool packed);

// The first `count` of the waiting runs, for pack().
std::vector<PackItem> pack_items(RunTable& table, const Study& study, std::size_t count);

// What was spent, and what is held back for the allocations that are not over: all that their steps
// may still take.
Usage usage_of(RunTable& table, const Study& study, const Capabilities& backend,
               const Spending& spending, bool packed);

// The limit that the attempt was handed over with.
Nanoseconds limit_of(const AttemptRow& attempt, const Limits& limits);

}  // namespace kneepoint

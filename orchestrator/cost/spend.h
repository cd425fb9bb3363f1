// SPDX-License-Identifier: Apache-2.0
//
// What a study has cost so far: each allocation billed once by the study's price item, for as long
// as its steps ran. Exact: whole millionths, and the sum is that of the bills.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/cost/billing.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/model/money.h"

namespace kneepoint {

// What the runs of a study are billed by.
struct StudyPrice {
  std::string path;  // of the price book
  std::string currency;
  bool example = false;
  PriceItem item;
};

std::int64_t bill_of(const StudyPrice& price, const HeldAllocation& allocation);

// What it is billed by: an allocation keeps the price that it was handed over by. `earlier` are
// those of before, as HeldAllocation::price counts them.
const StudyPrice& price_for(const HeldAllocation& allocation, const StudyPrice& present,
                            const std::vector<StudyPrice>& earlier);

Money spend_of(const StudyEvidence& evidence, const StudyPrice& price,
               const std::vector<StudyPrice>& earlier = {});

}  // namespace kneepoint

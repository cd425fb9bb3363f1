// SPDX-License-Identifier: Apache-2.0
//
// What the runs of a study are billed by while it runs. `run` and `check` ask price_of_study(), so
// that there is one order in which flags, the site and the study itself are listened to.
#pragma once

#include <optional>
#include <vector>

#include "orchestrator/cli/prices.h"
#include "orchestrator/cost/spend.h"

namespace kneepoint::cli {

struct PricedStudy {
  StudyPrice price;
  SitePrice kept;  // to be stored with the study
};

struct PriceFound {
  std::optional<PricedStudy> price;  // none: nobody names one
  std::vector<Problem> problems;     // of the book
};

// --prices and --item, else what the site names, else what the study was billed by before (`before`
// may be null).
Result<PriceFound> price_of_study(const Arguments& arguments, const Site& site,
                                  const StudyRow* before);
// What the study was billed by; none: nothing, or a book that this version can't read.
std::optional<StudyPrice> stored_price(const StudyRow& row);

}  // namespace kneepoint::cli

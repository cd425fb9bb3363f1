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
// What it was billed by before that, for what was handed over by then.
Result<std::vector<StudyPrice>> stored_earlier_prices(StudyStore& store, RowId study);

// A study is billed in one currency: an error if it has spent another one than that of `price`.
Result<void> check_currency(StudyStore& store, const StudyRow& row, const StudyPrice& price);

// From now on it goes by this price; what was spent stays as it was billed. The sentence to tell,
// "" if nothing changes for what was spent.
Result<std::string> change_price(StudyStore& store, const StudyRow& row, const SitePrice& price,
                                 const Clock& clock);

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
//
// What a study's runs are billed by. Every command asks price_of_study(), so that there is one
// order in which flags, the site and the study itself are listened to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/cost/spend.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/problem.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

struct PricedStudy {
  StudyPrice price;
  SitePrice source;  // to be stored with the study
};

struct PriceFound {
  std::optional<PricedStudy> price;  // none: nobody names one
  std::vector<Problem> problems;     // of the book
};

// --prices and --item, else the site's own price, else what the study was billed by before
// (`before` may be null).
Result<PriceFound> price_of_study(const Arguments& arguments, const Site& site,
                                  const StudyRow* before);
// What the study was billed by; none: nothing, or a book that this version can't read.
std::optional<StudyPrice> stored_price(const StudyRow& row);

// The two flags behind a command's own.
std::vector<Flag> with_price_flags(std::vector<Flag> flags);

}  // namespace kneepoint::cli

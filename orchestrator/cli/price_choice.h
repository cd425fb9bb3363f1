// SPDX-License-Identifier: Apache-2.0
//
// From --prices and --item to price items. A flag that takes one for each study takes a list with
// commas, or one for all.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/cli/session.h"
#include "orchestrator/model/price.h"
#include "orchestrator/plan/problem.h"

namespace kneepoint::cli {

// Without prices a node-hour is worth one node-hour: the answer is as good as relative prices are.
PriceBook node_hours_book();

Result<PriceItem> choose_price_item(const PriceBook& book, const std::string& name);

struct StudyPrice {
  PriceBook book;
  PriceItem item;
};

struct StudyPrices {
  std::vector<StudyPrice> prices;  // one for each study
  std::vector<Problem> problems;   // of the books
};

// `files` and `items` as typed: "" or one, or one for each of `studies`, with commas.
Result<StudyPrices> prices_of_studies(const std::string& files, const std::string& items,
                                      std::size_t studies);

}  // namespace kneepoint::cli

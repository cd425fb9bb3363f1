// SPDX-License-Identifier: Apache-2.0
//
// Which prices a command goes by: those named on the command line, else those that the study's site
// named when it ran, else node-hours themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/cost/cost_curve.h"
#include "orchestrator/model/price.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/yaml/problem.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

struct Prices {
  PriceBook book;
  PriceItem item;
};

// The bytes of a book; an empty file is an error.
Result<std::string> read_price_book(const std::string& path);

// Reads the book that the site names into it, and checks both. Problems have their places.
std::vector<Problem> find_prices(Site& site, const std::vector<Origin>& origins);

// By --prices and --item, else the study's own; none where there is neither.
Result<std::optional<Prices>> prices_of(const Arguments& arguments, const StudyRow& study);

// A node-hour is worth one node-hour: an answer as good as relative prices are.
Prices node_hour_prices();

// The item of that name, or the only one; the error is about --item.
Result<PriceItem> choose_item(const PriceBook& book, const std::string& name);

// Of a site whose book was read and checked.
std::optional<Prices> prices_of(const SitePrice& price);
// Of any price that names a book with its text; none where there is none. An error if it is
// unusable.
Result<std::optional<Prices>> checked_prices(const SitePrice& price);

// --prices and --item, then those given.
std::vector<Flag> with_price_flags(std::vector<Flag> flags);

}  // namespace kneepoint::cli

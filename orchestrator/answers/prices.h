// SPDX-License-Identifier: Apache-2.0
//
// Which prices an answer goes by: those that were asked for, else those that the study's site named
// when it ran, else node-hours themselves. What runs are billed by while a study runs follows the
// same order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cost/billing.h"
#include "orchestrator/cost/cost_curve.h"
#include "orchestrator/model/price.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

class StudyStore;
struct StudyRow;

struct Prices {
  PriceBook book;
  PriceItem item;

  // What every document says of them.
  struct Names {
    std::string currency, book, item;
    bool example = false;
    static constexpr auto fields() {
      using T = Names;
      return described(field("currency", &T::currency), field("prices", &T::book),
                       KP_NAMED(item, example));
    }
  };
  Names names() const { return {book.currency, book.path, item.name, book.example}; }
  static constexpr auto fields() {
    using T = Prices;
    return described(fields_of(&T::names),
                     field("valid_from", [](const T& p) { return p.book.valid_from; }),
                     field("source", [](const T& p) { return p.book.source; }));
  }
};

// The bytes of a book; an empty file is an error.
Result<std::string> read_price_book(const std::string& path);

// Reads the book that the site names into it, and checks both. Problems have their places.
std::vector<Problem> find_prices(Site& site, const std::vector<Origin>& origins);

// --prices and --item as they were typed, where they were.
struct PriceChoice {
  std::optional<std::string> book, item;
};

// By the choice, else the study's own; none where there is neither.
Result<std::optional<Prices>> prices_of(const PriceChoice& choice, const StudyRow& study);

// A node-hour is worth one node-hour: an answer as good as relative prices are.
Prices node_hour_prices();

// The item of that name, or the only one; the error is about `where` it was asked for.
Result<PriceItem> choose_item(const PriceBook& book, const std::string& name,
                              const std::string& where = "--item");

// Of a site whose book was read and checked.
std::optional<Prices> prices_of(const SitePrice& price);

struct StudyPrices {
  std::vector<Prices> prices;     // one for each study
  std::vector<Problem> problems;  // of the books
  bool known = false;             // false: node-hours stand for money
};

// Prices of several studies at once. `files` and `items` as typed: "" or one, or one for each
// study, with commas. `own`: what the sites of the studies named; used where no file is given and
// all of them named one.
Result<StudyPrices> prices_of_studies(const std::string& files, const std::string& items,
                                      const std::vector<SitePrice>& own);

struct PricedStudy {
  StudyPrice price;
  SitePrice kept;  // to be stored with the study
};

struct PriceFound {
  std::optional<PricedStudy> price;  // none: nobody names one
  std::vector<Problem> problems;     // of the book
};

// By the choice, else what the site names, else what the study was billed by before (`before` may
// be null).
Result<PriceFound> price_of_study(const PriceChoice& choice, const Site& site,
                                  const StudyRow* before);
// What the study was billed by; none: nothing, or a book that this version can't read.
std::optional<StudyPrice> stored_price(const StudyRow& row);
// What it was billed by before that, for what was handed over by then.
Result<std::vector<StudyPrice>> stored_earlier_prices(StudyStore& store, std::int64_t study);

// A study is billed in one currency: an error if it has spent another one than that of `price`.
Result<void> check_currency(StudyStore& store, const StudyRow& row, const StudyPrice& price);

// From now on it goes by this price; what was spent stays as it was billed. The sentence to tell,
// "" if nothing changes for what was spent.
Result<std::string> change_price(StudyStore& store, const StudyRow& row, const SitePrice& price,
                                 const Clock& clock);

}  // namespace kneepoint

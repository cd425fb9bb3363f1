// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/study_price.h"

#include "orchestrator/cli/predict_flags.h"
#include "orchestrator/plan/price_reader.h"

namespace kneepoint::cli {

Result<PriceFound> price_of_study(const Arguments& arguments, const Site& site,
                                  const StudyRow* before) {
  PriceFound found;
  SitePrice kept = site.price;
  if (arguments.has("--prices")) {
    kept = {arguments.text("--prices"), "", ""};
    TRY_ASSIGN(kept.text, read_price_book(kept.book));
  } else if (kept.text.empty() && before != nullptr) {
    kept = before->price;
  }
  if (kept.text.empty()) {
    if (!arguments.has("--item")) return found;
    return wrong_flag("--item", "is an item of --prices FILE, or of the price book of the site");
  }
  if (arguments.has("--item")) kept.item = arguments.text("--item");
  PricesRead read = read_prices(kept.text, kept.book);
  found.problems = std::move(read.problems);
  if (!found.problems.empty()) return found;
  TRY_ASSIGN(PriceItem item, choose_item(read.book, kept.item));
  kept.item = item.name;
  found.price = PricedStudy{{kept.book, read.book.currency, read.book.example, std::move(item)},
                            std::move(kept)};
  return found;
}

std::optional<StudyPrice> stored_price(const StudyRow& row) {
  std::optional<Prices> prices = prices_of(row.price);
  if (!prices) return std::nullopt;
  return StudyPrice{row.price.book, prices->book.currency, prices->book.example,
                    std::move(prices->item)};
}

}  // namespace kneepoint::cli

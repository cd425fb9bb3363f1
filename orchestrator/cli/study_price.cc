// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/study_price.h"

#include "orchestrator/cli/predict_flags.h"
#include "orchestrator/plan/tables/price_reader.h"

namespace kneepoint::cli {
namespace {

std::optional<StudyPrice> study_price(const SitePrice& price) {
  std::optional<Prices> prices = prices_of(price);
  if (!prices) return std::nullopt;
  return StudyPrice{price.book, prices->book.currency, prices->book.example,
                    std::move(prices->item)};
}

}  // namespace

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
  return study_price(row.price);
}

Result<std::vector<StudyPrice>> stored_earlier_prices(StudyStore& store, RowId study) {
  TRY_ASSIGN(const std::vector<SitePrice> stored, store.earlier_prices(study));
  std::vector<StudyPrice> prices;
  for (const SitePrice& one : stored) {
    std::optional<StudyPrice> price = study_price(one);
    if (!price) {
      return Error{ErrorCode::invalid, "the price book " + one.book +
                                           " that the study was billed by can't be read any more"};
    }
    prices.push_back(std::move(*price));
  }
  return prices;
}

Result<void> check_currency(StudyStore& store, const StudyRow& row, const StudyPrice& price) {
  const std::optional<StudyPrice> before = stored_price(row);
  if (!before || before->currency == price.currency) return {};
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence(row.row));
  if (evidence.allocations.empty()) return {};
  return Error{ErrorCode::invalid, row.id + " was billed in " + before->currency + " so far, and " +
                                       price.path + " is in " + price.currency +
                                       ": what was spent can't be added up. Name prices in " +
                                       before->currency + ", or start another study with --new"};
}

Result<std::string> change_price(StudyStore& store, const StudyRow& row, const SitePrice& price,
                                 const Clock& clock) {
  TRY_ASSIGN(const std::vector<SitePrice> before, store.earlier_prices(row.row));
  TRY(store.set_study_price(row.row, price));
  TRY_ASSIGN(const std::vector<SitePrice> after, store.earlier_prices(row.row));
  if (after.size() == before.size()) return std::string();
  const std::string text = "what was spent so far stays billed by item " + after.back().item +
                           " of " + after.back().book + "; from now on item " + price.item +
                           " of " + price.book + " counts";
  TRY(store.put_event(row.row, {clock.wall(), "price", text, 0, 0}));
  return text;
}

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/study_price.h"

#include "orchestrator/cli/files.h"
#include "orchestrator/cli/predict_flags.h"
#include "orchestrator/plan/price_reader.h"

namespace kneepoint::cli {
namespace {

// The item of that name; of a book with one item it needs no name. The error lists the names.
Result<PriceItem> item_of(const PriceBook& book, const std::string& name) {
  if (name.empty() && book.items.size() == 1) return book.items.front();
  if (const PriceItem* item = book.find(name)) return *item;
  std::string names;
  for (const PriceItem& item : book.items) names += (names.empty() ? "" : ", ") + item.name;
  return wrong_flag("--item", (name.empty() ? "missing; " : "no item '" + name + "'; ") +
                                  book.path + " has: " + names);
}

Result<PriceFound> price_in(SitePrice source) {
  PriceFound found;
  PricesRead read = read_prices(source.text, source.book);
  found.problems = std::move(read.problems);
  if (!found.problems.empty()) return found;
  TRY_ASSIGN(PriceItem chosen, item_of(read.book, source.item));
  source.item = chosen.name;
  StudyPrice price{source.book, read.book.currency, read.book.example, std::move(chosen)};
  found.price = PricedStudy{std::move(price), std::move(source)};
  return found;
}

}  // namespace

Result<PriceFound> price_of_study(const Arguments& arguments, const Site& site,
                                  const StudyRow* before) {
  if (arguments.has("--prices")) {
    SitePrice source{arguments.text("--prices"), arguments.text("--item"), ""};
    TRY_ASSIGN(source.text, read_file("price book", source.book));
    return price_in(std::move(source));
  }
  if (arguments.has("--item")) return wrong_flag("--item", "is an item of --prices FILE");
  if (!site.price.text.empty()) return price_in(site.price);
  if (before == nullptr || before->price.text.empty()) return PriceFound{};
  return price_in(before->price);
}

std::optional<StudyPrice> stored_price(const StudyRow& row) {
  if (row.price.text.empty()) return std::nullopt;
  auto found = price_in(row.price);
  if (!found || !found->price) return std::nullopt;
  return std::move(found->price->price);
}

std::vector<Flag> with_price_flags(std::vector<Flag> flags) {
  flags.push_back({"--prices",
                   "FILE",
                   "Price book that runs are billed by (docs/reference/prices.md)",
                   {},
                   false,
                   Completes::files});
  flags.push_back({"--item", "NAME", "Which of its items; may be left out if there is one"});
  return flags;
}

}  // namespace kneepoint::cli

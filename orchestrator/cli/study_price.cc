// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/study_price.h"

#include "orchestrator/cli/files.h"
#include "orchestrator/cli/predict_flags.h"
#include "orchestrator/plan/price_reader.h"

namespace kneepoint::cli {
namespace {

Result<PriceFound> price_in(const std::string& text, const std::string& path,
                            const std::string& item) {
  PriceFound found;
  PricesRead read = read_prices(text, path);
  found.problems = std::move(read.problems);
  if (!found.problems.empty()) return found;
  TRY_ASSIGN(PriceItem chosen, choose_item(read.book, item));
  found.price = PricedStudy{{path, read.book.currency, read.book.example, std::move(chosen)}, text};
  return found;
}

}  // namespace

Result<PriceItem> choose_item(const PriceBook& book, const std::string& name) {
  if (name.empty() && book.items.size() == 1) return book.items.front();
  if (const PriceItem* item = book.find(name)) return *item;
  std::string names;
  for (const PriceItem& item : book.items) names += (names.empty() ? "" : ", ") + item.name;
  return wrong_flag("--item", (name.empty() ? "missing; " : "no item '" + name + "'; ") +
                                  book.path + " has: " + names);
}

Result<PriceFound> price_of_study(const Arguments& arguments, const Site& /*site*/,
                                  const StudyRow* before) {
  if (arguments.has("--prices")) {
    const std::string path = arguments.text("--prices");
    TRY_ASSIGN(const std::string text, read_file("price book", path));
    return price_in(text, path, arguments.text("--item"));
  }
  if (arguments.has("--item")) return wrong_flag("--item", "is an item of --prices FILE");
  // A site that names its price comes here, before what was stored.
  PriceFound found;
  if (before == nullptr || before->price_text.empty()) return found;
  return price_in(before->price_text, before->price_path, before->price_item);
}

std::optional<StudyPrice> stored_price(const StudyRow& row) {
  if (row.price_text.empty()) return std::nullopt;
  auto found = price_in(row.price_text, row.price_path, row.price_item);
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

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/prices.h"

#include <filesystem>

#include "orchestrator/cli/files.h"
#include "orchestrator/cli/predict_flags.h"
#include "orchestrator/plan/tables/price_reader.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

// nullptr: there is none, and `why` says what there is.
const PriceItem* find_item(const PriceBook& book, const std::string& name, std::string& why) {
  if (name.empty() && book.items.size() == 1) return &book.items.front();
  if (const PriceItem* item = book.find(name)) return item;
  std::string names;
  for (const PriceItem& item : book.items) names += (names.empty() ? "" : ", ") + item.name;
  why = (name.empty() ? "missing; " : "no item '" + name + "'; ") + book.path + " has: " + names;
  return nullptr;
}

}  // namespace

Result<std::string> read_price_book(const std::string& path) {
  TRY_ASSIGN(std::string text, read_file("price book", path));
  if (text.empty()) return Error{ErrorCode::invalid, "price book " + path + ": the file is empty"};
  return text;
}

std::vector<Problem> find_prices(Site& site, const std::vector<Origin>& origins) {
  SitePrice& price = site.price;
  if (price.book.empty()) return {};
  std::vector<Problem> problems;
  const auto fail = [&](const char* key, const std::string& message) {
    problems.push_back({site.path, 0, 0, key, message});
    locate(problems, origins);
    return problems;
  };
  const std::string path =
      (fs::path(site.path).parent_path() / price.book).lexically_normal().string();
  const auto text = read_price_book(path);
  if (!text) return fail("price.book", text.error().message);
  PricesRead read = read_prices(*text, path);
  if (!read.problems.empty()) return read.problems;
  std::string why;
  const PriceItem* item = find_item(read.book, price.item, why);
  if (item == nullptr) return fail(price.item.empty() ? "price" : "price.item", "item: " + why);
  price.item = item->name;
  price.text = *text;
  return {};
}

Result<PriceItem> choose_item(const PriceBook& book, const std::string& name) {
  std::string why;
  const PriceItem* item = find_item(book, name, why);
  if (item == nullptr) return wrong_flag("--item", why);
  return *item;
}

std::optional<Prices> prices_of(const SitePrice& price) {
  if (price.text.empty()) return std::nullopt;
  PricesRead read = read_prices(price.text, price.book);
  std::string why;
  const PriceItem* item = find_item(read.book, price.item, why);
  if (!read.problems.empty() || item == nullptr) return std::nullopt;
  Prices prices;
  prices.item = *item;
  prices.book = std::move(read.book);
  return prices;
}

Result<std::optional<Prices>> checked_prices(const SitePrice& price) {
  if (price.text.empty()) return std::optional<Prices>();
  PricesRead read = read_prices(price.text, price.book);
  if (!read.problems.empty()) {
    return Error{ErrorCode::invalid, "the price book can't be used:\n" + to_string(read.problems)};
  }
  Prices prices;
  TRY_ASSIGN(prices.item, choose_item(read.book, price.item));
  prices.book = std::move(read.book);
  return std::optional<Prices>(std::move(prices));
}

Result<std::optional<Prices>> prices_of(const Arguments& arguments, const StudyRow& study) {
  SitePrice price = study.price;
  if (arguments.has("--prices")) {
    price.book = arguments.text("--prices");
    price.item.clear();
    TRY_ASSIGN(price.text, read_price_book(price.book));
  }
  if (arguments.has("--item")) price.item = arguments.text("--item");
  if (price.text.empty() && arguments.has("--item")) {
    return wrong_flag("--item", "is an item of --prices FILE, or of the price book of the site");
  }
  return checked_prices(price);
}

Prices node_hour_prices() {
  Prices prices;
  prices.item.name = "node-hours";
  prices.item.per_node_hour = 1'000'000;
  prices.book.currency = "node-hours";
  prices.book.items.push_back(prices.item);
  return prices;
}

std::vector<Flag> with_price_flags(std::vector<Flag> flags) {
  flags.insert(flags.begin(),
               {{"--prices",
                 "FILE",
                 "Price book (default: the site's; docs/reference/prices.md)",
                 {},
                 false,
                 Completes::files},
                {"--item", "NAME", "Which of its items; may be left out if there is one"}});
  return flags;
}

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/prices.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/files.h"
#include "orchestrator/plan/readers.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
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

StudyPrice study_price(const std::string& path, Prices prices) {
  return {path, prices.book.currency, prices.book.example, std::move(prices.item)};
}

// What was asked for, else the other; without a text where there is neither.
Result<SitePrice> chosen_price(const PriceChoice& choice, SitePrice price) {
  if (choice.book) {
    price = {*choice.book, "", ""};
    TRY_ASSIGN(price.text, read_price_book(price.book));
  }
  if (choice.item && price.text.empty()) {
    return wrong_flag("--item", "is an item of --prices FILE, or of the price book of the site");
  }
  if (choice.item) price.item = *choice.item;
  return price;
}

Result<std::vector<std::string>> one_for_each(const std::string& flag, const std::string& text,
                                              std::size_t studies) {
  std::vector<std::string> words;
  std::istringstream parts(text);
  for (std::string word; std::getline(parts, word, ',');) words.push_back(word);
  if (words.size() <= 1) return std::vector<std::string>(studies, text);
  if (words.size() != studies) {
    return wrong_flag(flag, "expected one for all or one for each of the " +
                                std::to_string(studies) + " studies, found " +
                                std::to_string(words.size()));
  }
  return words;
}

struct SitePriceRead {
  std::optional<Prices> prices;  // none: no book is named, or it has problems
  std::vector<Problem> problems;
};

Result<SitePriceRead> read_site_price(const SitePrice& price) {
  SitePriceRead out;
  if (price.text.empty()) return out;
  PricesRead read = read_prices(price.text, price.book);
  out.problems = std::move(read.problems);
  if (!out.problems.empty()) return out;
  TRY_ASSIGN(PriceItem item, choose_item(read.book, price.item));
  out.prices = Prices{std::move(read.book), std::move(item)};
  return out;
}

Result<std::optional<Prices>> checked_prices(const SitePrice& price) {
  TRY_ASSIGN(SitePriceRead read, read_site_price(price));
  if (read.problems.empty()) return std::move(read.prices);
  return Error{ErrorCode::invalid, "the price book can't be used:\n" + to_string(read.problems)};
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

Result<PriceItem> choose_item(const PriceBook& book, const std::string& name,
                              const std::string& where) {
  std::string why;
  const PriceItem* item = find_item(book, name, why);
  if (item == nullptr) return wrong_flag(where, why);
  return *item;
}

std::optional<Prices> prices_of(const SitePrice& price) {
  auto prices = checked_prices(price);
  return prices ? std::move(*prices) : std::nullopt;
}

Result<std::optional<Prices>> prices_of(const PriceChoice& choice, const StudyRow& study) {
  TRY_ASSIGN(const SitePrice price, chosen_price(choice, study.price));
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

Result<StudyPrices> prices_of_studies(const std::string& files, const std::string& items,
                                      const std::vector<SitePrice>& own) {
  StudyPrices answer;
  std::vector<SitePrice> chosen = own;
  if (!files.empty()) {
    TRY_ASSIGN(const auto paths, one_for_each("--prices", files, own.size()));
    for (std::size_t i = 0; i < own.size(); ++i) {
      chosen[i] = {paths[i], "", ""};
      TRY_ASSIGN(chosen[i].text, read_price_book(paths[i]));
    }
  }
  answer.known =
      std::ranges::all_of(chosen, [](const SitePrice& price) { return !price.text.empty(); });
  if (!answer.known) {
    if (!items.empty()) return wrong_flag("--item", "is an item of --prices FILE");
    answer.prices.assign(own.size(), node_hour_prices());
    return answer;
  }
  TRY_ASSIGN(const auto names, one_for_each("--item", items, own.size()));
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!names[i].empty()) chosen[i].item = names[i];
    TRY_ASSIGN(SitePriceRead read, read_site_price(chosen[i]));
    answer.problems = std::move(read.problems);
    if (!answer.problems.empty()) return answer;
    answer.prices.push_back(*std::move(read.prices));
  }
  return answer;
}

Result<PriceFound> price_of_study(const PriceChoice& choice, const Site& site,
                                  const StudyRow* before) {
  PriceFound found;
  const bool as_before = site.price.text.empty() && before != nullptr;
  TRY_ASSIGN(SitePrice kept, chosen_price(choice, as_before ? before->price : site.price));
  TRY_ASSIGN(SitePriceRead read, read_site_price(kept));
  found.problems = std::move(read.problems);
  if (!read.prices) return found;
  kept.item = read.prices->item.name;
  found.price = PricedStudy{study_price(kept.book, *std::move(read.prices)), std::move(kept)};
  return found;
}

std::optional<StudyPrice> stored_price(const StudyRow& row) {
  auto prices = prices_of(row.price);
  if (!prices) return std::nullopt;
  return study_price(row.price.book, *std::move(prices));
}

Result<std::vector<StudyPrice>> stored_earlier_prices(StudyStore& store, RowId study) {
  TRY_ASSIGN(const std::vector<SitePrice> stored, store.earlier_prices(study));
  std::vector<StudyPrice> prices;
  for (const SitePrice& one : stored) {
    auto found = prices_of(one);
    if (!found) {
      return Error{ErrorCode::invalid, "the price book " + one.book +
                                           " that the study was billed by can't be read any more"};
    }
    prices.push_back(study_price(one.book, *std::move(found)));
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

}  // namespace kneepoint

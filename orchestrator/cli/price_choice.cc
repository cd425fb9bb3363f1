// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/price_choice.h"

#include <sstream>

#include "orchestrator/cli/files.h"
#include "orchestrator/cli/predict_flags.h"
#include "orchestrator/plan/price_reader.h"

namespace kneepoint::cli {
namespace {

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

}  // namespace

PriceBook node_hours_book() {
  PriceBook book;
  book.currency = "node-hours";
  PriceItem item;
  item.name = "node-hours";
  item.per_node_hour = 1'000'000;
  book.items.push_back(item);
  return book;
}

Result<PriceItem> choose_price_item(const PriceBook& book, const std::string& name) {
  if (name.empty() && book.items.size() == 1) return book.items.front();
  if (const PriceItem* item = book.find(name)) return *item;
  std::string names;
  for (const PriceItem& item : book.items) names += (names.empty() ? "" : ", ") + item.name;
  return wrong_flag("--item", (name.empty() ? "missing; " : "no item '" + name + "'; ") +
                                  book.path + " has: " + names);
}

Result<StudyPrices> prices_of_studies(const std::string& files, const std::string& items,
                                      std::size_t studies) {
  StudyPrices answer;
  if (files.empty()) {
    if (!items.empty()) return wrong_flag("--item", "is an item of --prices FILE");
    const PriceBook book = node_hours_book();
    answer.prices.assign(studies, {book, book.items.front()});
    return answer;
  }
  TRY_ASSIGN(const auto paths, one_for_each("--prices", files, studies));
  TRY_ASSIGN(const auto names, one_for_each("--item", items, studies));
  for (std::size_t i = 0; i < studies; ++i) {
    TRY_ASSIGN(const std::string text, read_file("price book", paths[i]));
    PricesRead read = read_prices(text, paths[i]);
    if (!read.problems.empty()) {
      answer.problems = std::move(read.problems);
      return answer;
    }
    TRY_ASSIGN(const PriceItem item, choose_price_item(read.book, names[i]));
    answer.prices.push_back({std::move(read.book), item});
  }
  return answer;
}

}  // namespace kneepoint::cli

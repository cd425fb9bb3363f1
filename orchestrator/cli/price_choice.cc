// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/price_choice.h"

#include <algorithm>
#include <sstream>

#include "orchestrator/cli/predict_flags.h"
#include "orchestrator/plan/tables/price_reader.h"

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
  answer.known = std::all_of(chosen.begin(), chosen.end(),
                             [](const SitePrice& price) { return !price.text.empty(); });
  if (!answer.known) {
    if (!items.empty()) return wrong_flag("--item", "is an item of --prices FILE");
    answer.prices.assign(own.size(), node_hour_prices());
    return answer;
  }
  TRY_ASSIGN(const auto names, one_for_each("--item", items, own.size()));
  for (std::size_t i = 0; i < own.size(); ++i) {
    PricesRead read = read_prices(chosen[i].text, chosen[i].book);
    if (!read.problems.empty()) {
      answer.problems = std::move(read.problems);
      return answer;
    }
    TRY_ASSIGN(const PriceItem item,
               choose_item(read.book, names[i].empty() ? chosen[i].item : names[i]));
    answer.prices.push_back({std::move(read.book), item});
  }
  return answer;
}

}  // namespace kneepoint::cli

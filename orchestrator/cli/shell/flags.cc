// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/shell/flags.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "orchestrator/answers/study/predict.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint::cli {
namespace {

constexpr double kSmallest = 1e-12;  // above 0: below it 1/s and the fastest K mean nothing

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

template <typename Number>
bool read(const std::string& word, Number& value) {
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return !word.empty() && result.ec == std::errc() && result.ptr == word.data() + word.size();
}

Result<int> worker(const std::string& flag, const std::string& word) {
  int k = 0;
  if (!read(word, k) || k < 1 || k > kLargestTo) {
    return wrong_flag(
        flag, "'" + word + "' is not a whole number from 1 to " + std::to_string(kLargestTo));
  }
  return k;
}

// The words of `text`, each read by `read_word` and there once.
template <typename Value, typename Read>
Result<std::vector<Value>> list_of(const std::string& flag, const std::string& text,
                                   const Read& read_word) {
  std::vector<Value> values;
  for (const std::string& word : split(text)) {
    TRY_ASSIGN(const Value value, read_word(word));
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      return wrong_flag(flag, "'" + word + "' is there twice");
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace

Result<std::vector<double>> share_list(const std::string& flag, const std::string& text,
                                       double most) {
  return list_of<double>(flag, text, [&](const std::string& word) -> Result<double> {
    double value = 0;
    if (!read(word, value)) {
      return wrong_flag(flag, "'" + word +
                                  "' is not a number; write numbers with commas between them, "
                                  "such as 0.01,0.05");
    }
    if (!(value >= 0 && value <= most)) {  // NaN as well
      return wrong_flag(flag, "'" + word + "' is not between 0 and " + number_text(most));
    }
    if (value > 0 && value < kSmallest) {
      return wrong_flag(flag, "'" + word + "' is too small to tell from 0; write 0");
    }
    return value + 0.0;  // -0 becomes 0
  });
}

Result<std::vector<int>> worker_list(const std::string& flag, const std::string& text) {
  TRY_ASSIGN(std::vector<int> ks,
             list_of<int>(flag, text, [&](const std::string& word) { return worker(flag, word); }));
  std::sort(ks.begin(), ks.end());
  return ks;
}

Result<int> last_worker(const std::string& text) {
  return worker("--to", text);
}

Result<double> positive_number(const std::string& flag, const std::string& text, bool percent) {
  const bool has_sign = percent && text.ends_with('%');
  double value = 0;
  if (!read(has_sign ? text.substr(0, text.size() - 1) : text, value) || !std::isfinite(value) ||
      !(value > 0)) {
    return wrong_flag(flag, "'" + text + "' is not a number above 0");
  }
  return has_sign ? value / 100 : value;
}

Result<std::optional<double>> floor_flag(const Arguments& arguments) {
  if (!arguments.has("--floor")) return std::optional<double>();
  TRY_ASSIGN(const double share, positive_number("--floor", arguments.text("--floor"), true));
  if (share >= 1) return wrong_flag("--floor", "expected a share below 1");
  return std::optional(share);
}

Result<std::vector<AtWorkers>> values_at_workers(const std::string& flag, const std::string& text,
                                                 bool percent) {
  std::vector<AtWorkers> values;
  for (const std::string& word : split(text)) {
    const std::size_t cut = word.find_first_of(":=");
    if (cut == std::string::npos) {
      return wrong_flag(
          flag, "'" + word + "' is not K:VALUE, such as " + (percent ? "256:50%" : "256:1.2e6"));
    }
    AtWorkers at;
    TRY_ASSIGN(at.k, worker(flag, word.substr(0, cut)));
    TRY_ASSIGN(at.value, positive_number(flag, word.substr(cut + 1), percent));
    for (const AtWorkers& other : values) {
      if (other.k == at.k) return wrong_flag(flag, "K=" + std::to_string(at.k) + " is there twice");
    }
    values.push_back(at);
  }
  std::sort(values.begin(), values.end(),
            [](const AtWorkers& a, const AtWorkers& b) { return a.k < b.k; });
  return values;
}

Result<Nanoseconds> parse_age(const std::string& flag, const std::string& text) {
  constexpr std::int64_t kMost = 100'000;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, number);
  const std::string unit(rest, end);
  const Nanoseconds one = unit == "h" ? kHour : unit == "d" ? 24 * kHour : 7 * 24 * kHour;
  const bool known = unit == "h" || unit == "d" || unit == "w";
  if (problem != std::errc() || !known || number < 0 || number > kMost) {
    return Error{ErrorCode::invalid,
                 flag + ": expected a whole number of hours, days or weeks (36h, 90d, 12w), got '" +
                     text + "'"};
  }
  return number * one;
}

std::vector<Flag> with_price_flags(std::vector<Flag> flags) {
  flags.insert(flags.begin(),
               {file_flag("--prices", "Price book (default: the site's; docs/reference/prices.md)"),
                {"--item", "NAME", "Which of its items; may be left out if there is one"}});
  return flags;
}

PriceChoice price_choice(const Arguments& arguments) {
  PriceChoice choice;
  if (arguments.has("--prices")) choice.book = arguments.text("--prices");
  if (arguments.has("--item")) choice.item = arguments.text("--item");
  return choice;
}

Result<TableOptions> table_options(const Arguments& arguments) {
  TableOptions options;
  if (arguments.text("--mode") == "weak") options.mode = Mode::weak;
  if (arguments.has("--decimal")) {
    options.decimal =
        arguments.text("--decimal") == "comma" ? DecimalMark::comma : DecimalMark::point;
  }
  if (arguments.has("--unit")) {
    options.time_unit_word = arguments.text("--unit");
    options.time_unit = seconds_in(options.time_unit_word);
    if (!options.time_unit) {
      return Error{ErrorCode::invalid, "--unit: '" + options.time_unit_word +
                                           "' is not a unit of time; expected " + kTimeUnits};
    }
  }
  return options;
}

Result<std::optional<std::string>> trusted_key_of(const Arguments& arguments) {
  if (!arguments.has("--key")) return std::optional<std::string>();
  TRY_ASSIGN(std::string key, read_file("key", arguments.text("--key"), 1));
  if (key.find("-----BEGIN PUBLIC KEY-----") == std::string::npos) {
    return wrong_flag("--key", arguments.text("--key") + " holds no public key in PEM");
  }
  return std::optional<std::string>(std::move(key));
}

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
//
// Folding groups names by what stands before their last number and by that number's width, when
// zeros lead it: n08 and n8 are two nodes.
#include "orchestrator/base/node_list.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

namespace kneepoint {
namespace {

// What stands before the number, and its width; 0: no leading zeros.
using Group = std::pair<std::string, std::size_t>;

std::string padded(long number, std::size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

std::string ranges_of(const std::set<long>& numbers, std::size_t width) {
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const long first = *at;
    long last = first;
    for (++at; at != numbers.end() && *at == last + 1; ++at) last = *at;
    text += (text.empty() ? "" : ",") + padded(first, width);
    if (last > first) text += "-" + padded(last, width);
  }
  return text;
}

}  // namespace

std::vector<std::string> expand_node_list(std::string_view list) {
  constexpr std::size_t kMostNames = 100'000;
  std::vector<std::string> names;
  while (!list.empty()) {
    // Up to a comma outside of brackets.
    std::size_t end = 0;
    for (int depth = 0; end < list.size() && (list[end] != ',' || depth > 0); ++end) {
      depth += list[end] == '[' ? 1 : list[end] == ']' ? -1 : 0;
    }
    const std::string_view one = list.substr(0, end);
    list.remove_prefix(std::min(list.size(), end + 1));
    const std::size_t open = one.find('[');
    const std::size_t close = one.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
      if (!one.empty()) names.emplace_back(one);
      continue;
    }
    const std::string before(one.substr(0, open));
    const std::string after(one.substr(close + 1));
    std::string_view ranges = one.substr(open + 1, close - open - 1);
    while (!ranges.empty() && names.size() < kMostNames) {
      const std::size_t comma = std::min(ranges.find(','), ranges.size());
      const std::string_view range = ranges.substr(0, comma);
      ranges.remove_prefix(std::min(ranges.size(), comma + 1));
      const std::size_t dash = std::min(range.find('-'), range.size());
      const std::string first(range.substr(0, dash));
      const std::string last(dash < range.size() ? range.substr(dash + 1) : range.substr(0, dash));
      const long from = std::strtol(first.c_str(), nullptr, 10);
      const long to = std::strtol(last.c_str(), nullptr, 10);
      for (long i = from; i <= to && names.size() < kMostNames; ++i) {
        const std::string digits = padded(i, first.size());
        // Only one pair of brackets is unfolded here; a second one is left to the next turn.
        for (std::string& name : expand_node_list(after.empty() ? "" : before + digits + after)) {
          names.push_back(std::move(name));
        }
        if (after.empty()) names.push_back(before + digits);
      }
    }
  }
  return names;
}

std::string fold_node_list(const std::vector<std::string>& names) {
  constexpr std::size_t kMostDigits = 9;
  std::map<Group, std::set<long>> numbered;
  std::set<std::string> plain;
  // Sorted, so that padded names come before the longer ones that need no padding.
  for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
    std::size_t at = name.size();
    while (at > 0 && std::isdigit(static_cast<unsigned char>(name[at - 1])) != 0) --at;
    const std::string digits = name.substr(at);
    if (digits.empty() || digits.size() > kMostDigits) {
      plain.insert(name);
      continue;
    }
    // 10 after 09 belongs to the same padded names; alone it has no width of its own.
    const bool leads = digits[0] == '0' && digits.size() > 1;
    std::size_t width = leads ? digits.size() : 0;
    if (!leads && numbered.count({name.substr(0, at), digits.size()}) > 0) width = digits.size();
    numbered[{name.substr(0, at), width}].insert(std::strtol(digits.c_str(), nullptr, 10));
  }
  std::string text;
  for (const auto& [group, numbers] : numbered) {
    const bool one = numbers.size() == 1;
    text += (text.empty() ? "" : ",") + group.first + (one ? "" : "[") +
            ranges_of(numbers, group.second) + (one ? "" : "]");
  }
  for (const std::string& name : plain) text += (text.empty() ? "" : ",") + name;
  return text;
}

}  // namespace kneepoint

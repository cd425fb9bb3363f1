// SPDX-License-Identifier: Apache-2.0
//
// A number that is not there breaks its rule: silence is no proof of a right answer.
#include "agents/agent/supervise/sanity.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/base/json_text.h"

namespace kneepoint::agent {
namespace {

std::string bounds_text(const SanityRule& rule) {
  std::string text;
  if (rule.equals) {
    text = "must be " + json_number(*rule.equals) + " within " +
           (rule.relative ? json_number(rule.tolerance * 100) + "%" : json_number(rule.tolerance));
  }
  if (rule.at_least) text = "must be at least " + json_number(*rule.at_least);
  if (rule.at_most) {
    text +=
        (text.empty() ? "must be" : " and") + std::string(" at most ") + json_number(*rule.at_most);
  }
  return text;
}

bool holds(const SanityRule& rule, double value) {
  if (rule.at_least && !(value >= *rule.at_least)) return false;
  if (rule.at_most && !(value <= *rule.at_most)) return false;
  if (!rule.equals) return true;
  const double room = rule.relative ? rule.tolerance * std::abs(*rule.equals) : rule.tolerance;
  return std::abs(value - *rule.equals) <= room;
}

}  // namespace

std::string name_of(const SanityRule& rule, int number) {
  const std::string opening = "sanity rule " + std::to_string(number) + ": ";
  const std::string where = rule.from == "file" ? "'" + rule.file + "'" : rule.from;
  switch (rule.kind) {
    case SanityRule::Kind::must_match:
      return opening + where + " must match '" + rule.pattern + "'";
    case SanityRule::Kind::must_not_match:
      return opening + where + " must not match '" + rule.pattern + "'";
    case SanityRule::Kind::exit_codes:
      return opening + "exit codes";
    case SanityRule::Kind::metric:
      return opening + rule.metric + " " + bounds_text(rule);
  }
  return opening;
}

std::optional<std::string> broken_by_text(const SanityRule& rule, int number,
                                          const std::optional<std::string>& found) {
  constexpr std::size_t kQuoted = 160;
  if (rule.kind == SanityRule::Kind::must_match && !found) {
    return name_of(rule, number) + ", but no line does";
  }
  if (rule.kind == SanityRule::Kind::must_not_match && found) {
    return name_of(rule, number) + ", but a line does: " + json_quote(found->substr(0, kQuoted));
  }
  return std::nullopt;
}

std::vector<std::string> broken_by_values(const std::vector<SanityRule>& rules,
                                          const std::vector<record::Metric>& metrics) {
  std::vector<std::string> broken;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const SanityRule& rule = rules[i];
    if (rule.kind != SanityRule::Kind::metric) continue;
    const std::string name = name_of(rule, static_cast<int>(i) + 1);
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const auto& metric) { return metric.name == rule.metric; });
    if (found == metrics.end()) {
      broken.push_back(name + ", but the program gave none");
    } else if (!holds(rule, found->value)) {
      broken.push_back(name + ", found " + json_number(found->value));
    }
  }
  return broken;
}

std::vector<int> allowed_exit_codes(const std::vector<SanityRule>& rules) {
  for (const SanityRule& rule : rules) {
    if (rule.kind == SanityRule::Kind::exit_codes) return rule.exit_codes;
  }
  return {0};
}

}  // namespace kneepoint::agent

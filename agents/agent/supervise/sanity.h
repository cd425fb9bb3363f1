// SPDX-License-Identifier: Apache-2.0
//
// The plan's rules for a right answer, applied to what the program left. Pure: each rule that is
// broken gives one sentence that names it and what was found.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/wire/allocation.h"
#include "agents/wire/record.h"

namespace kneepoint::agent {

// "sanity rule 2: stderr must not match 'NaN'": how a rule is named in every sentence.
std::string name_of(const SanityRule& rule, int number);

// Of a rule about text: `found` is what matches, nothing if no line does.
std::optional<std::string> broken_by_text(const SanityRule& rule, int number,
                                          const std::optional<std::string>& found);

// The rules about numbers.
std::vector<std::string> broken_by_values(const std::vector<SanityRule>& rules,
                                          const std::vector<record::Metric>& metrics);

// Exit codes that count as a good end; {0} without such a rule.
std::vector<int> allowed_exit_codes(const std::vector<SanityRule>& rules);

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// Pieces of the plan language that appear in several places: scale, environment, formulas, names.
// Like every reader here they put problems on the view's list and go on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/plan.h"
#include "orchestrator/plan/yaml/view.h"

namespace kneepoint {

constexpr int kMaxK = 1'000'000;
constexpr int kMaxKs = 10'000;  // distinct K of one scale

std::optional<Scale> read_scale(const YamlView& view);

// Names are checked; values may hold placeholders, which `known` lists.
std::vector<EnvironmentVariable> read_environment(const YamlView& view,
                                                  const std::vector<std::string>& known);

// A number or a formula over `names`; "" if absent or wrong.
std::string read_formula(const YamlView& view, const std::vector<std::string>& names);

// {placeholders} of the text that are not in `known` are problems.
void check_placeholders(const YamlView& view, const std::string& text,
                        const std::vector<std::string>& known);

bool is_plain_name(std::string_view text);  // [A-Za-z0-9_-], 1 to 64
bool is_currency(std::string_view text);    // capitals and digits, 2 to 8: "USD", "SU"

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// {size}, {K}, {parameter} in commands and environment values. Only `{name}` is a placeholder;
// `{{name}}` stands for the text `{name}`, and any other brace for itself. The replaced text is one
// argument as it is: nothing here passes through a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/plan.h"

namespace kneepoint {

// K size mode ranks nodes ranks_per_node threads gpus_per_node seed build: no parameter may be
// called so. {build} has a value only with `run --ab`.
const std::vector<std::string>& built_in_placeholders();

std::vector<std::string> placeholders_in(std::string_view text);

// Names without a value stay as they are.
std::string replace_placeholders(std::string_view text, std::span<const Parameter> values);

}  // namespace kneepoint

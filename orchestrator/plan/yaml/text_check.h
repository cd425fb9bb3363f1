// SPDX-License-Identifier: Apache-2.0
//
// What is looked at before and after the YAML parser: the bytes as such, and what a syntax error
// most likely means.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

// Too big, not UTF-8, or with control characters: the first reason not to parse it at all.
std::optional<Problem> refuse_text(std::string_view text, const std::string& path,
                                   std::size_t max_bytes);

// A parser's complaint with its place; a tab in the indentation near it is named as the cause.
Problem explain_syntax(std::string_view text, const std::string& path, int line, int column,
                       const std::string& complaint);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// One problem of a file that a person wrote, how it is shown, and what is looked at before and
// after any parser: the bytes as such, and what a syntax error most likely means.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/fields.h"

namespace kneepoint {

struct Problem {
  std::string file;
  int line = 0;  // 1-based; 0: the file as a whole
  int column = 0;
  std::string key;  // "workloads[0].size.weak"
  std::string message;
  KP_DESCRIBED(Problem, file, line, column, key, message);
};

// "plans/x.yaml:7:3: workloads[0].sizee: unknown key; did you mean 'size'?"
std::string to_string(const Problem& problem);
std::string to_string(const std::vector<Problem>& problems);  // one a line

// Where a value of a file stands, by its dotted key. A key without an Origin has its default.
struct Origin {
  std::string key;
  int line = 0;
  int column = 0;
};

// Gives problems that were found away from the file (while expanding a plan) the place of their
// key, or of the nearest key above it.
void locate(std::vector<Problem>& problems, const std::vector<Origin>& origins);

// Too big, not UTF-8, or with control characters: the first reason not to parse it at all.
std::optional<Problem> refuse_text(std::string_view text, const std::string& path,
                                   std::size_t max_bytes);

// A parser's complaint with its place; a tab in the indentation near it is named as the cause.
Problem explain_syntax(std::string_view text, const std::string& path, int line, int column,
                       const std::string& complaint);

}  // namespace kneepoint

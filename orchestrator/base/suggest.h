// SPDX-License-Identifier: Apache-2.0
//
// "did you mean": the nearest of a set of known words, if it is near enough to be a slip.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kneepoint {

// The nearest word by edit distance (transpositions count one), or "" when none is within a third
// of the word's length (at least 1, at most 3).
std::string nearest_word(std::string_view word, std::span<const std::string> known);

}  // namespace kneepoint

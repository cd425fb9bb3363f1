// SPDX-License-Identifier: Apache-2.0
//
// A request's path and query, taken apart. Pure. A part that could lead elsewhere ("..", a hidden
// slash, a zero byte) makes the whole path one that is not understood.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kneepoint {

struct RequestTarget {
  std::vector<std::string> parts;  // of the path, between slashes, decoded; "/" has none
  std::vector<std::pair<std::string, std::string>> query;

  std::optional<std::string> value(std::string_view name) const;  // the first of that name
  std::vector<std::string> values(std::string_view name) const;
};

// None: not to be understood, 400.
std::optional<RequestTarget> read_target(std::string_view path, std::string_view query);

// "%41" -> "A"; none: a '%' that nothing follows. `form`: '+' is a space, as in queries.
std::optional<std::string> percent_decoded(std::string_view text, bool form);

}  // namespace kneepoint

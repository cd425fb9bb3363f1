// SPDX-License-Identifier: Apache-2.0
//
// A number out of a JSON text by a path. The text is a document, or lines of which some are: then
// the last that is one counts, as programs print a log before their result.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kneepoint::agent {

struct JsonNumber {
  std::optional<double> value;
  std::string problem;  // "'timing' has no 'total'; it has 'setup', 'solve'"
};

JsonNumber json_number_at(std::string_view text, const std::string& path);

}  // namespace kneepoint::agent

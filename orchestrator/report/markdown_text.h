// SPDX-License-Identifier: Apache-2.0
//
// Text that goes into Markdown as it is: no name of a plan adds a column, a link or a line.
#pragma once

#include <string>
#include <string_view>

namespace kneepoint {

std::string markdown_text(std::string_view text);

}  // namespace kneepoint

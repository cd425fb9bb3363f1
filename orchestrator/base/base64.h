// SPDX-License-Identifier: Apache-2.0
//
// base64 with padding and without line breaks, as JSON, YAML and logs carry it.
#pragma once

#include <string>
#include <string_view>

namespace kneepoint {

std::string base64_encoded(std::string_view bytes);
bool base64_decoded(std::string_view text, std::string& bytes);  // false: it is none

}  // namespace kneepoint

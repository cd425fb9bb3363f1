// SPDX-License-Identifier: Apache-2.0
//
// The dashboard's API as an OpenAPI 3.1 document, made of the table of routes.
#pragma once

#include <string>

namespace kneepoint {

std::string openapi_json();

}  // namespace kneepoint

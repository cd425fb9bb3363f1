// SPDX-License-Identifier: Apache-2.0
//
// The name that every object of the dashboard's API carries; it changes when a key changes its
// meaning or goes, not when one comes.
#pragma once

namespace kneepoint {

inline constexpr char kApiSchema[] = "kneepoint.api/1";

}  // namespace kneepoint

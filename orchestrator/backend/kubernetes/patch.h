// SPDX-License-Identifier: Apache-2.0
//
// A strategic merge, as far as a pod's specification needs it. Pure. Maps are merged key by key,
// null removes, lists of things with names are merged by name, and other lists are replaced.
#pragma once

#include <string>

namespace kneepoint {

// Texts in JSON, both of them maps.
std::string kube_patched(const std::string& original, const std::string& patch);

}  // namespace kneepoint

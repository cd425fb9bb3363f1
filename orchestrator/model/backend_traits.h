// SPDX-License-Identifier: Apache-2.0
//
// What sets the kinds of backends apart for those who plan, look for files and judge. One row each:
// a new backend gets one here and one in the table of backend/, and nobody else asks which it is.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "orchestrator/model/site.h"

namespace kneepoint {

struct BackendTraits {
  BackendKind kind;
  const char* word;      // in a site's file and in the store
  StarterKind starter;   // unless the site names one
  bool is_this_machine;  // its cores are counted here, its agent is a file of this machine
  bool has_images;       // programs lie in images, and no folder is shared with them
  bool runs_programs;    // its times are measured
};

std::span<const BackendTraits> backend_traits();
const BackendTraits& traits_of(BackendKind kind);
std::optional<BackendKind> parse_backend(std::string_view word);

}  // namespace kneepoint

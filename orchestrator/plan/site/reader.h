// SPDX-License-Identifier: Apache-2.0
//
// Reads a site file; the same manners as the plan's reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/site.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct KeySet;

struct SiteRead {
  Site site;
  std::vector<Problem> problems;
  std::vector<Origin> origins;  // of every value that the file gives
};

SiteRead read_site(std::string_view text, const std::string& path);

const KeySet& site_keys();

// The site used when none is given: this machine, mpirun.
Site built_in_local_site();

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The part of a site that is for live reports.
#pragma once

#include "orchestrator/model/site.h"
#include "orchestrator/plan/yaml/view.h"

namespace kneepoint {

void read_push(const YamlView& view, Site& site);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The `kubernetes` section of a site file. What only the API server can judge (does the image, the
// class, the queue exist?) is left to `check --site`; forms are checked here.
#pragma once

#include <string_view>

#include "orchestrator/model/site.h"
#include "orchestrator/plan/yaml/view.h"

namespace kneepoint {

// `root` is the site; its backend is known already.
void read_kubernetes(const YamlView& root, Site& site);

// "2", "500m", "1.5Gi", "1e3": an amount as Kubernetes writes it, above 0.
bool is_kube_quantity(std::string_view text);
// Lower case letters, digits and '-', at most 63; with `dots` also '.', at most 253.
bool is_kube_name(std::string_view text, bool dots);

}  // namespace kneepoint

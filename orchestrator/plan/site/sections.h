// SPDX-License-Identifier: Apache-2.0
//
// Sections of a site file, private to its reader. What only the API server can judge (does the
// image, the class, the queue exist?) is left to `check --site`; forms are checked here.
#pragma once

#include <string>
#include <string_view>

#include "orchestrator/model/site.h"
#include "orchestrator/plan/yaml/view.h"

namespace kneepoint {

// `root` is the site; its backend is known already.
void read_kubernetes(const YamlView& root, Site& site);
const KeySet& kubernetes_keys();

// Live reports: every problem that can be seen without listening.
void read_push(const YamlView& view, Site& site);
const KeySet& push_keys();

void read_path(const YamlView& view, std::string& path);  // not empty

// "2", "500m", "1.5Gi", "1e3": an amount as Kubernetes writes it, above 0.
bool is_kube_quantity(std::string_view text);
// Lower case letters, digits and '-', at most 63; with `dots` also '.', at most 253.
bool is_kube_name(std::string_view text, bool dots);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// What a workload says of its program beyond the command line: metrics, sanity rules, files kept
// and files staged. Like every reader here it puts problems on the view's list and goes on.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/model/plan.h"
#include "orchestrator/plan/yaml/view.h"

namespace kneepoint {

// `known`: placeholders that names of files may hold. Fills in `metrics` and `program`.
void read_program_files(const YamlView& workload_view, const std::vector<std::string>& known,
                        WorkloadSpec& workload);

// What the plan's `noise` says.
void read_noise(const YamlView& view, NoiseSpec& noise);

// A path that stays in the folder it is meant for: relative, without "..", not empty.
bool is_inside(const std::string& path);

}  // namespace kneepoint

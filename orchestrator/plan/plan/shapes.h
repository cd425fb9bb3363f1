// SPDX-License-Identifier: Apache-2.0
//
// From K to machines: which K a scale stands for, and the shape of one K on one site. Pure.
#pragma once

#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/model/plan.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/plan/matrix.h"

namespace kneepoint {

// One combination of the plan's shape lists.
struct ShapeChoice {
  int ranks_per_node = 0;  // 0: not given
  int threads_per_rank = 1;
};
std::vector<ShapeChoice> shape_choices(const ShapeSpec& spec);

// The site's capacity, cut to the ceilings of site and plan.
SiteCapacity usable_capacity(const SiteCapacity& capacity, const Site& site, const Limits& limits);

// As many workers as the site holds; 0: unknown.
int workers_that_fit(const Plan& plan, const ShapeChoice& choice, const SiteCapacity& capacity);

// Ascending, distinct; `to: site` needs site_workers > 0.
Result<std::vector<int>> resolve_scale(const Scale& scale, int site_workers);

// `local`: everything is on one node, however much it is.
Result<Shape> resolve_shape(const Plan& plan, const ShapeChoice& choice, int k, bool local,
                            const SiteCapacity& capacity);

}  // namespace kneepoint

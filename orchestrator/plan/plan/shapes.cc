// SPDX-License-Identifier: Apache-2.0
//
// From K to machines: numbers of nodes, ranks and threads for each worker unit.
#include <algorithm>

#include "orchestrator/model/site.h"
#include "orchestrator/plan/plan/matrix.h"
#include "orchestrator/plan/plan/parts.h"

namespace kneepoint {
namespace {

// The smaller of two, where 0 means "no limit".
int tighter(int a, int b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

Error invalid(std::string message) {
  return Error{ErrorCode::invalid, std::move(message), false};
}

int gpus_per_node(const Plan& plan, const SiteCapacity& capacity) {
  return plan.shape.gpus_per_node > 0 ? plan.shape.gpus_per_node : capacity.gpus_per_node;
}

}  // namespace

std::vector<ShapeChoice> shape_choices(const ShapeSpec& spec) {
  const std::vector<int> unknown = {0};
  std::vector<ShapeChoice> choices;
  for (const int ranks : spec.ranks_per_node.empty() ? unknown : spec.ranks_per_node) {
    for (const int threads : spec.threads_per_rank) choices.push_back({ranks, threads});
  }
  return choices;
}

SiteCapacity usable_capacity(const SiteCapacity& capacity, const Site& site, const Limits& limits) {
  SiteCapacity usable = capacity;
  usable.nodes = tighter(capacity.nodes, tighter(site.limits.nodes, limits.nodes));
  if (traits_of(site.backend).is_this_machine) {
    usable.cores_per_node = tighter(capacity.cores_per_node, site.limits.cores);
  }
  return usable;
}

int workers_that_fit(const Plan& plan, const ShapeChoice& choice, const SiteCapacity& capacity) {
  std::int64_t workers = capacity.nodes;
  if (plan.worker == WorkerUnit::gpu) workers *= gpus_per_node(plan, capacity);
  if (plan.worker == WorkerUnit::rank) {
    const int that_fit = capacity.cores_per_node / choice.threads_per_rank;
    workers *= choice.ranks_per_node > 0 ? tighter(choice.ranks_per_node, that_fit) : that_fit;
  }
  return static_cast<int>(std::min<std::int64_t>(workers, kMaxK));
}

Result<std::vector<int>> resolve_scale(const Scale& scale, int site_workers) {
  if (scale.by == Scale::By::list) return scale.list;
  if (scale.to_site && site_workers <= 0) {
    return invalid("the site does not say how many workers it holds; give a number");
  }
  const int to = scale.to_site ? site_workers : scale.to;
  if (to < scale.from) {
    return invalid("the site holds " + std::to_string(to) + " workers, fewer than 'from' (" +
                   std::to_string(scale.from) + ")");
  }
  std::vector<int> ks;
  for (std::int64_t k = scale.from; k <= to;) {
    if (ks.size() == kMaxKs) {
      return invalid("more than " + std::to_string(kMaxKs) + " different K; take a larger step");
    }
    ks.push_back(static_cast<int>(k));
    k = scale.by == Scale::By::doubling ? 2 * k : k + scale.step;
  }
  return ks;
}

Result<Shape> resolve_shape(const Plan& plan, const ShapeChoice& choice, int k, bool local,
                            const SiteCapacity& capacity) {
  Shape shape;
  shape.threads_per_rank = choice.threads_per_rank;
  shape.bind = plan.shape.bind;
  shape.gpus_per_node = plan.shape.gpus_per_node;
  std::int64_t ranks = k;
  int per_node = choice.ranks_per_node;
  switch (plan.worker) {
    case WorkerUnit::node:
      if (local && k > 1) {
        return invalid("K=" + std::to_string(k) +
                       " asks for that many nodes, but the site is one machine; use worker: rank");
      }
      per_node = std::max(per_node, 1);
      ranks = static_cast<std::int64_t>(k) * per_node;
      break;
    case WorkerUnit::rank:
      if (per_node == 0) per_node = capacity.cores_per_node / choice.threads_per_rank;
      if (per_node == 0) per_node = capacity.cores_per_node > 0 ? 1 : k;
      break;
    case WorkerUnit::gpu:
      shape.gpus_per_node = gpus_per_node(plan, capacity);
      if (shape.gpus_per_node == 0) {
        return invalid(
            "a worker is a GPU, but neither shape.gpus_per_node nor the site says how many "
            "GPUs a node has");
      }
      per_node = shape.gpus_per_node;
      break;
  }
  if (ranks * choice.threads_per_rank > 100'000'000) {
    return invalid("K=" + std::to_string(k) + " comes to " + std::to_string(ranks) +
                   " ranks; that is beyond any machine");
  }
  shape.ranks = static_cast<int>(ranks);
  shape.ranks_per_node = local ? shape.ranks : std::min(shape.ranks, per_node);
  shape.nodes = ceil_div(shape.ranks, shape.ranks_per_node);
  return shape;
}

}  // namespace kneepoint

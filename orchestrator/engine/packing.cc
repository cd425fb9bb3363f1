// SPDX-License-Identifier: Apache-2.0
//
// Contiguous pieces of the order: with the usual interleaving each allocation holds whole repeats
// of every point, its own baseline included.
#include "orchestrator/engine/packing.h"

#include <algorithm>

namespace kneepoint {
namespace {

// Cuts `order` into pieces of at most `most` steps whose limits fit; a pair stays together even if
// it is more than that.
std::vector<std::vector<int>> cut(const std::vector<int>& order,
                                  const std::vector<PackItem>& waiting, std::size_t most,
                                  Nanoseconds limit) {
  std::vector<std::vector<int>> batches;
  Nanoseconds taken = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    Nanoseconds needs = 0;
    for (bool more = true; more && end < order.size(); ++end) {
      const PackItem& item = waiting[static_cast<std::size_t>(order[end])];
      needs += item.limit + kStepMargin;
      more = item.with_next;
    }
    if (batches.empty() || batches.back().size() + (end - first) > most || taken + needs > limit) {
      batches.emplace_back();
      taken = 0;
    }
    for (; first < end; ++first) batches.back().push_back(order[first]);
    taken += needs;
  }
  return batches;
}

}  // namespace

std::vector<std::vector<int>> pack(const std::vector<PackItem>& waiting, const Packing& packing,
                                   int places, int most_nodes) {
  const bool packed = packing.mode == PackingMode::packed;
  std::vector<int> order, alone;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const bool too_large = packed && most_nodes > 0 && waiting[i].nodes > most_nodes;
    (too_large ? alone : order).push_back(static_cast<int>(i));
  }
  if (!packed) return cut(order, waiting, 1, packing.limit);

  const std::size_t most = packing.steps > 0 ? static_cast<std::size_t>(packing.steps)
                                             : std::max<std::size_t>(1, order.size());
  std::vector<std::vector<int>> batches = cut(order, waiting, most, packing.limit);
  if (!batches.empty()) {
    // As many pieces as needed, and at least one for each place; all of about the same length.
    const std::size_t wanted = std::max<std::size_t>(
        batches.size(), std::min(order.size(), static_cast<std::size_t>(std::max(1, places))));
    std::size_t even = (order.size() + wanted - 1) / wanted;
    const bool pairs = std::any_of(waiting.begin(), waiting.end(),
                                   [](const PackItem& item) { return item.with_next; });
    if (pairs) even += even % 2;
    batches = cut(order, waiting, std::min(most, even), packing.limit);
  }
  for (const int index : alone) batches.push_back({index});
  return batches;
}

Nanoseconds longest_allocation(const Packing& packing, Nanoseconds timeout) {
  if (packing.mode == PackingMode::one_per_run) return timeout;
  return std::max(packing.limit, timeout + kStepMargin);
}

int wished_concurrent(const Packing& packing, const Limits& plan, int asked) {
  if (packing.mode == PackingMode::one_per_run) return asked;
  const int wish = asked > 0 ? asked : plan.concurrent;
  return wish > 0 ? std::min(wish, packing.allocations) : packing.allocations;
}

}  // namespace kneepoint

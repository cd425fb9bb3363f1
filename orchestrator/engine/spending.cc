// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/spending.h"

#include <algorithm>

namespace kneepoint {
namespace {

void widen(HeldAllocation& held, const Point& point) {
  const Use use = use_of(point);
  held.nodes = std::max(held.nodes, use.nodes);
  held.gpus = std::max(held.gpus, use.gpus);
  held.cores = std::max(held.cores, use.cores);
  held.workers = std::max(held.workers, use.workers);
}

}  // namespace

std::int64_t Spending::bill(const HeldAllocation& held) const {
  return bill_of(price_for(held, *price_, earlier_), held);
}

void Spending::begin(const StudyEvidence& evidence) {
  node_seconds_ = evidence.node_seconds;
  held_.clear();
  micros_ = 0;
  if (!price_) return;
  for (const HeldAllocation& allocation : evidence.allocations) {
    held_[allocation.name] = allocation;
    micros_ += bill(allocation);
  }
}

void Spending::add(const std::string& allocation, const Point& point, int nodes, Nanoseconds held) {
  node_seconds_ += to_seconds(held) * nodes;
  if (!price_) return;
  const auto [found, first] = held_.try_emplace(allocation, HeldAllocation{allocation});
  if (!first) micros_ -= bill(found->second);
  widen(found->second, point);
  found->second.nodes = std::max(found->second.nodes, nodes);
  found->second.held_ns += held;
  micros_ += bill(found->second);
}

std::int64_t Spending::added_by(const std::string& allocation,
                                const std::vector<const Point*>& points, double seconds) const {
  if (!price_) return 0;
  const auto found = held_.find(allocation);
  HeldAllocation held = found == held_.end() ? HeldAllocation{allocation} : found->second;
  const std::int64_t before = found == held_.end() ? 0 : bill(held);
  for (const Point* point : points) widen(held, *point);
  held.held_ns += from_seconds(seconds);
  return bill(held) - before;
}

std::string Spending::text() const {
  return price_ ? rounded_text({micros_, price_->currency}) : "";
}

}  // namespace kneepoint

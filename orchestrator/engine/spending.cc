// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/spending.h"

#include <algorithm>

#include "orchestrator/engine/requests.h"
#include "orchestrator/plan/plan/builds.h"

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

// How long a run takes: as its point did before, else as the model says, else its time limit.

namespace {

StepTimes times_of(const RunState& run, const RunTable& table, const Study& study) {
  const Point& point = study.points[run.point];
  double expected = table.expected_seconds(run.point);
  if (expected <= 0) expected = point.modelled_seconds;
  const bool was_cut = run.row.last && run.row.last->reason == Reason::over_budget;
  return step_times(point.shape.nodes, from_seconds(std::max(0.0, expected)),
                    study.plan.limits.timeout, was_cut ? run.row.last->limit_ns : 0);
}

}  // namespace

Nanoseconds limit_of(const AttemptRow& attempt, const Limits& limits) {
  return attempt.limit_ns > 0 ? attempt.limit_ns : limits.timeout;
}

Need need_of_all(const std::vector<int>& runs, RunTable& table, const Study& study,
                 const Capabilities& backend, const Spending& spending, bool packed) {
  Need all;
  std::vector<const Point*> points;
  for (const int index : runs) {
    const Point& point = study.points[table.at(index).point];
    const Need one = need_of(point, backend);
    all.nodes = std::max(all.nodes, one.nodes);
    all.cpus = std::max(all.cpus, one.cpus);
    all.claim.steps.push_back(times_of(table.at(index), table, study));
    points.push_back(&point);
  }
  all.claim.overrun = backend.overrun;
  all.claim.step_margin = packed ? kStepMargin : 0;
  if (spending.has_price()) {
    all.claim.bill = [points, &spending](std::size_t steps, Nanoseconds held) {
      return spending.added_by("", {points.begin(), points.begin() + static_cast<long>(steps)},
                               to_seconds(held));
    };
  }
  return all;
}

std::vector<PackItem> pack_items(RunTable& table, const Study& study, std::size_t count) {
  std::vector<PackItem> items;
  items.reserve(count);
  const std::vector<int> others = study.plan.builds.empty() ? std::vector<int>() : partners(study);
  for (std::size_t i = 0; i < count; ++i) {
    const RunState& run = table.at(table.waiting()[i]);
    items.push_back({study.points[run.point].shape.nodes, study.plan.limits.timeout, false});
    if (others.empty() || i == 0) continue;
    const RunState& before = table.at(table.waiting()[i - 1]);
    items[i - 1].with_next = others[static_cast<std::size_t>(before.point)] == run.point &&
                             before.row.repeat == run.row.repeat;
  }
  return items;
}

Usage usage_of(RunTable& table, const Study& study, const Capabilities& backend,
               const Spending& spending, bool packed) {
  Usage usage;
  usage.node_seconds = spending.node_seconds();
  usage.micros = spending.micros();
  for (const auto& [id, allocation] : table.allocations()) {
    BudgetClaim claim;
    claim.overrun = backend.overrun;
    claim.step_margin = packed ? kStepMargin : 0;
    std::vector<Nanoseconds> limits;
    std::vector<const Point*> points;
    int cpus = 0;
    for (const int index : allocation.members) {
      const RunState& run = table.at(index);
      const Point& point = study.points[run.point];
      limits.push_back(limit_of(run.active->row, study.plan.limits));
      points.push_back(&point);
      cpus = std::max(cpus, need_of(point, backend).cpus);
    }
    const double held = to_seconds(longest_hold(claim, limits));
    ++usage.runs;
    usage.nodes += allocation.nodes;
    usage.cpus += cpus;
    usage.node_seconds += held * allocation.nodes;
    usage.micros += spending.added_by(allocation.job.name, points, held);
  }
  return usage;
}

}  // namespace kneepoint

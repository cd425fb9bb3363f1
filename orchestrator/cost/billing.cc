// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cost/billing.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/base/ensure.h"
#include "orchestrator/model/money.h"

namespace kneepoint {

namespace {

constexpr double kHoursOfAYear = 8766;
constexpr double kNeverEnds = 30;  // e^30 times the time: a run that is always interrupted
constexpr double kWattSecondsOfKwh = 3.6e6;

std::int64_t scaled(std::int64_t micros, double by) {
  return round_micros(to_units(micros) * by);
}

Nanoseconds billed_time(const PriceItem& item, Nanoseconds held) {
  const Nanoseconds step = std::max<Nanoseconds>(item.granularity, 1);
  const Nanoseconds steps = held / step + (held % step != 0 ? 1 : 0);
  return std::max(item.minimum, steps * step);
}

int tokens_of(const LicencePrice& licence, const Use& use) {
  switch (licence.per) {
    case LicencePrice::Per::job:
      return licence.tokens;
    case LicencePrice::Per::node:
      return licence.tokens * use.nodes;
    case LicencePrice::Per::core:
      return licence.tokens * use.cores;
    case LicencePrice::Per::worker:
      return licence.tokens * use.workers;
  }
  return licence.tokens;
}

}  // namespace

Use use_of(const Point& point) {
  Use use;
  use.nodes = point.shape.nodes;
  use.gpus = point.shape.gpus_per_node * point.shape.nodes;
  use.cores = point.shape.cpus();
  use.workers = point.k;
  return use;
}

std::int64_t node_hour(const PriceItem& item) {
  std::int64_t rate = item.per_node_hour;
  if (item.owned) {
    const OwnedPrice& owned = *item.owned;
    const double a_year =
        to_units(owned.price_per_node) / owned.years +
        owned.watts_per_node / 1000 * owned.pue * kHoursOfAYear * to_units(owned.per_kwh) +
        to_units(owned.staff_per_year) / owned.nodes;
    rate += round_micros(a_year / (kHoursOfAYear * owned.utilisation));
  }
  return std::min(scaled(rate, item.charge_factor), kMostMicros);
}

Bill bill_run(const PriceItem& item, const Use& use, Nanoseconds time) {
  ENSURE(time >= 0 && use.nodes >= 1, "a run without time or nodes");
  Bill bill;
  const Nanoseconds held = item.setup + time + item.teardown;
  bill.billed = billed_time(item, held);
  const auto add = [&](const std::string& name, std::int64_t micros) {
    if (micros == 0) return;
    bill.parts.push_back({name, micros});
    bill.total += micros;
  };
  const auto rate = [&](std::int64_t micros) {
    return std::min(scaled(micros, item.charge_factor), kMostMicros);
  };
  add("nodes", per_hour(node_hour(item), use.nodes, bill.billed));
  add("gpus", per_hour(rate(item.per_gpu_hour), use.gpus, bill.billed));
  add("cores", per_hour(rate(item.per_core_hour), use.cores, bill.billed));
  add("hourly fee", per_hour(item.per_hour, 1, bill.billed));
  add("job fee", item.per_job);
  for (const LicencePrice& licence : item.licences) {
    add("licence " + licence.name,
        per_hour(licence.per_token_hour, tokens_of(licence, use), bill.billed));
  }
  add("storage",
      round_micros(to_units(item.per_gb_hour) * item.storage_gb * to_seconds(bill.billed) / 3600));
  add("egress", scaled(item.per_gb_egress, item.egress_gb));
  const EnergyPrice& energy = item.energy;
  bill.kwh = energy.pue *
             (use.nodes * energy.idle_watts_per_node + use.workers * energy.busy_watts_per_worker) *
             to_seconds(held) / kWattSecondsOfKwh;
  add("energy", scaled(energy.per_kwh, bill.kwh));
  return bill;
}

std::optional<Nanoseconds> expected_time(const SpotTerms& spot, int nodes, Nanoseconds time) {
  const double rate = spot.interruptions_per_node_hour * nodes;  // an hour
  if (rate <= 0) return time;
  const double hours = to_seconds(time) / 3600, restart = to_seconds(spot.restart) / 3600;
  double expected = 0;
  if (spot.checkpoint > 0) {
    const double checkpoint = to_seconds(spot.checkpoint) / 3600;
    expected = hours * (1 + std::sqrt(2 * checkpoint * rate) + rate * restart);
  } else {
    if (rate * hours > kNeverEnds) return std::nullopt;
    expected = (1 / rate + restart) * std::expm1(rate * hours);
  }
  if (expected > 1e5) return std::nullopt;
  return static_cast<Nanoseconds>(std::llround(expected * static_cast<double>(kHour)));
}

std::optional<double> break_even_share(const SpotTerms& spot, int nodes, Nanoseconds time) {
  const auto expected = expected_time(spot, nodes, time);
  if (!expected || *expected <= 0) return std::nullopt;
  return static_cast<double>(time) / static_cast<double>(*expected);
}

std::int64_t bill_of(const StudyPrice& price, const HeldAllocation& allocation) {
  const Use use{allocation.nodes, allocation.gpus, allocation.cores, allocation.workers};
  return bill_run(price.item, use, allocation.held_ns).total;
}

const StudyPrice& price_for(const HeldAllocation& allocation, const StudyPrice& present,
                            const std::vector<StudyPrice>& earlier) {
  const auto number = static_cast<std::size_t>(allocation.price);
  return allocation.price >= 1 && number <= earlier.size() ? earlier[number - 1] : present;
}

Money spend_of(const StudyEvidence& evidence, const StudyPrice& price,
               const std::vector<StudyPrice>& earlier) {
  Money sum{0, price.currency};
  for (const HeldAllocation& allocation : evidence.allocations) {
    sum.micros += bill_of(price_for(allocation, price, earlier), allocation);
  }
  return sum;
}

}  // namespace kneepoint

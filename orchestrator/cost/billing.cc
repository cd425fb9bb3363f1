// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cost/billing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "orchestrator/analysis/statistics/intervals.h"
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
  using Per = LicencePrice::Per;
  return licence.tokens * (licence.per == Per::node     ? use.nodes
                           : licence.per == Per::core   ? use.cores
                           : licence.per == Per::worker ? use.workers
                                                        : 1);
}

constexpr double kLongRun = 1e5;  // seconds: its bill has many digits

// Of one result when a run takes `seconds`; none: it would never end.
std::optional<double> result_cost(const PriceItem& item, const PricedRuns& runs, double seconds) {
  const auto bill = bill_of(item, runs.use, seconds);
  if (!bill) return std::nullopt;
  return to_units(bill->total) / runs.results / runs.success;
}

PriceItem with_price(PriceItem item, PriceUnit unit, std::int64_t micros) {
  item.owned.reset();
  item.per_node_hour = unit == PriceUnit::node ? micros : item.per_node_hour;
  item.per_gpu_hour = unit == PriceUnit::gpu ? micros : item.per_gpu_hour;
  item.per_core_hour = unit == PriceUnit::core ? micros : item.per_core_hour;
  return item;
}

// Nothing but hours, exactly as long as a run takes.
bool charges_time_alone(const PriceItem& item) {
  return item.per_job == 0 && item.minimum == 0 && item.granularity <= 1 && item.setup == 0 &&
         item.teardown == 0 && item.licences.empty() && item.per_gb_hour == 0 &&
         item.per_gb_egress == 0 && item.energy.per_kwh == 0 && item.per_hour == 0 &&
         item.spot.interruptions_per_node_hour == 0;
}

int hours_charged(const PriceItem& item) {
  return static_cast<int>(item.per_node_hour > 0 || item.owned.has_value()) +
         static_cast<int>(item.per_gpu_hour > 0) + static_cast<int>(item.per_core_hour > 0);
}

// The bill is linear in the price: two bills give the line.
std::optional<double> solve(const PriceItem& item_a, const PricedRuns& a, double seconds_a,
                            const PriceItem& item_b, const PricedRuns& b, double seconds_b,
                            PriceUnit unit) {
  const auto here = result_cost(item_a, a, seconds_a);
  const auto fixed = result_cost(with_price(item_b, unit, 0), b, seconds_b);
  const auto most = result_cost(with_price(item_b, unit, kMostMicros), b, seconds_b);
  if (!here || !fixed || !most || !(*most > *fixed)) return std::nullopt;
  return (*here - *fixed) / (*most - *fixed) * to_units(kMostMicros);
}

double resampled_median(const std::vector<double>& values, Random& random) {
  std::vector<double> drawn(values.size());
  for (double& one : drawn) one = values[draw(random, values.size())];
  return median(std::move(drawn));
}

}  // namespace

Use use_of(const Point& point) {
  const Shape& shape = point.shape;
  return {shape.nodes, shape.gpus_per_node * shape.nodes, shape.cpus(), point.k};
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

std::optional<Bill> bill_of(const PriceItem& item, const Use& use, double seconds) {
  if (!(seconds <= kMostBilledSeconds)) return std::nullopt;
  const auto time = expected_time(item.spot, use.nodes, from_seconds(seconds));
  if (!time) return std::nullopt;
  return bill_run(item, use, *time);
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

PriceUnit price_unit(const PriceItem& item) {
  if (item.per_node_hour > 0 || item.owned) return PriceUnit::node;
  if (item.per_gpu_hour > 0) return PriceUnit::gpu;
  return item.per_core_hour > 0 ? PriceUnit::core : PriceUnit::node;
}

std::int64_t unit_price(PriceItem item, PriceUnit unit) {
  item.charge_factor = 1;
  return unit == PriceUnit::node  ? node_hour(item)
         : unit == PriceUnit::gpu ? item.per_gpu_hour
                                  : item.per_core_hour;
}

BreakEvenPrice break_even_price(int k, const PriceItem& item_a, const PricedRuns& a,
                                const PriceItem& item_b, const PricedRuns& b,
                                const std::string& currency, const BootstrapOptions& bootstrap) {
  ENSURE(!a.seconds.empty() && !b.seconds.empty(), "a price without a run");
  BreakEvenPrice answer;
  answer.k = k;
  answer.unit = price_unit(item_b);
  answer.unused = (answer.unit == PriceUnit::gpu && b.use.gpus == 0) ||
                  (answer.unit == PriceUnit::core && b.use.cores == 0);
  const bool plain = charges_time_alone(item_a) && charges_time_alone(item_b);
  const double time_a = median(a.seconds), time_b = median(b.seconds);
  // Where only time is charged the price does not depend on how long both take: no digit is lost.
  const double longer = plain ? kLongRun / std::max(time_a, time_b) : 1;
  const auto price = solve(item_a, a, longer * time_a, item_b, b, longer * time_b, answer.unit);
  if (!price || !(*price > 0) || *price > to_units(kMostMicros)) return answer;
  answer.below = Money{round_micros(*price), currency};
  if (plain && hours_charged(item_b) <= 1) {
    // The price is proportional to T(A) / T(B).
    if (const auto ratio = ratio_interval(a.seconds, b.seconds)) {
      const double scale = *price / (time_a / time_b);
      answer.interval =
          Interval{ratio->low * scale, ratio->high * scale, ratio->level, ratio->method};
    }
    return answer;
  }
  if (a.seconds.size() < 2 || b.seconds.size() < 2) return answer;
  std::vector<double> draws(static_cast<std::size_t>(bootstrap.replicates), 0);
  for_each_replicate(bootstrap, "break-even price " + std::to_string(k),
                     [&](int number, Random& random) {
                       const double here = resampled_median(a.seconds, random);
                       const double there = resampled_median(b.seconds, random);
                       const auto one = solve(item_a, a, here, item_b, b, there, answer.unit);
                       draws[number] = std::max(one.value_or(0), 0.0);
                     });
  const Bounds bounds = percentile_bounds(std::move(draws), kLevel);
  answer.interval = Interval{bounds.low, bounds.high, kLevel, "bootstrap"};
  return answer;
}

}  // namespace kneepoint

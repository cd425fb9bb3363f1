// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cost/break_even_price.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

constexpr double kLongRun = 1e5;  // seconds: its bill has many digits

// Of one result when a run takes `seconds`; none: it would never end.
std::optional<double> cost_of(const PriceItem& item, const PricedRuns& runs, double seconds) {
  const auto time =
      expected_time(item.spot, runs.use.nodes,
                    static_cast<Nanoseconds>(std::llround(seconds * static_cast<double>(kSecond))));
  if (!time) return std::nullopt;
  return to_units(bill_run(item, runs.use, *time).total) / runs.results / runs.success;
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
  const auto here = cost_of(item_a, a, seconds_a);
  const auto fixed = cost_of(with_price(item_b, unit, 0), b, seconds_b);
  const auto most = cost_of(with_price(item_b, unit, kMostMicros), b, seconds_b);
  if (!here || !fixed || !most || !(*most > *fixed)) return std::nullopt;
  return (*here - *fixed) / (*most - *fixed) * to_units(kMostMicros);
}

double resampled_median(const std::vector<double>& values, Random& random) {
  std::vector<double> drawn(values.size());
  for (double& one : drawn) one = values[draw(random, values.size())];
  return median(std::move(drawn));
}

}  // namespace

const char* to_string(PriceUnit unit) {
  switch (unit) {
    case PriceUnit::node:
      return "node";
    case PriceUnit::gpu:
      return "gpu";
    case PriceUnit::core:
      return "core";
  }
  return "?";
}

PriceUnit price_unit(const PriceItem& item) {
  if (item.per_node_hour > 0 || item.owned) return PriceUnit::node;
  if (item.per_gpu_hour > 0) return PriceUnit::gpu;
  return item.per_core_hour > 0 ? PriceUnit::core : PriceUnit::node;
}

std::int64_t unit_price(const PriceItem& item, PriceUnit unit) {
  switch (unit) {
    case PriceUnit::node: {
      PriceItem plain = item;
      plain.charge_factor = 1;
      return node_hour(plain);
    }
    case PriceUnit::gpu:
      return item.per_gpu_hour;
    case PriceUnit::core:
      return item.per_core_hour;
  }
  return 0;
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
                       draws[static_cast<std::size_t>(number)] = std::max(one.value_or(0), 0.0);
                     });
  const Bounds bounds = percentile_bounds(std::move(draws), kLevel);
  answer.interval = Interval{bounds.low, bounds.high, kLevel, "bootstrap"};
  return answer;
}

}  // namespace kneepoint

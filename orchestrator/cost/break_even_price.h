// SPDX-License-Identifier: Apache-2.0
//
// Below which price another machine is worth it: where a result there costs as much as here. Pure.
// What an item charges beside its hourly price (fees, energy, setup) is kept; only the price of a
// node-, GPU- or core-hour is solved for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/cost/cost_curve.h"

namespace kneepoint {

enum class PriceUnit { node, gpu, core };
const char* to_string(PriceUnit unit);

// What an item is priced by: its nodes, else its GPUs, else its cores.
PriceUnit price_unit(const PriceItem& item);
// The price that is solved for, as the item has it now; 0 where it charges none.
std::int64_t unit_price(const PriceItem& item, PriceUnit unit);

struct BreakEvenPrice {
  int k = 1;
  PriceUnit unit = PriceUnit::node;
  std::optional<Money> below;        // none: what B charges beside its hours is too much already
  std::optional<Interval> interval;  // in units of the currency; none: single runs
  bool unused = false;  // runs of B hold nothing that it is the price of, so there is none
  static constexpr auto fields() {
    using T = BreakEvenPrice;
    return described(field("per", &T::unit),
                     field("micros", [](const T& one) { return micros_of(one.below); }),
                     field("interval", &T::interval));
  }
};

// One machine at one K: its runs and what a run holds there.
struct PricedRuns {
  Use use;
  double results = 1;
  double success = 1;
  std::vector<double> seconds;  // of each valid run; at least one
};

// The price of an hour of B at which a result of B costs what it costs on A. Where both items
// charge for time alone the interval is that of the ratio of times; else it is a bootstrap.
BreakEvenPrice break_even_price(int k, const PriceItem& item_a, const PricedRuns& a,
                                const PriceItem& item_b, const PricedRuns& b,
                                const std::string& currency, const BootstrapOptions& bootstrap);

}  // namespace kneepoint

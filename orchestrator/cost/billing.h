// SPDX-License-Identifier: Apache-2.0
//
// What one run costs by a price item, and below which price another item is worth it. Exact amounts
// that add up; pure functions; docs/methods.md has the formulas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/model/money.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/price.h"

namespace kneepoint {

// What a run holds while it lasts.
struct Use {
  int nodes = 1;
  int gpus = 0;
  int cores = 1;  // that ranks and threads compute on
  int workers = 1;
};
Use use_of(const Point& point);

inline std::optional<std::int64_t> micros_of(const std::optional<Money>& money) {
  return money ? std::optional(money->micros) : std::nullopt;
}

struct BillPart {
  std::string name;  // "nodes", "gpus", "cores", "hourly fee", "job fee", "licence NAME", ...
  std::int64_t micros = 0;
  KP_DESCRIBED(BillPart, name, micros);
};

struct Bill {
  std::vector<BillPart> parts;  // those above 0
  std::int64_t total = 0;       // their sum
  Nanoseconds billed = 0;       // after minimum and steps
  double kwh = 0;
};

// `time` is that of the run itself; setup and teardown come on top.
Bill bill_run(const PriceItem& item, const Use& use, Nanoseconds time);

// Longer runs are not billed: their times are in a wrong unit, and amounts would overflow.
inline constexpr double kMostBilledSeconds = 3600.0 * 24 * 3653;

// The bill of one run of `seconds`; none where it is longer than that or would never end.
std::optional<Bill> bill_of(const PriceItem& item, const Use& use, double seconds);

// The price of an hour of one node: as it stands, or from what was bought, times the charge factor.
std::int64_t node_hour(const PriceItem& item);

// How long a run of `time` lasts on nodes that are taken back: none where it would practically
// never end. Without interruptions it is `time`.
std::optional<Nanoseconds> expected_time(const SpotTerms& spot, int nodes, Nanoseconds time);

// How much cheaper per hour interrupted nodes must be to pay: a price below this share of the
// undisturbed one.
std::optional<double> break_even_share(const SpotTerms& spot, int nodes, Nanoseconds time);

// ---- What a study has cost so far: each allocation billed once by the study's price item, for as
// long as its steps ran. Exact: whole millionths, and the sum is that of the bills.

// What the runs of a study are billed by.
struct StudyPrice {
  std::string path;  // of the price book
  std::string currency;
  bool example = false;
  PriceItem item;
};

std::int64_t bill_of(const StudyPrice& price, const HeldAllocation& allocation);

// What it is billed by: an allocation keeps the price that it was handed over by. `earlier` are
// those of before, as HeldAllocation::price counts them.
const StudyPrice& price_for(const HeldAllocation& allocation, const StudyPrice& present,
                            const std::vector<StudyPrice>& earlier);

Money spend_of(const StudyEvidence& evidence, const StudyPrice& price,
               const std::vector<StudyPrice>& earlier = {});

// ---- Below which price another machine is worth it: where a result there costs as much as here.
// What an item charges beside its hourly price (fees, energy, setup) is kept; only the price of a
// node-, GPU- or core-hour is solved for.

enum class PriceUnit { node, gpu, core };
constexpr auto words_of(PriceUnit) {
  return std::array{"node", "gpu", "core"};
}

// What an item is priced by: its nodes, else its GPUs, else its cores.
PriceUnit price_unit(const PriceItem& item);
// The price that is solved for, as the item has it now; 0 where it charges none.
std::int64_t unit_price(PriceItem item, PriceUnit unit);

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

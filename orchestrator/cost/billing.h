// SPDX-License-Identifier: Apache-2.0
//
// What one run costs by a price item: exact amounts that add up. Pure functions; docs/methods.md
// has the formulas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace kneepoint

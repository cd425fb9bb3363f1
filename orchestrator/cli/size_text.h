// SPDX-License-Identifier: Apache-2.0
//
// The answer of `size` as people and programs read it. Words first, then tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/cli/size_mix.h"

namespace kneepoint::cli {

// A cut beside the recommended one.
struct NamedCut {
  std::string name;
  Cut cut;
  CutOutcome outcome;
};

struct WhatIfAnswer {
  WhatIf factors;
  SizingMix sizing;
  SizingAnswer answer;
};

struct SizeAnswer {
  Mix mix;
  PriceBook book;
  PriceItem item;
  WhatIf factors;  // of --load and --price
  std::vector<MixCurve> curves;
  SizingMix sizing;
  SizingAnswer answer;
  std::vector<NamedCut> others;
  std::vector<WhatIfAnswer> what_if;
  std::vector<std::string> notes;
};

std::string size_text(const SizeAnswer& answer, int width);
std::string size_json(const SizeAnswer& answer);

// Over all jobs of a cut; none when a queue only grows.
struct CutTotals {
  double wait_seconds = 0;
  double missed = 0;       // share of the jobs that have a deadline
  double utilisation = 0;  // of the nodes that are in a partition
};
std::optional<CutTotals> totals_of(const SizingMix& sizing, const Cut& cut,
                                   const CutOutcome& outcome);

}  // namespace kneepoint::cli

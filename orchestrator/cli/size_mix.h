// SPDX-License-Identifier: Apache-2.0
//
// From a mix file to what sizing works with: curves are looked up in the database or taken as they
// stand, K become nodes, and every job gets its bill.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/session.h"
#include "orchestrator/cost/sizing.h"
#include "orchestrator/model/mix.h"
#include "orchestrator/model/price.h"

namespace kneepoint::cli {

// How long a run takes at each K.
struct MixCurve {
  struct At {
    int k = 1;
    std::vector<double> seconds;
    bool modelled = false;
  };
  std::vector<At> points;  // K ascending
  std::string study;       // id; "": from the file
  int failed = 0;          // runs of the curve that did not succeed
};

// One for each workload. The database is only opened if a workload names a study.
Result<std::vector<MixCurve>> mix_curves(const Session& session, const Mix& mix);

// What an hour of one node costs, whether it is busy or not.
std::int64_t held_node_hour(const Mix& mix, const PriceItem& item);

// `factors` come on top of what the mix says.
Result<SizingMix> sizing_mix(const Mix& mix, const std::vector<MixCurve>& curves,
                             const PriceBook& book, const PriceItem& item, const WhatIf& factors,
                             std::vector<std::string>& notes);

}  // namespace kneepoint::cli

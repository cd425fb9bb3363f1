// SPDX-License-Identifier: Apache-2.0
//
// From a mix file to what sizing works with: curves are looked up in the database or taken as they
// stand, K become nodes, and every job gets its bill.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cost/sizing.h"
#include "orchestrator/model/mix.h"

namespace kneepoint {

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
Result<std::vector<MixCurve>> mix_curves(const Context& context, const Mix& mix);

// `factors` come on top of what the mix says.
Result<SizingMix> sizing_mix(const Mix& mix, const std::vector<MixCurve>& curves,
                             const Prices& prices, const WhatIf& factors,
                             std::vector<std::string>& notes);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// K that nobody measured, priced by what models say of them. They carry their mark everywhere, and
// their interval is that of one run over all plausible models, so it is wide. Pure.
#pragma once

#include "orchestrator/cost/cost_curve.h"

namespace kneepoint {

// The K worth a look beside those measured: 1, 2, 3, 4, 6, 8, 12 ... up to four times the largest.
std::vector<int> modelled_ks(const CostCurve& curve);

// Adds them to the curve by `analysis`, which it was made of. Where no model fits, or nobody knows
// how many results a run makes there, a note says so instead.
void add_modelled(const CurveAnalysis& analysis, const PriceBook& book, const PriceItem& item,
                  const BootstrapOptions& bootstrap, CostCurve& curve);

// What K workers hold, by those measured around it: on a line between them, in proportion beyond.
Use use_at(const CostCurve& curve, int k);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// One curve as words, without its knee and its answer: a title, lines above, a table of texts,
// lines below. Terminal and Markdown draw the same one, so they can't disagree.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/report/table.h"

namespace kneepoint {

struct CurveTable : TextTable {       // one row per point, K ascending
  std::string title;                  // "jacobi, strong: 1 thread per rank, bind core"
  std::string held_fixed;             // "held fixed: ...", with T(K0) in seconds
  std::vector<std::string> findings;  // to be said before the numbers
  std::vector<std::string> flags;     // one per point, "" if none
  std::vector<double> efficiency;     // one per point, for bars; 0: none
  std::vector<std::string> below;     // further lines
};

CurveTable make_curve_table(const Curve& curve, const KneeAnswer& knee);

}  // namespace kneepoint

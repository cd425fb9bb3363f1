// SPDX-License-Identifier: Apache-2.0
//
// One curve as words, without its knee and its answer: a title, lines above, a table of texts,
// lines below. Terminal and Markdown draw the same one, so they can't disagree.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"

namespace kneepoint {

struct Column {
  std::string header;         // may hold one line break
  bool right = true;          // alignment
  bool belongs_left = false;  // an interval: stays beside the value it belongs to
  bool may_go = false;        // left out where the width is short and the rest implies it
};

// Columns and cells: what both writers lay out.
struct TextTable {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

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

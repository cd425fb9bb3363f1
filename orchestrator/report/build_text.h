// SPDX-License-Identifier: Apache-2.0
//
// Two builds side by side, as every report shows them: one table per curve, a line for all its K,
// and the verdict in one line.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/comparison/build_comparison.h"
#include "orchestrator/report/tables/detail_tables.h"

namespace kneepoint {

void add_build_tables(const BuildComparison& builds, std::vector<DetailTable>& tables);

// "REGRESSED  STUDY: new against old: slower; jacobi strong (2 K) 1.062 [1.041, 1.083], ..."
std::string build_verdict_line(const std::string& study, const BuildComparison& builds);

// What `run --ab` ends with: the tables, then that line.
std::string to_build_text(const std::string& study, const BuildComparison& builds, int width);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The answer in words: which K to use on each curve, and the one line that opens a report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/summary.h"

namespace kneepoint {

// "jacobi strong", with build and shape where the study has several. One for each curve.
std::vector<std::string> curve_labels(const StudySummary& summary);

// The K to use: the largest that is sure; without any interval, the largest by the medians.
std::optional<int> recommended_k(const Curve& curve, const KneeAnswer& knee);

// "jacobi strong: use K=2 (E 0.912 [0.880, 0.943]); knee beyond K=2".
std::string answer_of(const Curve& curve, const KneeAnswer& knee, const std::string& label);

// One line for the whole study.
std::string headline_of(const StudySummary& summary, const std::vector<std::string>& labels,
                        const std::vector<std::string>& answers);

}  // namespace kneepoint

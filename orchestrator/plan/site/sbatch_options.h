// SPDX-License-Identifier: Apache-2.0
//
// What a site's `slurm.options` may say: options that kneepoint sets itself would break its
// bookkeeping, and some change no time, so that they belong to no series.
#pragma once

#include <string>
#include <vector>

namespace kneepoint {

// What to write instead of an option that is refused; "": the option may stand.
std::string refused_sbatch_option(const std::string& option);

// Those that may change a measurement, in their order.
std::vector<std::string> measured_sbatch_options(const std::vector<std::string>& options);

}  // namespace kneepoint

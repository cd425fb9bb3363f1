// SPDX-License-Identifier: Apache-2.0
//
// Pages of lists. Pure. One row more than the page was asked for, so that `next` is known.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "orchestrator/store/dashboard_view.h"

namespace kneepoint {

// `live`: beside `found`, whether a controller works on the study.
std::string studies_json(const std::vector<StudyLine>& found, const std::vector<bool>& live,
                         std::size_t most);
std::string runs_json(const std::vector<RunLine>& found, std::size_t most);

}  // namespace kneepoint

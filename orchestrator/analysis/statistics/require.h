// SPDX-License-Identifier: Apache-2.0
//
// What a formula asks of its inputs. A number outside its domain is refused with the reason; no
// formula answers with NaN.
#pragma once

#include <string>

#include "orchestrator/base/result.h"

namespace kneepoint {

Error refusal(std::string why);  // ErrorCode::invalid

// `what` opens the sentence: "the serial fraction is -0.1; it must be at least 0".
Result<void> require_positive(double value, const std::string& what);
Result<void> require_at_least(double value, double least, const std::string& what);
Result<void> require_share(double value, const std::string& what);        // 0 <= value <= 1
Result<void> require_inner_share(double value, const std::string& what);  // 0 < value < 1
Result<void> require_workers(double k, const std::string& what = "K");    // 1 <= K <= 2^53

}  // namespace kneepoint

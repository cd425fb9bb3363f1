// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/statistics/require.h"

#include <cmath>
#include <utility>

#include "orchestrator/base/numbers.h"

namespace kneepoint {
namespace {

Result<void> require(bool holds, double value, const std::string& what, const std::string& rule) {
  // NaN fails every comparison, infinity passes some: both are named here.
  if (std::isfinite(value) && holds) return {};
  return refusal(what + " is " + number_text(value) + "; it must be " + rule);
}

}  // namespace

Error refusal(std::string why) {
  return Error{ErrorCode::invalid, std::move(why), false};
}

Result<void> require_positive(double value, const std::string& what) {
  return require(value > 0, value, what, "above 0");
}

Result<void> require_at_least(double value, double least, const std::string& what) {
  return require(value >= least, value, what, "at least " + number_text(least));
}

Result<void> require_share(double value, const std::string& what) {
  return require(value >= 0 && value <= 1, value, what, "between 0 and 1");
}

Result<void> require_inner_share(double value, const std::string& what) {
  return require(value > 0 && value < 1, value, what, "above 0 and below 1");
}

Result<void> require_workers(double k, const std::string& what) {
  return require(k >= 1 && k <= 9007199254740992.0, k, what, "at least 1 (and at most 2^53)");
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// How sure are a model's parameters? 95% intervals by the joint bootstrap, that model held fixed:
// they say nothing about whether it is the right one.
#pragma once

#include <optional>

#include "orchestrator/analysis/models/models.h"
#include "orchestrator/analysis/statistics/bootstrap.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

struct ModelIntervals {
  std::optional<Bounds> serial_fraction;  // strong only
  Bounds log_share, linear_share;         // c/T(1) and d/T(1)
  std::optional<Bounds> fastest_k;        // strong only; infinity: falls for ever
  static constexpr auto fields() {
    using T = ModelIntervals;
    return described(field("serial_fraction", &T::serial_fraction),
                     field("log_share", &T::log_share), field("linear_share", &T::linear_share),
                     field("fastest_k", &T::fastest_k));
  }
};

// None when a K has one run only.
std::optional<ModelIntervals> model_intervals(Mode mode, const Times& times, TermSet terms,
                                              const BootstrapOptions& options = {});

}  // namespace kneepoint

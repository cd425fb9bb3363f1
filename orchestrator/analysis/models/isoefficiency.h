// SPDX-License-Identifier: Apache-2.0
//
// How must the problem grow to hold efficiency at e? Three forms that differ in what counts as
// useful; times are in units of the caller, communication costs c·log2 K or c·(K-1).
#pragma once

#include "orchestrator/analysis/statistics/require.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

enum class Growth { logarithmic, linear };
const char* to_string(Growth growth);

struct IsoRequest {
  double serial = 0;         // seconds of it, or its fraction of the work: see each form
  double communication = 0;  // c >= 0
  double efficiency = 0.8;   // e, above 0 and below 1
  double k = 1;
  Growth growth = Growth::logarithmic;
};

enum class IsoStatus { grows, already_met, unattainable };
const char* to_string(IsoStatus status);

struct IsoAnswer {
  IsoStatus status = IsoStatus::already_met;
  double work = 0;        // total, in seconds of one worker; 0 unless status is `grows`
  double per_worker = 0;  // work / K
  static constexpr auto fields() {
    using T = IsoAnswer;
    return described(field("status", &T::status), field_or_null("work", &T::work),
                     field_or_null("per_worker", &T::per_worker));
  }
};

// Serial part done by every worker and counted as useful: T = s + w + comm, E = (s + w) / T.
Result<IsoAnswer> isoefficiency_replicated(const IsoRequest& request);
// Serial part of fixed size done once: T = s + W/K + comm, E = (s + W) / (K·T). W is the parallel
// work.
Result<IsoAnswer> isoefficiency_fixed_serial(const IsoRequest& request);
// Serial part a fraction s of all work W: T = sW + (1-s)W/K + comm, E = W / (K·T).
Result<IsoAnswer> isoefficiency_proportional(const IsoRequest& request);

}  // namespace kneepoint

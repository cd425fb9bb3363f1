// SPDX-License-Identifier: Apache-2.0
//
// Retry: what follows the end of an attempt. Pure.
#pragma once

#include <string>

#include "orchestrator/model/attempt.h"

namespace kneepoint {

enum class Next {
  finish,  // the run is over, well or badly
  again,   // another attempt is made
  leave,   // unfinished, and not tried again in this sitting: resuming goes on
};

struct RetryDecision {
  Next next = Next::finish;
  std::string why;  // for the events table; "" when there is nothing to tell
};

// `spent` counts the attempts that cost one of the run's tries, this one included.
RetryDecision after_attempt(AttemptState state, Reason reason, int spent, int retries);

// Does an attempt that ended so use up one of the tries? What the user stopped does not.
bool costs_a_try(AttemptState state);

}  // namespace kneepoint

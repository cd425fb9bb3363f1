// SPDX-License-Identifier: Apache-2.0
//
// Retry only what may go better, only so often, and always say why.
#include "orchestrator/engine/retry.h"

namespace kneepoint {

bool costs_a_try(AttemptState state) {
  return is_final(state) && state != AttemptState::cancelled;
}

RetryDecision after_attempt(AttemptState state, Reason reason, int spent, int retries) {
  if (state == AttemptState::succeeded) return {Next::finish, ""};
  if (reason == Reason::over_budget) {
    return {Next::again,
            "cut short by the budget, which costs no attempt; it starts again if the "
            "budget pays for at least twice the time"};
  }
  if (state == AttemptState::cancelled) return {Next::leave, "stopped; resuming tries it again"};
  const std::string what =
      std::string(to_string(state)) +
      (reason == Reason::none ? "" : " (" + std::string(to_string(reason)) + ")");
  if (!is_worth_retrying(state, reason)) {
    return {Next::finish, what + ": another attempt would end the same way"};
  }
  if (spent > retries) {
    return {Next::finish, what + ": " + std::to_string(retries) +
                              (retries == 1 ? " retry is" : " retries are") + " used up"};
  }
  return {Next::again, what + ": trying again (" + std::to_string(spent) + " of " +
                           std::to_string(retries) + " retries)"};
}

}  // namespace kneepoint

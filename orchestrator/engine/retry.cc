// SPDX-License-Identifier: Apache-2.0
//
// Retry only what may go better, only so often, and always say why.
#include "orchestrator/engine/retry.h"

#include <cmath>
#include <cstdlib>

#include "orchestrator/base/text.h"

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

namespace {

// The facts are those of agents/agent/noise/noise.cc, one scope for each node. What was not
// measured is beyond no limit.
struct Kind {
  const char* fact;
  std::optional<double> NoiseSpec::*limit;
  const char* before;
  const char* after;
  const char* format = "%.3g%%";
  double factor = 100;  // of the number that is shown
};

constexpr Kind kKinds[] = {
    {"noise.steal", &NoiseSpec::steal, "the hypervisor took ", " of the CPU time"},
    {"noise.others", &NoiseSpec::others, "other programs used ", " cores", "%.3g", 1},
    {"noise.clock_drop", &NoiseSpec::clock_drop, "the clock fell by ", ""},
    {"noise.gpu_throttled", &NoiseSpec::throttle, "a GPU was throttled in ", " of the samples"},
};

}  // namespace

std::string disturbance(const NoiseSpec& limits, const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& fact : facts) {
    for (const Kind& kind : kKinds) {
      const std::optional<double>& limit = limits.*kind.limit;
      if (!limit || fact.name != kind.fact) continue;
      const double value = std::strtod(fact.value.c_str(), nullptr);
      if (!std::isfinite(value) || value <= *limit) continue;
      const auto words = [&](double number) {
        return format_number(kind.format, number * kind.factor);
      };
      text += (text.empty() ? "on " : "; on ") + fact.scope + " " + kind.before + words(value) +
              kind.after + " (limit " + words(*limit) + ")";
    }
  }
  return text;
}

void judge_noise(const NoiseSpec& noise, Ingested& outcome) {
  if (!noise.has_limit()) return;
  outcome.result.disturbed = disturbance(noise, outcome.result.facts);
  if (outcome.result.disturbed.empty() || noise.repeat == 0) return;
  if (outcome.state != AttemptState::succeeded) return;
  outcome.state = AttemptState::invalid;
  outcome.reason = Reason::disturbed;
  outcome.detail = outcome.result.disturbed;
}

int retries_for(Reason reason, const Limits& limits, const NoiseSpec& noise) {
  return reason == Reason::disturbed ? noise.repeat : limits.retries;
}

}  // namespace kneepoint

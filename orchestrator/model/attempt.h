// SPDX-License-Identifier: Apache-2.0
//
// The states of an attempt, the reasons it can end for, and the one table of legal changes.
#pragma once

#include <string>

#include "orchestrator/base/fields.h"

namespace kneepoint {

enum class AttemptState {
  planned,
  submitting,  // written before the call: after a crash the name is looked up, not submitted again
  queued,
  running,
  collecting,
  succeeded,
  failed,
  timed_out,
  preempted,
  lost,
  invalid,
  cancelled,
};

// Why an attempt ended (or waits). Closed list: the word is stored, the sentence is for people.
enum class Reason {
  none,
  exit_code,  // the workload exited with a status other than 0
  killed_by_signal,
  oom,
  wrong_answer,  // the workload's own check failed
  time_limit,
  pending_too_long,
  no_end_record,  // exit 0, but the record of its end is missing
  bad_record,     // records that can't be read or don't add up
  no_time,        // ended well, but reported no time
  agent_died,
  node_failed,
  no_device,
  device_error,  // of a GPU, or between GPUs
  image_missing,
  not_started,  // the program could not be started
  submit_refused,
  user_cancelled,
  unknown_to_backend,
  over_budget,   // cut short: the budget did not pay for its whole time limit
  disturbed,     // its time was disturbed beyond the plan's limit
  output_flood,  // wrote more than the agent keeps; not an end in itself
};

constexpr auto words_of(AttemptState) {
  return std::array{"planned", "submitting", "queued",    "running", "collecting", "succeeded",
                    "failed",  "timed_out",  "preempted", "lost",    "invalid",    "cancelled"};
}
constexpr auto words_of(Reason) {
  return std::array{"none",           "exit_code",      "killed_by_signal",   "oom",
                    "wrong_answer",   "time_limit",     "pending_too_long",   "no_end_record",
                    "bad_record",     "no_time",        "agent_died",         "node_failed",
                    "no_device",      "device_error",   "image_missing",      "not_started",
                    "submit_refused", "user_cancelled", "unknown_to_backend", "over_budget",
                    "disturbed",      "output_flood"};
}
inline constexpr auto parse_attempt_state = parse_word<AttemptState>;
inline constexpr auto parse_reason = parse_word<Reason>;
std::string sentence(Reason reason);

bool is_final(AttemptState state);
bool is_legal(AttemptState from, AttemptState to);

// Does another attempt have a chance? A wrong answer or a missing program fails again.
bool is_worth_retrying(AttemptState state, Reason reason);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The tables behind attempt.h: names, sentences, legal changes.
#include "orchestrator/model/attempt.h"

#include <array>

namespace kneepoint {
namespace {

struct StateRow {
  AttemptState state;
  const char* word;
};

constexpr std::array<StateRow, 12> kStates = {{
    {AttemptState::planned, "planned"},
    {AttemptState::submitting, "submitting"},
    {AttemptState::queued, "queued"},
    {AttemptState::running, "running"},
    {AttemptState::collecting, "collecting"},
    {AttemptState::succeeded, "succeeded"},
    {AttemptState::failed, "failed"},
    {AttemptState::timed_out, "timed_out"},
    {AttemptState::preempted, "preempted"},
    {AttemptState::lost, "lost"},
    {AttemptState::invalid, "invalid"},
    {AttemptState::cancelled, "cancelled"},
}};

struct ReasonRow {
  Reason reason;
  const char* word;
  const char* sentence;
};

constexpr std::array<ReasonRow, 22> kReasons = {{
    {Reason::none, "none", ""},
    {Reason::exit_code, "exit_code", "the program exited with a status other than 0"},
    {Reason::killed_by_signal, "killed_by_signal", "the program was killed by a signal"},
    {Reason::oom, "oom", "the program was killed for want of memory"},
    {Reason::wrong_answer, "wrong_answer", "a check of its answer failed"},
    {Reason::time_limit, "time_limit", "the run took longer than its time limit"},
    {Reason::pending_too_long, "pending_too_long", "it waited in the queue longer than allowed"},
    {Reason::no_end_record, "no_end_record", "the program exited but never reported its end"},
    {Reason::bad_record, "bad_record", "the records can't be read or don't add up"},
    {Reason::no_time, "no_time", "the program ended well but reported no time"},
    {Reason::agent_died, "agent_died", "the agent ended before it could report"},
    {Reason::node_failed, "node_failed", "a node failed"},
    {Reason::no_device, "no_device", "no GPU was found where one was asked for"},
    {Reason::device_error, "device_error", "a GPU, or what connects GPUs, failed"},
    {Reason::image_missing, "image_missing", "the container image could not be fetched"},
    {Reason::not_started, "not_started", "the program could not be started"},
    {Reason::submit_refused, "submit_refused", "the backend refused the request"},
    {Reason::user_cancelled, "user_cancelled", "it was cancelled on request"},
    {Reason::unknown_to_backend, "unknown_to_backend", "the backend no longer knows of it"},
    {Reason::over_budget, "over_budget",
     "it was cut short where the budget paid for no more of it"},
    {Reason::disturbed, "disturbed", "something else disturbed the run beyond the plan's limit"},
    {Reason::output_flood, "output_flood", "the program wrote more output than is kept"},
}};

}  // namespace

const char* to_string(AttemptState state) {
  for (const auto& row : kStates) {
    if (row.state == state) return row.word;
  }
  return "?";
}

const char* to_string(Reason reason) {
  for (const auto& row : kReasons) {
    if (row.reason == reason) return row.word;
  }
  return "?";
}

std::string sentence(Reason reason) {
  for (const auto& row : kReasons) {
    if (row.reason == reason) return row.sentence;
  }
  return "";
}

std::optional<AttemptState> parse_attempt_state(std::string_view text) {
  for (const auto& row : kStates) {
    if (text == row.word) return row.state;
  }
  return std::nullopt;
}

std::optional<Reason> parse_reason(std::string_view text) {
  for (const auto& row : kReasons) {
    if (text == row.word) return row.reason;
  }
  return std::nullopt;
}

bool is_final(AttemptState state) {
  return state >= AttemptState::succeeded;
}

bool is_legal(AttemptState from, AttemptState to) {
  using S = AttemptState;
  switch (from) {
    case S::planned:
      return to == S::submitting || to == S::cancelled;
    case S::submitting:  // back to planned: the call was refused for now, or the step never began
      return to == S::queued || to == S::running || to == S::collecting || to == S::planned ||
             to == S::failed || to == S::lost || to == S::cancelled || to == S::preempted;
    case S::queued:
      return to == S::running || to == S::collecting || to == S::planned || to == S::failed ||
             to == S::lost || to == S::preempted || to == S::cancelled || to == S::timed_out;
    case S::running:
      return to == S::collecting || to == S::lost || to == S::preempted || to == S::cancelled ||
             to == S::timed_out || to == S::failed;
    case S::collecting:
      return is_final(to);
    default:
      return false;
  }
}

bool is_worth_retrying(AttemptState state, Reason reason) {
  using S = AttemptState;
  switch (state) {
    case S::preempted:
    case S::lost:
      return true;
    case S::failed:
      return reason != Reason::wrong_answer && reason != Reason::not_started &&
             reason != Reason::no_time && reason != Reason::pending_too_long &&
             reason != Reason::submit_refused && reason != Reason::image_missing;
    case S::invalid:
      return reason == Reason::bad_record || reason == Reason::no_end_record ||
             reason == Reason::disturbed;
    default:
      return false;  // a run that hangs once hangs again: timed_out is not retried
  }
}

}  // namespace kneepoint

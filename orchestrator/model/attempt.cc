// SPDX-License-Identifier: Apache-2.0
//
// The tables behind attempt.h: sentences and legal changes.
#include "orchestrator/model/attempt.h"

namespace kneepoint {
namespace {

struct ReasonSentence {
  Reason reason;
  const char* sentence;
};

constexpr ReasonSentence kSentences[] = {
    {Reason::none, ""},
    {Reason::exit_code, "the program exited with a status other than 0"},
    {Reason::killed_by_signal, "the program was killed by a signal"},
    {Reason::oom, "the program was killed for want of memory"},
    {Reason::wrong_answer, "a check of its answer failed"},
    {Reason::time_limit, "the run took longer than its time limit"},
    {Reason::pending_too_long, "it waited in the queue longer than allowed"},
    {Reason::no_end_record, "the program exited but never reported its end"},
    {Reason::bad_record, "the records can't be read or don't add up"},
    {Reason::no_time, "the program ended well but reported no time"},
    {Reason::agent_died, "the agent ended before it could report"},
    {Reason::node_failed, "a node failed"},
    {Reason::no_device, "no GPU was found where one was asked for"},
    {Reason::device_error, "a GPU, or what connects GPUs, failed"},
    {Reason::image_missing, "the container image could not be fetched"},
    {Reason::not_started, "the program could not be started"},
    {Reason::submit_refused, "the backend refused the request"},
    {Reason::user_cancelled, "it was cancelled on request"},
    {Reason::unknown_to_backend, "the backend no longer knows of it"},
    {Reason::over_budget, "it was cut short where the budget paid for no more of it"},
    {Reason::disturbed, "something else disturbed the run beyond the plan's limit"},
    {Reason::output_flood, "the program wrote more output than is kept"},
};

}  // namespace

std::string sentence(Reason reason) {
  for (const ReasonSentence& row : kSentences) {
    if (row.reason == reason) return row.sentence;
  }
  return "";
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

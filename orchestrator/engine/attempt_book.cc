// SPDX-License-Identifier: Apache-2.0
//
// Every change goes through change(), which the store checks against the one table of legal ones.
#include "orchestrator/engine/attempt_book.h"

#include <algorithm>

#include "orchestrator/engine/admission.h"
#include "orchestrator/engine/requests.h"
#include "orchestrator/engine/retry.h"

namespace kneepoint {

Result<void> AttemptBook::event(const std::string& kind, const std::string& text) {
  return store_.put_event(row_.row, {clock_.wall(), kind, text, 0, 0});
}

Result<void> AttemptBook::event_of(int index, const std::string& kind, const std::string& text) {
  const RunState& run = table_.at(index);
  return store_.put_event(row_.row,
                          {clock_.wall(), kind, text, run.row.number, run.active->row.number});
}

Result<void> AttemptBook::change(AttemptRow& attempt, AttemptState to) {
  const AttemptState from = attempt.state;
  attempt.state = to;
  return store_.change_attempt(attempt, from);
}

Result<void> AttemptBook::intend(const std::vector<int>& runs,
                                 const std::vector<Nanoseconds>& limits) {
  std::string name;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const int index = runs[i];
    RunState& run = table_.at(index);
    AttemptRow attempt;
    if (run.row.last && run.row.last->state == AttemptState::planned) {
      attempt = *run.row.last;
    } else {
      const int number = run.row.attempts + 1;
      TRY_ASSIGN(attempt, store_.put_attempt(
                              run.row.row, number,
                              allocation_name(row_.hash8, row_.n, run.row.number, number, 1)));
      run.row.attempts = number;
    }
    ++attempt.submissions;
    ++run.consecutive_failures;
    if (name.empty()) {
      name =
          allocation_name(row_.hash8, row_.n, run.row.number, attempt.number, attempt.submissions);
    }
    attempt.allocation = name;
    attempt.limit_ns = limits[i] < study_.plan.limits.timeout ? limits[i] : 0;
    TRY(change(attempt, AttemptState::submitting));
    const int id = table_.allocation_named({name, row_.work_dir, "", 0});
    table_.join(id, index, attempt);
    ActiveAllocation& allocation = table_.allocations().at(id);
    allocation.nodes = std::max(allocation.nodes, study_.points[run.point].shape.nodes);
  }
  return {};
}

Result<void> AttemptBook::handed_over(ActiveAllocation& allocation, const JobRef& job) {
  allocation.job = job;
  allocation.handed_over = true;
  const std::size_t steps = allocation.members.size();
  for (std::size_t i = 0; i < steps; ++i) {
    const int index = allocation.members[i];
    AttemptRow& attempt = table_.at(index).active->row;
    attempt.job_id = job.id;
    attempt.submitted_ns = job.submitted_ns;
    TRY(change(attempt, AttemptState::queued));
    std::string text = "handed over as " + job.name + (job.id.empty() ? "" : ", job " + job.id);
    if (steps > 1) {
      text += ", step " + std::to_string(i + 1) + " of " + std::to_string(steps) + " on " +
              std::to_string(study_.points[table_.at(index).point].shape.nodes) + " of its " +
              std::to_string(allocation.nodes) + (allocation.nodes == 1 ? " node" : " nodes");
    }
    TRY(event_of(index, "submit", text));
  }
  return {};
}

Result<StepArtifacts> AttemptBook::step_of(int index, const Artifacts& artifacts) const {
  const RunState& run = table_.at(index);
  StepArtifacts found;
  found.attempt = attempt_name(run.row.number, run.active->row.number);
  for (const StepArtifacts& step : artifacts.steps) {
    if (step.attempt == found.attempt) found = step;
  }
  if (!has_pushes_) return found;
  TRY_ASSIGN(const std::string pushed, store_.pushed_text(run.active->row.row));
  return with_pushed(std::move(found), pushed);
}

Result<void> AttemptBook::note_placement(const ActiveAllocation& allocation,
                                         const Observation& seen) {
  for (const int index : allocation.members) {
    AttemptRow& attempt = table_.at(index).active->row;
    if (take_placement(seen, attempt)) TRY(store_.put_placement(attempt));
  }
  return {};
}

Result<void> AttemptBook::ended(int index, const StepArtifacts& step, const Observation& seen,
                                bool alone) {
  RunState& run = table_.at(index);
  const Point& point = study_.points[run.point];
  Ingested outcome = ingest(point, step, seen, is_oversubscribed(point, backend_));
  judge_noise(study_.plan.noise, outcome);
  overrule(table_.allocation_of(index).stop, outcome);
  AttemptRow& attempt = run.active->row;
  cut_by_budget(attempt.limit_ns, study_.plan.limits.timeout, outcome);
  if (!alone && outcome.began_ns > 0) {
    attempt.started_ns = outcome.began_ns;
    const Nanoseconds end = outcome.ended_ns > 0 ? outcome.ended_ns : seen.ended_ns;
    attempt.ended_ns = std::max(end, attempt.started_ns);
  }
  // The backend only knows the nodes of the whole allocation.
  if (!alone && !outcome.nodes.empty()) attempt.nodes = outcome.nodes;
  if (!outcome.result.disturbed.empty() && outcome.result.seconds > 0) {
    const bool aside = outcome.reason == Reason::disturbed;
    TRY(event_of(index, "disturbed",
                 outcome.result.disturbed + "; its time of " +
                     to_duration_text(from_seconds(outcome.result.seconds)) +
                     (aside ? " does not count" : " counts, and is marked")));
  }
  for (const Fact& fact : outcome.result.facts) {
    if (fact.name == "noise.not_sampled")
      TRY(event_of(index, "noise", "not sampled: " + fact.value));
  }
  if (attempt.state != AttemptState::collecting) TRY(change(attempt, AttemptState::collecting));
  attempt.exit_code = outcome.exit_code;
  attempt.signal = outcome.signal;
  TRY(store_.put_result(attempt.row, outcome.result));
  return conclude(index, outcome.state, outcome.reason, outcome.detail, outcome.result.seconds);
}

Result<void> AttemptBook::never_began(int index, const Observation& seen, bool any_ran) {
  RunState& run = table_.at(index);
  AttemptRow& attempt = run.active->row;
  if (any_ran) run.consecutive_failures = 0;
  // A net that ends a long allocation is meant for the step that hangs, not for those behind it.
  const Reason asked = table_.allocation_of(index).stop;
  const Reason stop = asked == Reason::time_limit && any_ran ? Reason::none : asked;
  if (const auto end = end_without_begin(stop, seen, attempt.state, run.consecutive_failures)) {
    return conclude(index, end->state, end->reason, end->detail, 0);
  }
  return hand_back(index, "its allocation " + attempt.allocation +
                              " ended before the step began; it is handed over again" +
                              (seen.detail.empty() ? "" : ": " + seen.detail));
}

Result<void> AttemptBook::left_open(int index, const Observation& seen) {
  return conclude(index, AttemptState::cancelled, seen.reason, seen.detail, 0);
}

Result<void> AttemptBook::refused(int index, const Error& error) {
  const RunState& run = table_.at(index);
  if (error.code == ErrorCode::conflict && run.consecutive_failures < kMostConsecutiveFailures) {
    return hand_back(index, "its name is taken; it is handed over under another: " + error.message);
  }
  return conclude(index, AttemptState::failed, Reason::submit_refused, error.message, 0);
}

// The next time under a name of its own.
Result<void> AttemptBook::hand_back(int index, const std::string& why) {
  AttemptRow& attempt = table_.at(index).active->row;
  TRY(event_of(index, "again", why));
  attempt.job_id.clear();
  attempt.started_ns = attempt.ended_ns = 0;
  if (has_pushes_) TRY(store_.drop_pushed(attempt.row));
  TRY(change(attempt, AttemptState::planned));
  table_.end_attempt(index, AttemptState::planned, false, true);
  return {};
}

Result<void> AttemptBook::conclude(int index, AttemptState state, Reason reason,
                                   const std::string& detail, double seconds) {
  RunState& run = table_.at(index);
  AttemptRow& attempt = run.active->row;
  attempt.reason = reason;
  attempt.detail = detail;
  if (has_pushes_) TRY(store_.drop_pushed(attempt.row));
  TRY(change(attempt, state));
  const int spent = run.spent + (costs_a_try(state) ? 1 : 0);
  const RetryDecision decision = after_attempt(
      state, reason, spent, retries_for(reason, study_.plan.limits, study_.plan.noise));
  std::string text = to_string(state);
  if (!detail.empty()) text += ": " + detail;
  TRY(event_of(index, "end", text));
  if (!decision.why.empty()) TRY(event_of(index, "retry", decision.why));
  if (decision.next == Next::finish) TRY(store_.finish_run(run.row.row));
  const double elapsed = to_seconds(attempt.ended_ns - attempt.started_ns);
  if (attempt.started_ns > 0 && elapsed > 0) {
    // The whole allocation is held while one of its steps runs.
    const ActiveAllocation& allocation = table_.allocation_of(index);
    progress_.spending.add(allocation.job.name, study_.points[run.point], allocation.nodes,
                           attempt.ended_ns - attempt.started_ns);
    if (state == AttemptState::succeeded) table_.note_elapsed(run.point, elapsed);
  }
  run.consecutive_failures = 0;
  progress_.ended(run, study_.points[run.point], state, reason, detail, seconds, decision);
  table_.end_attempt(index, state, decision.next == Next::finish, decision.next == Next::again);
  return {};
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Every change goes through change(), which the store checks against the one table of legal ones.
#include "orchestrator/engine/drive.h"
#include "orchestrator/engine/requests.h"

namespace kneepoint {

Result<void> Drive::event(const std::string& kind, const std::string& text) {
  return store.put_event(row.row, {clock.wall(), kind, text, 0, 0});
}

Result<void> Drive::event_of(int index, const std::string& kind, const std::string& text) {
  const RunState& run = table.at(index);
  return store.put_event(row.row,
                         {clock.wall(), kind, text, run.row.number, run.active->row.number});
}

Result<void> Attempts::change(AttemptRow& attempt, AttemptState to) {
  const AttemptState from = attempt.state;
  attempt.state = to;
  return drive_.store.change_attempt(attempt, from);
}

Result<void> Attempts::intend(const std::vector<int>& runs,
                              const std::vector<Nanoseconds>& limits) {
  std::string name;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const int index = runs[i];
    RunState& run = drive_.table.at(index);
    AttemptRow attempt;
    if (run.row.last && run.row.last->state == AttemptState::planned) {
      attempt = *run.row.last;
    } else {
      const int number = run.row.attempts + 1;
      TRY_ASSIGN(attempt, drive_.store.put_attempt(run.row.row, number,
                                                   allocation_name(drive_.row.hash8, drive_.row.n,
                                                                   run.row.number, number, 1)));
      run.row.attempts = number;
    }
    ++attempt.submissions;
    ++run.consecutive_failures;
    if (name.empty()) {
      name = allocation_name(drive_.row.hash8, drive_.row.n, run.row.number, attempt.number,
                             attempt.submissions);
    }
    attempt.allocation = name;
    attempt.limit_ns = limits[i] < drive_.limits().timeout ? limits[i] : 0;
    TRY(change(attempt, AttemptState::submitting));
    const int id = drive_.table.allocation_named({name, drive_.row.work_dir, "", 0});
    drive_.table.join(id, index, attempt);
    ActiveAllocation& allocation = drive_.table.allocations().at(id);
    allocation.nodes = std::max(allocation.nodes, drive_.point_of(index).shape.nodes);
  }
  return {};
}

Result<void> Attempts::handed_over(ActiveAllocation& allocation, const JobRef& job) {
  allocation.job = job;
  allocation.handed_over = true;
  const std::size_t steps = allocation.members.size();
  for (std::size_t i = 0; i < steps; ++i) {
    const int index = allocation.members[i];
    AttemptRow& attempt = drive_.table.at(index).active->row;
    attempt.job_id = job.id;
    attempt.submitted_ns = job.submitted_ns;
    TRY(change(attempt, AttemptState::queued));
    std::string text = "handed over as " + job.name + (job.id.empty() ? "" : ", job " + job.id);
    if (steps > 1) {
      text += ", step " + std::to_string(i + 1) + " of " + std::to_string(steps) + " on " +
              std::to_string(drive_.point_of(index).shape.nodes) + " of its " +
              std::to_string(allocation.nodes) + (allocation.nodes == 1 ? " node" : " nodes");
    }
    TRY(drive_.event_of(index, "submit", text));
  }
  return {};
}

Result<StepArtifacts> Attempts::step_of(int index, const Artifacts& artifacts) const {
  const RunState& run = drive_.table.at(index);
  StepArtifacts found;
  found.attempt = attempt_name(run.row.number, run.active->row.number);
  for (const StepArtifacts& step : artifacts.steps) {
    if (step.attempt == found.attempt) found = step;
  }
  if (!has_pushes()) return found;
  TRY_ASSIGN(const std::string pushed, drive_.store.pushed_text(run.active->row.row));
  return with_pushed(std::move(found), pushed);
}

Result<void> Attempts::note_placement(const ActiveAllocation& allocation, const Observation& seen) {
  for (const int index : allocation.members) {
    AttemptRow& attempt = drive_.table.at(index).active->row;
    if (take_placement(seen, attempt)) TRY(drive_.store.put_placement(attempt));
  }
  return {};
}

Result<void> Attempts::ended(int index, const StepArtifacts& step, const Observation& seen,
                             bool alone) {
  RunState& run = drive_.table.at(index);
  const Point& point = drive_.point_of(index);
  Ingested outcome = ingest(point, step, seen, is_oversubscribed(point, drive_.backend));
  judge_noise(drive_.study.plan.noise, outcome);
  overrule(drive_.table.allocation_of(index).stop, outcome);
  AttemptRow& attempt = run.active->row;
  cut_by_budget(attempt.limit_ns, drive_.limits().timeout, outcome);
  if (!alone && outcome.began_ns > 0) {
    attempt.started_ns = outcome.began_ns;
    const Nanoseconds end = outcome.ended_ns > 0 ? outcome.ended_ns : seen.ended_ns;
    attempt.ended_ns = std::max(end, attempt.started_ns);
  }
  // The backend only knows the nodes of the whole allocation.
  if (!alone && !outcome.nodes.empty()) attempt.nodes = outcome.nodes;
  if (!outcome.result.disturbed.empty() && outcome.result.seconds > 0) {
    const bool aside = outcome.reason == Reason::disturbed;
    TRY(drive_.event_of(index, "disturbed",
                        outcome.result.disturbed + "; its time of " +
                            to_duration_text(from_seconds(outcome.result.seconds)) +
                            (aside ? " does not count" : " counts, and is marked")));
  }
  for (const Fact& fact : outcome.result.facts) {
    if (fact.name == "noise.not_sampled")
      TRY(drive_.event_of(index, "noise", "not sampled: " + fact.value));
  }
  if (attempt.state != AttemptState::collecting) TRY(change(attempt, AttemptState::collecting));
  attempt.exit_code = outcome.exit_code;
  attempt.signal = outcome.signal;
  TRY(drive_.store.put_result(attempt.row, outcome.result));
  return conclude(index, outcome, outcome.result.seconds);
}

Result<void> Attempts::never_began(int index, const Observation& seen, bool any_ran) {
  RunState& run = drive_.table.at(index);
  AttemptRow& attempt = run.active->row;
  if (any_ran) run.consecutive_failures = 0;
  // A net that ends a long allocation is meant for the step that hangs, not for those behind it.
  const Reason asked = drive_.table.allocation_of(index).stop;
  const Reason stop = asked == Reason::time_limit && any_ran ? Reason::none : asked;
  if (const auto end = end_without_begin(stop, seen, attempt.state, run.consecutive_failures)) {
    return conclude(index, *end, 0);
  }
  return hand_back(index, "its allocation " + attempt.allocation +
                              " ended before the step began; it is handed over again" +
                              (seen.detail.empty() ? "" : ": " + seen.detail));
}

Result<void> Attempts::left_open(int index, const Observation& seen) {
  return conclude(index, {AttemptState::cancelled, seen.reason, seen.detail}, 0);
}

Result<void> Attempts::refused(int index, const Error& error) {
  const RunState& run = drive_.table.at(index);
  if (error.code == ErrorCode::conflict && run.consecutive_failures < kMostConsecutiveFailures) {
    return hand_back(index, "its name is taken; it is handed over under another: " + error.message);
  }
  return conclude(index, {AttemptState::failed, Reason::submit_refused, error.message}, 0);
}

// The next time under a name of its own.
Result<void> Attempts::hand_back(int index, const std::string& why) {
  AttemptRow& attempt = drive_.table.at(index).active->row;
  TRY(drive_.event_of(index, "again", why));
  attempt.job_id.clear();
  attempt.started_ns = attempt.ended_ns = 0;
  TRY(drop_pushed(attempt));
  TRY(change(attempt, AttemptState::planned));
  drive_.table.end_attempt(index, AttemptState::planned, false, true);
  return {};
}

Result<void> Attempts::drop_pushed(const AttemptRow& attempt) {
  if (!has_pushes()) return {};
  return drive_.store.drop_pushed(attempt.row);
}

Result<void> Attempts::conclude(int index, const Ending& ending, double seconds) {
  RunState& run = drive_.table.at(index);
  AttemptRow& attempt = run.active->row;
  const AttemptState state = ending.state;
  attempt.reason = ending.reason;
  attempt.detail = ending.detail;
  TRY(drop_pushed(attempt));
  TRY(change(attempt, state));
  const RetryDecision decision =
      after_attempt(state, ending.reason, run.spent + (costs_a_try(state) ? 1 : 0),
                    retries_for(ending.reason, drive_.limits(), drive_.study.plan.noise));
  const std::string why = ending.detail.empty() ? "" : ": " + ending.detail;
  TRY(drive_.event_of(index, "end", to_string(state) + why));
  if (!decision.why.empty()) TRY(drive_.event_of(index, "retry", decision.why));
  if (decision.next == Next::finish) TRY(drive_.store.finish_run(run.row.row));
  const Nanoseconds held = attempt.ended_ns - attempt.started_ns;
  if (attempt.started_ns > 0 && held > 0) {
    // The whole allocation is held while one of its steps runs.
    const ActiveAllocation& allocation = drive_.table.allocation_of(index);
    drive_.spending.add(allocation.job.name, drive_.point_of(index), allocation.nodes, held);
    if (state == AttemptState::succeeded) drive_.table.note_elapsed(run.point, to_seconds(held));
  }
  run.consecutive_failures = 0;
  progress_.ended(index, ending, seconds, decision);
  drive_.table.end_attempt(index, state, decision.next == Next::finish,
                           decision.next == Next::again);
  return {};
}

}  // namespace kneepoint

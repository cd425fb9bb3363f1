// SPDX-License-Identifier: Apache-2.0
//
// The loop: observe (one query for all) -> decide (pure functions beside this file) -> record
// intent (one transaction) -> act. It only sequences. Killed between any two lines, the next start
// finds intent in the store, looks names up at the launcher, and goes on.
#include <algorithm>
#include <map>

#include "orchestrator/base/log.h"
#include "orchestrator/engine/admission.h"
#include "orchestrator/engine/back_off.h"
#include "orchestrator/engine/engine.h"
#include "orchestrator/engine/ingest.h"
#include "orchestrator/engine/progress.h"
#include "orchestrator/engine/requests.h"
#include "orchestrator/engine/retry.h"
#include "orchestrator/engine/rounds.h"
#include "orchestrator/engine/run_table.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kHousekeeping = kSecond;  // lease and requests
constexpr Nanoseconds kTimeoutGrace = kMinute;  // the agent keeps the limit; this is the net

class Reconciler {
 public:
  Reconciler(StudyStore& store, const StudyRow& row, const Study& study, const Site& site,
             Launcher& launcher, Poller& poller, const Clock& clock, const EngineOptions& options)
      : store_(store),
        row_(row),
        study_(study),
        site_(site),
        launcher_(launcher),
        poller_(poller),
        clock_(clock),
        options_(options),
        backend_(launcher.capabilities()),
        ceilings_(ceilings_of(study.plan.limits, site.limits, backend_, options.concurrent)),
        progress_(row.id, clock, options) {}

  Result<EngineOutcome> run() {
    TRY(prepare());
    for (;;) {
      TRY(tick());
      if (const auto end = ending()) return finish(*end);
      TRY(sleep());
    }
  }

 private:
  enum class Stopping { no, after_active, leave, cancel };  // leave: to the queue

  Result<void> prepare() {
    TRY_ASSIGN(auto transaction, store_.begin());
    TRY_ASSIGN(const std::vector<RowId> rows, store_.put_points(row_.row, study_.points));
    for (std::size_t i = 0; i < rows.size(); ++i) point_index_[rows[i]] = static_cast<int>(i);
    point_rows_ = rows;
    TRY(put_round(first_of(study_)));
    TRY(store_.set_study_state(row_.row, "running"));
    TRY(event("study", "controller started on " + options_.lease.host));
    TRY(transaction->commit());
    TRY_ASSIGN(const std::vector<RoundRow> rounds, store_.rounds(row_.row));
    for (const RoundRow& round : rounds) last_round_ = std::max(last_round_, round.round);
    TRY(load());
    TRY_ASSIGN(const StudyEvidence evidence, store_.evidence(row_.row));
    progress_.node_seconds = evidence.node_seconds;
    return {};
  }

  // Rebuilds the picture; runs of a new round are added to it.
  Result<void> load() {
    TRY_ASSIGN(const std::vector<RunRow> rows, store_.runs(row_.row));
    table_.load(rows, point_index_, row_.work_dir);
    // A run that the user stopped earlier has attempts that cost it nothing.
    for (RunState& run : table_.all()) {
      if (run.row.finished || !run.row.last || run.row.last->state != AttemptState::cancelled) {
        continue;
      }
      TRY_ASSIGN(const std::vector<AttemptRow> attempts, store_.attempts(run.row.row));
      run.spent = static_cast<int>(
          std::count_if(attempts.begin(), attempts.end(),
                        [](const AttemptRow& attempt) { return costs_a_try(attempt.state); }));
    }
    return {};
  }

  Result<void> put_round(const Round& round) {
    std::vector<PlannedRun> planned;
    planned.reserve(round.runs.size());
    for (std::size_t i = 0; i < round.runs.size(); ++i) {
      planned.push_back({point_rows_[round.runs[i].point], round.runs[i].repeat, round.number,
                         static_cast<int>(i)});
    }
    TRY(store_.put_runs(row_.row, planned));
    return store_.put_round(row_.row, {round.number, round.evidence_hash});
  }

  Result<void> tick() {
    TRY(housekeeping());
    TRY(observe_all());
    if (table_.active().empty() && table_.waiting().empty() && stopping_ == Stopping::no) {
      TRY(decide_round());
    }
    TRY(start_waiting());
    progress_.show(table_, ceilings_, waiting_for_);
    return {};
  }

  Result<void> housekeeping() {
    const Nanoseconds now = clock_.steady();
    if (now < next_housekeeping_) return {};
    next_housekeeping_ = now + kHousekeeping;
    Lease lease = options_.lease;
    lease.heartbeat_ns = clock_.wall();
    TRY(store_.renew_lease(row_.row, lease));
    TRY_ASSIGN(const std::vector<RequestKind> requests, store_.take_requests(row_.row));
    if (!requests.empty()) {
      TRY(event("cancel", "cancelled on request"));
      user_cancelled_ = true;
      stopping_ = Stopping::cancel;
    }
    return {};
  }

  // Observe -----------------------------------------------------------------------------------

  Result<void> observe_all() {
    TRY(hand_over());  // what an earlier controller meant to submit, or what the backend put off
    if (stopping_ == Stopping::cancel) {
      for (const int index : table_.active()) TRY(stop(index, Reason::user_cancelled));
    }
    if (!looking_.is_over(clock_.steady())) return {};
    std::vector<JobRef> jobs;
    std::vector<int> indices;
    for (const int index : table_.active()) {
      if (!table_.at(index).active->handed_over) continue;
      jobs.push_back(table_.at(index).active->job);
      indices.push_back(index);
    }
    if (jobs.empty()) return {};
    auto seen = launcher_.observe(jobs, deadline());
    if (!seen) return put_off(looking_, "observe", seen.error());
    looking_.answered();
    ENSURE(seen->size() == jobs.size(), "one observation for each job");
    TRY_ASSIGN(auto transaction, store_.begin());
    for (std::size_t i = 0; i < indices.size(); ++i) TRY(digest(indices[i], (*seen)[i]));
    return transaction->commit();
  }

  Result<void> digest(int index, const Observation& seen) {
    ActiveAttempt& active = *table_.at(index).active;
    AttemptRow& attempt = active.row;
    attempt.started_ns = seen.started_ns;
    attempt.ended_ns = seen.ended_ns;
    if (take_placement(seen, attempt)) TRY(store_.put_placement(attempt));
    switch (seen.state) {
      case AllocationState::queued: {
        const Nanoseconds limit = study_.plan.limits.queue_wait;
        if (limit > 0 && seen.observed_ns - seen.submitted_ns > limit) {
          TRY(stop(index, Reason::pending_too_long));
        }
        progress_.pending_reason = seen.detail;
        return {};
      }
      case AllocationState::running:
        if (attempt.state == AttemptState::queued) TRY(change(attempt, AttemptState::running));
        if (seen.started_ns > 0 &&
            seen.observed_ns - seen.started_ns > study_.plan.limits.timeout + kTimeoutGrace) {
          TRY(stop(index, Reason::time_limit));
        }
        return {};
      case AllocationState::ended:
      case AllocationState::unknown:
        return end_of(index, seen);
    }
    return {};
  }

  Result<void> end_of(int index, const Observation& seen) {
    RunState& run = table_.at(index);
    auto artifacts = launcher_.collect(run.active->job, deadline());
    if (!artifacts && seen.state == AllocationState::ended) {
      return put_off(looking_, "collect " + run.active->job.name, artifacts.error());
    }
    const StepArtifacts nothing;
    const StepArtifacts& step =
        artifacts && !artifacts->steps.empty() ? artifacts->steps.front() : nothing;
    if (!step.begun) return never_began(index, seen);

    const Point& point = study_.points[run.point];
    Ingested outcome = ingest(point, step, seen, is_oversubscribed(point, backend_));
    overrule(run.active->stop, outcome);
    AttemptRow& attempt = run.active->row;
    if (attempt.state != AttemptState::collecting) TRY(change(attempt, AttemptState::collecting));
    attempt.exit_code = outcome.exit_code;
    attempt.signal = outcome.signal;
    TRY(store_.put_result(attempt.row, outcome.result));
    return conclude(index, outcome.state, outcome.reason, outcome.detail, outcome.result.seconds);
  }

  // The allocation is gone and the step was never claimed: it costs no attempt.
  Result<void> never_began(int index, const Observation& seen) {
    ActiveAttempt& active = *table_.at(index).active;
    if (const auto end = end_without_begin(active.stop, seen, active.row)) {
      return conclude(index, end->state, end->reason, end->detail, 0);
    }
    TRY(event_of(index, "again",
                 "its allocation " + active.job.name +
                     " ended before the step began; it is handed over again" +
                     (seen.detail.empty() ? "" : ": " + seen.detail)));
    active.row.job_id.clear();
    TRY(change(active.row, AttemptState::planned));
    table_.end_attempt(index, AttemptState::planned, false, true);
    return {};
  }

  Result<void> conclude(int index, AttemptState state, Reason reason, const std::string& detail,
                        double seconds) {
    RunState& run = table_.at(index);
    AttemptRow& attempt = run.active->row;
    attempt.reason = reason;
    attempt.detail = detail;
    TRY(change(attempt, state));
    const int spent = run.spent + (costs_a_try(state) ? 1 : 0);
    const RetryDecision decision = after_attempt(state, reason, spent, study_.plan.limits.retries);
    std::string text = to_string(state);
    if (!detail.empty()) text += ": " + detail;
    TRY(event_of(index, "end", text));
    if (!decision.why.empty()) TRY(event_of(index, "retry", decision.why));
    if (decision.next == Next::finish) TRY(store_.finish_run(run.row.row));
    const double elapsed = to_seconds(attempt.ended_ns - attempt.started_ns);
    if (attempt.started_ns > 0 && elapsed > 0) {
      progress_.node_seconds += elapsed * study_.points[run.point].shape.nodes;
      if (state == AttemptState::succeeded) table_.note_elapsed(run.point, elapsed);
    }
    progress_.ended(run, study_.points[run.point], state, reason, detail, seconds, decision);
    table_.end_attempt(index, state, decision.next == Next::finish, decision.next == Next::again);
    return {};
  }

  // Asked again at each look until the backend has taken it.
  Result<void> stop(int index, Reason why) {
    ActiveAttempt& active = *table_.at(index).active;
    if (active.stop == Reason::none) active.stop = why;
    if (active.stop_taken || !looking_.is_over(clock_.steady())) return {};
    const JobRef job = active.job;
    const auto answer = launcher_.cancel(std::span(&job, 1), deadline());
    active.stop_taken = answer.front().has_value();
    if (active.stop_taken) return {};
    return put_off(looking_, "cancel " + job.name, answer.front().error());
  }

  // Decide and act ----------------------------------------------------------------------------

  Result<void> decide_round() {
    TRY_ASSIGN(const StudyEvidence evidence, store_.evidence(row_.row));
    const auto round = next_round(study_, evidence, last_round_);
    if (!round) {
      complete_ = true;
      return {};
    }
    TRY_ASSIGN(auto transaction, store_.begin());
    TRY(put_round(*round));
    TRY(event("round", "round " + std::to_string(round->number) + ": " +
                           std::to_string(round->runs.size()) +
                           " more runs where the interval of the efficiency is too wide"));
    TRY(transaction->commit());
    last_round_ = progress_.round = round->number;
    return load();
  }

  Result<void> start_waiting() {
    if (stopping_ != Stopping::no || table_.waiting().empty()) return {};
    if (!submitting_.is_over(clock_.steady())) return {};
    Usage usage;
    usage.node_seconds = progress_.node_seconds;
    for (const int index : table_.active()) {
      const Need need = need_at(index);
      ++usage.runs;
      usage.nodes += need.nodes;
      usage.cpus += need.cpus;
      usage.node_seconds += need.node_seconds;
    }
    std::vector<Need> needs;
    const std::size_t look = std::min<std::size_t>(table_.waiting().size(), ceilings_.concurrent);
    for (std::size_t i = 0; i < look; ++i) needs.push_back(need_at(table_.waiting()[i]));
    const Admission admission = admit(needs, usage, ceilings_);
    waiting_for_ = admission.count == 0 ? admission.waiting : "";
    over_budget_ = admission.over_budget && admission.count == 0 && table_.active().empty();
    if (admission.count == 0) return {};

    TRY_ASSIGN(auto transaction, store_.begin());
    for (int i = 0; i < admission.count; ++i) {
      const int index = table_.waiting().front();
      table_.waiting().pop_front();
      TRY(intend(index));
    }
    TRY(transaction->commit());
    return hand_over();
  }

  Need need_at(int index) {
    const Point& point = study_.points[table_.at(index).point];
    const double expected = table_.expected_seconds(table_.at(index).point);
    return need_of(point, backend_, expected > 0 ? expected : point.modelled_seconds);
  }

  // Writes that this attempt is about to be submitted, under which name.
  Result<void> intend(int index) {
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
    attempt.allocation =
        allocation_name(row_.hash8, row_.n, run.row.number, attempt.number, attempt.submissions);
    TRY(change(attempt, AttemptState::submitting));
    ActiveAttempt active;
    active.row = attempt;
    active.job = {attempt.allocation, row_.work_dir, "", 0};
    run.active = active;
    table_.active().push_back(index);
    return {};
  }

  // Submits every attempt whose intent is written and whose job is not known yet. Once stopping,
  // what could not be submitted is left to the next start, which finds the intent.
  Result<void> hand_over() {
    if (!submitting_.is_over(clock_.steady())) return {};
    std::vector<AllocationRequest> requests;
    std::vector<int> indices;
    for (const int index : table_.active()) {
      const RunState& run = table_.at(index);
      if (run.active->handed_over) continue;
      if (stopping_ != Stopping::no && run.active->put_off) continue;
      const Point& point = study_.points[run.point];
      requests.push_back(request_for(point, study_.plan, site_,
                                     identity_of(row_, run.row, run.active->row),
                                     is_oversubscribed(point, backend_)));
      indices.push_back(index);
    }
    if (requests.empty()) return {};
    auto answers = launcher_.submit(requests, deadline());
    ENSURE(answers.size() == requests.size(), "one answer for each request");
    TRY_ASSIGN(auto transaction, store_.begin());
    for (std::size_t i = 0; i < indices.size(); ++i) TRY(handed_over(indices[i], answers[i]));
    return transaction->commit();
  }

  Result<void> handed_over(int index, const Result<JobRef>& answer) {
    ActiveAttempt& active = *table_.at(index).active;
    if (answer) {
      active.job = *answer;
      active.handed_over = true;
      active.row.job_id = answer->id;
      active.row.submitted_ns = answer->submitted_ns;
      reached_ = true;
      submitting_.answered();
      TRY(change(active.row, AttemptState::queued));
      return event_of(index, "submit",
                      "handed over as " + active.job.name +
                          (active.job.id.empty() ? "" : ", job " + active.job.id));
    }
    const Error& error = answer.error();
    if (error.retryable || error.code == ErrorCode::timeout ||
        error.code == ErrorCode::unavailable) {
      active.put_off = true;
      return put_off(submitting_, "run " + std::to_string(table_.at(index).row.number), error);
    }
    return conclude(index, AttemptState::failed, Reason::submit_refused, error.message, 0);
  }

  // The outside world is not answering: wait longer each time. Not having reached it even once
  // means that the site is wrong, and is for the user to know now.
  Result<void> put_off(BackOff& back_off, const std::string& what, const Error& error) {
    if (!reached_ && error.code == ErrorCode::unavailable && !error.retryable) {
      return error.in(what);
    }
    waiting_for_ = what + ": " + error.message;
    if (!back_off.is_over(clock_.steady())) return {};  // of several at once, the first one speaks
    back_off.refused(clock_.steady());
    log_warning(row_.id, waiting_for_ + "; trying again in " + to_duration_text(back_off.wait()));
    return {};
  }

  Result<void> sleep() {
    Nanoseconds nap = backend_.poll_interval;
    if (submitting_.wait() + looking_.wait() > 0) nap = std::max(nap, kHousekeeping);
    const bool room = !table_.waiting().empty() && stopping_ == Stopping::no &&
                      waiting_for_.empty() && submitting_.wait() == 0 &&
                      static_cast<int>(table_.active().size()) < ceilings_.concurrent;
    if (room) nap = 0;
    nap = std::min(nap, std::max<Nanoseconds>(0, next_housekeeping_ - clock_.steady()));
    TRY_ASSIGN(const Poller::Woken woken, poller_.wait(nap));
    for (std::size_t i = 0; i < woken.signals.size(); ++i) {
      looking_.try_now();
      if (stopping_ == Stopping::no && backend_.has_queue) {
        stopping_ = Stopping::leave;
        TRY(event("interrupt", "interrupted: jobs stay in the queue; running again adopts them"));
        progress_.say("interrupted: " + std::to_string(table_.active().size()) +
                      " jobs stay in the queue or go on running; running again adopts them");
      } else if (stopping_ == Stopping::no) {
        stopping_ = Stopping::after_active;
        TRY(event("interrupt", "interrupted: no further runs start; active ones end first"));
        progress_.say("interrupted: waiting for " + std::to_string(table_.active().size()) +
                      " active runs to end; once more cancels them. Running again resumes.");
      } else if (stopping_ == Stopping::after_active) {
        stopping_ = Stopping::cancel;
        TRY(event("interrupt", "interrupted again: active runs are cancelled"));
        progress_.say("interrupted again: cancelling the active runs");
      }
    }
    return {};
  }

  std::optional<EngineEnd> ending() const {
    if (complete_) return EngineEnd::finished;
    const bool stopping = stopping_ != Stopping::no;
    if (stopping_ == Stopping::leave) return EngineEnd::interrupted;
    if (stopping ? table_.any_handed_over() : !table_.active().empty()) return std::nullopt;
    if (user_cancelled_) return EngineEnd::cancelled;
    if (stopping) return EngineEnd::interrupted;
    if (over_budget_) return EngineEnd::over_budget;
    return std::nullopt;
  }

  Result<EngineOutcome> finish(EngineEnd end) {
    TRY(store_.renew_lease(row_.row, options_.lease));  // only its holder may say that it is over
    const std::string state = state_after(end);
    TRY_ASSIGN(auto transaction, store_.begin());
    TRY(store_.set_study_state(row_.row, state));
    TRY(event("study", end == EngineEnd::over_budget ? state + ": " + waiting_for_ : state));
    TRY(transaction->commit());
    progress_.show_last(table_, ceilings_);
    return EngineOutcome{end, table_.succeeded(), table_.failed()};
  }

  Deadline deadline() const { return clock_.steady() + backend_.call_deadline; }

  Result<void> change(AttemptRow& attempt, AttemptState to) {
    const AttemptState from = attempt.state;
    attempt.state = to;
    return store_.change_attempt(attempt, from);
  }

  Result<void> event(const std::string& kind, const std::string& text) {
    return store_.put_event(row_.row, {clock_.wall(), kind, text, 0, 0});
  }

  Result<void> event_of(int index, const std::string& kind, const std::string& text) {
    const RunState& run = table_.at(index);
    return store_.put_event(row_.row,
                            {clock_.wall(), kind, text, run.row.number, run.active->row.number});
  }

  StudyStore& store_;
  const StudyRow& row_;
  const Study& study_;
  const Site& site_;
  Launcher& launcher_;
  Poller& poller_;
  const Clock& clock_;
  const EngineOptions& options_;
  const Capabilities backend_;
  const Ceilings ceilings_;
  ProgressBook progress_;
  RunTable table_;
  std::map<RowId, int> point_index_;
  std::vector<RowId> point_rows_;
  int last_round_ = 0;
  Stopping stopping_ = Stopping::no;
  bool user_cancelled_ = false;
  bool over_budget_ = false;
  bool complete_ = false;
  bool reached_ = false;
  BackOff submitting_, looking_;
  Nanoseconds next_housekeeping_ = 0;
  std::string waiting_for_;
};

}  // namespace

Result<EngineOutcome> run_study(StudyStore& store, const StudyRow& row, const Study& study,
                                const Site& site, Launcher& launcher, Poller& poller,
                                const Clock& clock, const EngineOptions& options) {
  return Reconciler(store, row, study, site, launcher, poller, clock, options).run();
}

}  // namespace kneepoint

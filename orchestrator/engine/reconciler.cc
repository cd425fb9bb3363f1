// SPDX-License-Identifier: Apache-2.0
//
// The loop: observe (one query for all) -> decide (pure functions beside this file) -> record
// intent (one transaction) -> act. It only sequences. Killed between any two lines, the next start
// finds intent in the store, looks names up at the launcher, and goes on.
#include "orchestrator/engine/drive.h"
#include "orchestrator/engine/requests.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kHousekeeping = kSecond;  // lease and requests
constexpr Nanoseconds kTimeoutGrace = kMinute;  // the agent keeps the limit; this is the net
constexpr int kLookShare = 10;  // of the time, at most, goes into looking at steps of running ones

// What the study's row says once the engine has ended this way.
const char* state_after(EngineEnd end) {
  if (end == EngineEnd::finished) return "finished";
  return end == EngineEnd::cancelled ? "cancelled" : "interrupted";
}

Drive make_drive(StudyStore& store, const StudyRow& row, const Study& study, const Site& site,
                 const Capabilities& backend, const Clock& clock, const EngineOptions& options) {
  const Limits& limits = study.plan.limits;
  const int concurrent = wished_concurrent(site.packing, limits, options.concurrent);
  return {store, row,     study,   site,
          clock, options, backend, ceilings_of(limits, site.limits, backend, concurrent)};
}

class Reconciler {
 public:
  Reconciler(StudyStore& store, const StudyRow& row, const Study& study, const Site& site,
             Launcher& launcher, Poller& poller, const Clock& clock, const EngineOptions& options)
      : launcher_(launcher),
        poller_(poller),
        drive_(make_drive(store, row, study, site, launcher.capabilities(), clock, options)) {}

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
    TRY_ASSIGN(auto transaction, drive_.store.begin());
    TRY(rounds_.begin());
    TRY(drive_.store.set_study_state(drive_.row.row, "running"));
    TRY(drive_.event("study", "controller started on " + drive_.options.lease.host));
    TRY(transaction->commit());
    TRY(load());
    TRY_ASSIGN(const StudyEvidence evidence, drive_.store.evidence(drive_.row.row));
    drive_.spending.begin(evidence);
    return {};
  }

  // Rebuilds the picture; runs of a new round are added to it.
  Result<void> load() {
    TRY_ASSIGN(const std::vector<RunRow> rows, drive_.store.runs(drive_.row.row));
    table_.load(rows, rounds_.point_index(), drive_.row.work_dir);
    for (const int index : table_.active()) {
      ActiveAllocation& allocation = table_.allocation_of(index);
      allocation.nodes = std::max(allocation.nodes, drive_.point_of(index).shape.nodes);
    }
    // A run that the user or the budget stopped earlier has attempts that cost it nothing.
    for (RunState& run : table_.all()) {
      begun_ = begun_ || run.row.finished;
      if (run.row.finished || run.row.attempts == 0) continue;
      if (run.row.attempts == 1 && run.row.last->state != AttemptState::cancelled) continue;
      TRY_ASSIGN(const std::vector<AttemptRow> attempts, drive_.store.attempts(run.row.row));
      run.spent = static_cast<int>(
          std::count_if(attempts.begin(), attempts.end(), [&](const AttemptRow& attempt) {
            return attempt.number > run.row.forgiven && costs_a_try(attempt.state);
          }));
    }
    return {};
  }

  Result<void> tick() {
    TRY(housekeeping());
    TRY(pushes_.take());
    TRY(observe_all());
    if (wrong_site_ && !table_.any_handed_over()) return *wrong_site_;
    if (table_.active().empty() && table_.waiting().empty() && stopping_ == Stopping::no) {
      TRY(table_.left_open() > 0 ? leave_open() : decide_round());
    }
    TRY(start_waiting());
    progress_.show(waiting_for_, contact_.silence());
    return {};
  }

  Result<void> housekeeping() {
    const Nanoseconds now = drive_.clock.steady();
    if (now < next_housekeeping_) return {};
    next_housekeeping_ = now + kHousekeeping;
    Lease lease = drive_.options.lease;
    lease.heartbeat_ns = drive_.clock.wall();
    TRY(drive_.store.renew_lease(drive_.row.row, lease));
    TRY_ASSIGN(const std::vector<RequestKind> requests, drive_.store.take_requests(drive_.row.row));
    if (!requests.empty()) {
      TRY(drive_.event("cancel", "cancelled on request"));
      user_cancelled_ = true;
      stopping_ = Stopping::cancel;
    }
    return {};
  }

  // Observe -----------------------------------------------------------------------------------

  Result<void> observe_all() {
    TRY(hand_over());  // what an earlier controller meant to submit, or what the backend put off
    if (stopping_ == Stopping::cancel) {
      for (auto& [id, allocation] : table_.allocations()) {
        TRY(stop(allocation, Reason::user_cancelled));
      }
    }
    if (!contact_.looking.is_over(drive_.clock.steady())) return {};
    std::vector<JobRef> jobs;
    std::vector<int> ids;
    for (const auto& [id, allocation] : table_.allocations()) {
      if (!allocation.handed_over) continue;
      jobs.push_back(allocation.job);
      ids.push_back(id);
    }
    if (jobs.empty()) return {};
    auto seen = launcher_.observe(jobs, deadline());
    if (!seen) return put_off(contact_.looking, "observe", seen.error());
    reached_ = true;
    TRY(contact_.answered(contact_.looking));
    ENSURE(seen->size() == jobs.size(), "one observation for each job");
    TRY_ASSIGN(auto transaction, drive_.store.begin());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      TRY(digest(table_.allocations().at(ids[i]), (*seen)[i]));
    }
    return transaction->commit();
  }

  Result<void> digest(ActiveAllocation& allocation, const Observation& seen) {
    if (is_alone(allocation)) {
      AttemptRow& attempt = table_.at(allocation.members.front()).active->row;
      attempt.started_ns = seen.started_ns;
      attempt.ended_ns = seen.ended_ns;
    }
    TRY(attempts_.note_placement(allocation, seen));
    switch (seen.state) {
      case AllocationState::queued: {
        const Nanoseconds limit = drive_.limits().queue_wait;
        if (limit > 0 && seen.observed_ns - seen.submitted_ns > limit) {
          TRY(stop(allocation, Reason::pending_too_long));
        }
        progress_.pending_reason = seen.detail;
        return {};
      }
      case AllocationState::running: {
        begun_ = true;
        const Nanoseconds ran = seen.observed_ns - seen.started_ns;
        if (allocation.longest == 0) allocation.longest = longest_of(allocation, ran);
        if (seen.started_ns > 0 && ran > allocation.longest) {
          TRY(stop(allocation, Reason::time_limit));
        }
        if (!is_alone(allocation)) return look_inside(allocation, seen);
        AttemptRow& attempt = table_.at(allocation.members.front()).active->row;
        if (attempt.state != AttemptState::queued) return {};
        return attempts_.change(attempt, AttemptState::running);
      }
      case AllocationState::ended:
      case AllocationState::unknown:
        return end_of(allocation, seen);
    }
    return {};
  }

  // How long it may run until we end it. The agent keeps the limits of the steps: this is the net
  // below it, and a budget allows for the half of the backend's overrun that is left for it.
  Nanoseconds longest_of(const ActiveAllocation& allocation, Nanoseconds ran) {
    const Limits& limits = drive_.limits();
    if (!ceilings_.has_budget()) {
      return longest_allocation(drive_.site.packing, limits.timeout) + kTimeoutGrace;
    }
    Nanoseconds longest = backend_.overrun / 2;
    for (const int index : allocation.members) {
      longest +=
          limit_of(table_.at(index).active->row, limits) + (drive_.is_packed() ? kStepMargin : 0);
    }
    return drive_.is_packed() ? ran + longest : longest;
  }

  // One job per run: what the backend says of the job holds for the run.
  bool is_alone(const ActiveAllocation& allocation) const {
    return !drive_.is_packed() && allocation.members.size() == 1;
  }

  // The allocation goes on: some of its steps are over, one runs, the others are still to come.
  Result<void> look_inside(ActiveAllocation& allocation, const Observation& seen) {
    const Nanoseconds before = drive_.clock.steady();
    if (before < allocation.next_look) return {};
    const auto artifacts = launcher_.collect(allocation.job, deadline());
    const Nanoseconds after = drive_.clock.steady();
    allocation.next_look = after + (after - before) * kLookShare;
    if (!artifacts) return {};  // its end will tell
    for (const int index : std::vector<int>(allocation.members)) {
      TRY_ASSIGN(const StepArtifacts step, attempts_.step_of(index, *artifacts));
      AttemptRow& attempt = table_.at(index).active->row;
      const StepProgress progress = progress_of(step);
      if (progress == StepProgress::not_begun) continue;
      if (attempt.state == AttemptState::queued) {
        TRY(attempts_.change(attempt, AttemptState::running));
      }
      if (progress == StepProgress::ended) TRY(attempts_.ended(index, step, seen, false));
    }
    return {};
  }

  Result<void> end_of(ActiveAllocation& allocation, const Observation& seen) {
    auto artifacts = launcher_.collect(allocation.job, deadline());
    if (!artifacts && seen.state == AllocationState::ended) {
      return put_off(contact_.looking, "collect " + allocation.job.name, artifacts.error());
    }
    const Artifacts found = artifacts ? std::move(*artifacts) : Artifacts{};
    const bool any_ran = std::any_of(found.steps.begin(), found.steps.end(),
                                     [](const StepArtifacts& step) { return step.begun; });
    const bool alone = is_alone(allocation);
    // Nothing has ever begun, and this never will: the study stops here with the backend's words.
    const bool wrong_site = !any_ran && !begun_ && is_of_the_site(seen.reason);
    if (wrong_site && !wrong_site_) {
      wrong_site_ = Error{ErrorCode::invalid, seen.detail, false};
      stopping_ = Stopping::cancel;
    }
    begun_ = begun_ || any_ran;
    // Ending the last of them ends `allocation` too.
    for (const int index : std::vector<int>(allocation.members)) {
      TRY_ASSIGN(const StepArtifacts step, attempts_.step_of(index, found));
      TRY(step.begun   ? attempts_.ended(index, step, seen, alone)
          : wrong_site ? attempts_.left_open(index, seen)
                       : attempts_.never_began(index, seen, any_ran));
    }
    return {};
  }

  // Asked again at each look until the backend has taken it.
  Result<void> stop(ActiveAllocation& allocation, Reason why) {
    if (allocation.stop == Reason::none) allocation.stop = why;
    if (allocation.stop_taken || !contact_.looking.is_over(drive_.clock.steady())) return {};
    const auto answer = launcher_.cancel(std::span(&allocation.job, 1), deadline());
    allocation.stop_taken = answer.front().has_value();
    if (allocation.stop_taken) return {};
    return put_off(contact_.looking, "cancel " + allocation.job.name, answer.front().error());
  }

  // Decide and act ----------------------------------------------------------------------------

  Result<void> decide_round() {
    TRY_ASSIGN(const bool more, rounds_.decide());
    for (const std::string& reason : rounds_.reasons()) progress_.say(reason);
    complete_ = !more;
    if (complete_) return {};
    progress_.round = rounds_.last();
    return load();
  }

  // Somebody else cancelled their jobs and had a reason: not put into the queue again unasked.
  Result<void> leave_open() {
    stopping_ = Stopping::after_active;
    const std::string text = std::to_string(table_.left_open()) +
                             (table_.left_open() == 1 ? " run was" : " runs were") +
                             " cancelled by somebody else; running again tries them again";
    progress_.say(text);
    return drive_.event("cancel", text);
  }

  Result<void> start_waiting() {
    if (stopping_ != Stopping::no || table_.waiting().empty()) return {};
    if (!contact_.submitting.is_over(drive_.clock.steady())) return {};
    const Usage usage =
        usage_of(table_, drive_.study, backend_, drive_.spending, drive_.is_packed());
    const std::vector<std::vector<int>> batches = batches_of_waiting();
    std::vector<Need> needs;
    for (const std::vector<int>& batch : batches) {
      needs.push_back(
          need_of_all(batch, table_, drive_.study, backend_, drive_.spending, drive_.is_packed()));
    }
    const Admission admission = admit(needs, usage, ceilings_);
    waiting_for_ = admission.count == 0 ? admission.waiting : "";
    over_budget_ = admission.over_budget && admission.count == 0 && table_.active().empty();
    if (admission.count == 0) return {};

    TRY_ASSIGN(auto transaction, drive_.store.begin());
    for (int i = 0; i < admission.count; ++i) {
      const std::vector<Nanoseconds>& limits = admission.reserves[i].limits;
      const std::vector<int> steps(batches[i].begin(),
                                   batches[i].begin() + static_cast<long>(limits.size()));
      for (const int index : steps) table_.leave_waiting(index);
      TRY(attempts_.intend(steps, limits));
    }
    TRY(transaction->commit());
    return hand_over();
  }

  // The waiting runs as the allocations they would come in; no more than could start.
  std::vector<std::vector<int>> batches_of_waiting() {
    const auto& waiting = table_.waiting();
    const std::size_t look = drive_.is_packed()
                                 ? waiting.size()
                                 : std::min<std::size_t>(waiting.size(), ceilings_.concurrent);
    const std::vector<PackItem> items = pack_items(table_, drive_.study, look);
    const int places = ceilings_.concurrent - static_cast<int>(table_.allocations().size());
    auto batches = pack(items, drive_.site.packing, places, ceilings_.nodes);
    for (auto& batch : batches) {
      for (int& index : batch) index = waiting[static_cast<std::size_t>(index)];
    }
    return batches;
  }

  // Submits every allocation whose intent is written and whose job is not known yet. Once stopping,
  // what could not be submitted is left to the next start, which finds the intent.
  Result<void> hand_over() {
    if (!contact_.submitting.is_over(drive_.clock.steady())) return {};
    std::vector<AllocationRequest> requests;
    std::vector<int> ids;
    for (const auto& [id, allocation] : table_.allocations()) {
      if (allocation.handed_over) continue;
      if (stopping_ != Stopping::no && allocation.put_off) continue;
      std::vector<Step> steps;
      for (const int index : allocation.members) {
        const RunState& run = table_.at(index);
        const Point& point = drive_.study.points[run.point];
        steps.push_back(step_for(point, drive_.study.plan, drive_.site,
                                 identity_of(drive_.row, run.row, run.active->row),
                                 is_oversubscribed(point, backend_)));
        steps.back().limit = limit_of(run.active->row, drive_.limits());
      }
      requests.push_back(
          allocation_for(allocation.job.name, drive_.row.work_dir, std::move(steps)));
      requests.back().push = pushes_.target(allocation.job.name);
      ids.push_back(id);
    }
    if (requests.empty()) return {};
    auto answers = launcher_.submit(requests, deadline());
    ENSURE(answers.size() == requests.size(), "one answer for each request");
    // Nothing was ever taken: the site is wrong, and the first of its sentences says how.
    const Error* refusal = refused_altogether(answers);
    if (refusal != nullptr && !reached_ && !table_.any_handed_over()) return *refusal;
    TRY_ASSIGN(auto transaction, drive_.store.begin());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      TRY(answered(table_.allocations().at(ids[i]), answers[i]));
    }
    return transaction->commit();
  }

  Result<void> answered(ActiveAllocation& allocation, const Result<JobRef>& answer) {
    if (answer) {
      reached_ = true;
      TRY(contact_.answered(contact_.submitting));
      return attempts_.handed_over(allocation, *answer);
    }
    const Error& error = answer.error();
    const std::vector<int> members = allocation.members;
    if (may_pass(error) || is_of_the_site(error)) {
      allocation.put_off = true;
      const std::string what = "run " + std::to_string(table_.at(members.front()).row.number);
      return put_off(contact_.submitting, members.size() == 1 ? what : allocation.job.name, error);
    }
    for (const int index : members) TRY(attempts_.refused(index, error));
    return {};
  }

  // The outside world is not answering: wait longer each time. Not having reached it even once
  // means that the site is wrong, and is for the user to know now.
  Result<void> put_off(BackOff& back_off, const std::string& what, const Error& error) {
    if (!reached_ && error.code == ErrorCode::unavailable && !error.retryable) {
      return error.in(what);
    }
    return contact_.refused(back_off, what + ": " + error.message);
  }

  Result<void> sleep() {
    Nanoseconds nap = backend_.poll_interval;
    if (contact_.is_silent()) nap = std::max(nap, kHousekeeping);
    const bool room = !table_.waiting().empty() && stopping_ == Stopping::no &&
                      waiting_for_.empty() && !contact_.is_silent() &&
                      static_cast<int>(table_.allocations().size()) < ceilings_.concurrent;
    if (room) nap = 0;
    nap = std::min(nap, std::max<Nanoseconds>(0, next_housekeeping_ - drive_.clock.steady()));
    TRY_ASSIGN(const Poller::Woken woken, poller_.wait(nap));
    for (std::size_t i = 0; i < woken.signals.size(); ++i) {
      contact_.looking.try_now();
      if (stopping_ == Stopping::no && backend_.has_queue) {
        stopping_ = Stopping::leave;
        TRY(drive_.event("interrupt",
                         "interrupted: jobs stay in the queue; running again adopts them"));
        progress_.say("interrupted: " + std::to_string(table_.allocations().size()) +
                      " jobs stay in the queue or go on running; running again adopts them");
      } else if (stopping_ == Stopping::no) {
        stopping_ = Stopping::after_active;
        TRY(drive_.event("interrupt", "interrupted: no further runs start; active ones end first"));
        progress_.say("interrupted: waiting for " + std::to_string(table_.active().size()) +
                      " active runs to end; once more cancels them. Running again resumes.");
      } else if (stopping_ == Stopping::after_active) {
        stopping_ = Stopping::cancel;
        TRY(drive_.event("interrupt", "interrupted again: active runs are cancelled"));
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
    TRY(pushes_.take());  // what the endpoint has to tell, to the last
    TRY(drive_.store.renew_lease(drive_.row.row,
                                 drive_.options.lease));  // only its holder may say that it is over
    const std::string state = state_after(end);
    TRY_ASSIGN(auto transaction, drive_.store.begin());
    TRY(drive_.store.set_study_state(drive_.row.row, state));
    TRY(drive_.event("study", end == EngineEnd::over_budget ? state + ": " + waiting_for_ : state));
    TRY(transaction->commit());
    progress_.show_last();
    return EngineOutcome{end, table_.succeeded(), table_.failed(),
                         end == EngineEnd::over_budget ? waiting_for_ : ""};
  }

  Deadline deadline() const { return drive_.clock.steady() + backend_.call_deadline; }

  Launcher& launcher_;
  Poller& poller_;
  Drive drive_;
  RunTable& table_ = drive_.table;
  const Capabilities& backend_ = drive_.backend;
  const Ceilings& ceilings_ = drive_.ceilings;
  ProgressView progress_{drive_};
  Attempts attempts_{drive_, progress_};
  Pushes pushes_{drive_, attempts_};
  Contact contact_{drive_, progress_};
  StoredRounds rounds_{drive_};
  Stopping stopping_ = Stopping::no;
  bool user_cancelled_ = false;
  bool over_budget_ = false;
  bool complete_ = false;
  bool reached_ = false;
  bool begun_ = false;               // a step, in this sitting or an earlier one
  std::optional<Error> wrong_site_;  // why none ever will
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

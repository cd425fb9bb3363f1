// SPDX-License-Identifier: Apache-2.0
//
// The agent's own end record outranks Slurm's silence: a job that left Slurm's memory is judged by
// its files.
#include "orchestrator/backend/slurm/watch.h"

#include <algorithm>

#include "orchestrator/backend/slurm/text.h"
#include "orchestrator/base/node_list.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kMissing = 8 * kSecond;     // unlisted so long: gone (accounting lags 6 s)
constexpr Nanoseconds kFilesLate = 60 * kSecond;  // what a network file system may take
constexpr Nanoseconds kAccountingLate = 15 * kSecond;
constexpr Nanoseconds kCleaning = 30 * kSecond;
// A node that could not even open the output file: the next job would do no better at once.
constexpr Nanoseconds kFolderLate = 10 * kSecond;
constexpr Nanoseconds kOrphan = 10 * kMinute;  // Slurm ends jobs that it has lost much sooner
constexpr int kFailedStarts = 2;
constexpr Nanoseconds kSkew = kMinute;  // between the clocks of file server and slurmctld

}  // namespace

Nanoseconds look_interval(Nanoseconds since_last_change, bool any_running) {
  return std::clamp<Nanoseconds>(since_last_change / 10, kSecond,
                                 any_running ? 15 * kSecond : kMinute);
}

std::string SlurmWatch::key_of(const std::string& name, const std::string& directory) {
  return name + '\n' + directory;
}

const SlurmJob* SlurmWatch::pick(const Jobs& jobs, const JobRef& ref) {
  const auto found = jobs.find(key_of(ref.name, ref.directory));
  if (found == jobs.end()) return nullptr;
  const SlurmJob* best = nullptr;
  for (const SlurmJob& job : found->second) {
    // Older than ours: of a study that was deleted, in whose folder another one runs now. Later is
    // fine: requeuing gives a job another submit time.
    if (job.submitted > 0 && job.submitted + kSkew < ref.submitted_ns) continue;
    if (!ref.id.empty() && job.id == ref.id) return &job;
    if (best == nullptr || job.submitted >= best->submitted) best = &job;
  }
  return best;
}

const SlurmJob* SlurmWatch::listed(const JobRef& ref) const {
  return pick(listed_, ref);
}

const SlurmJob* SlurmWatch::recorded(const JobRef& ref) const {
  return pick(recorded_, ref);
}

Result<bool> SlurmWatch::look_if_due(Deadline deadline) {
  if (clock_.steady() < next_look_) return false;
  TRY(look(deadline));
  return true;
}

Result<void> SlurmWatch::look(Deadline deadline) {
  const Nanoseconds asked = clock_.wall();
  auto answer = transport_.list(deadline);
  if (!answer && answer.error().code == ErrorCode::timeout) {
    Error error = answer.error();
    error.message += "; check that slurmctld runs and is not too busy";
    return error;
  }
  TRY_ASSIGN(std::vector<SlurmJob> jobs, std::move(answer));
  listed_.clear();
  for (SlurmJob& job : jobs) {
    if (!job.name.starts_with("kp-")) continue;
    listed_[key_of(job.name, job.directory)].push_back(std::move(job));
  }
  asked_wall_ = asked;
  last_look_ = clock_.steady();
  next_look_ = last_look_ + kSecond;
  return {};
}

Result<void> SlurmWatch::ask_accounting(const std::vector<SlurmAllocation*>& missing,
                                        Deadline deadline) {
  recorded_.clear();
  accounting_silent_.clear();
  if (missing.empty() || !cluster_.has_accounting) return {};
  std::vector<std::string> names;
  Nanoseconds since = clock_.wall();
  for (const SlurmAllocation* job : missing) {
    names.push_back(job->ref.name);
    since =
        std::min(since, job->ref.submitted_ns > 0 ? job->ref.submitted_ns : changed_at(job->path));
  }
  auto jobs = transport_.history(names, since - kSkew, deadline);
  if (!jobs) {
    accounting_silent_ = jobs.error().message;
    return jobs.error();
  }
  for (SlurmJob& job : *jobs) recorded_[key_of(job.name, job.directory)].push_back(std::move(job));
  return {};
}

bool SlurmWatch::is_in_doubt(const SlurmAllocation& job) const {
  return !job.over && listed(job.ref) == nullptr && !all_steps_ended(job.steps);
}

bool SlurmWatch::needs_accounting(const SlurmAllocation& job) const {
  if (job.over) return false;
  const SlurmJob* told = listed(job.ref);
  if (told == nullptr) return is_in_doubt(job);
  return told->state == SlurmState::cancelled && !job.cancelled && told->ended_by.empty();
}

void SlurmWatch::schedule(const std::vector<SlurmAllocation*>& jobs) {
  const Nanoseconds now = clock_.steady();
  Nanoseconds youngest = kHour;
  bool running = false, any = false;
  for (const SlurmAllocation* job : jobs) {
    if (job == nullptr || job->over) continue;
    any = true;
    running = running || job->state == AllocationState::running;
    youngest = std::min(youngest, now - job->changed);
    if (job->missing_since + job->late_since + job->asked_since + job->completing_since > 0)
      youngest = 0;
  }
  if (next_look_ > 0) next_look_ = any ? last_look_ + look_interval(youngest, running) : 0;
}

void SlurmWatch::note(SlurmAllocation& job, AllocationState state) const {
  if (job.state != state || job.changed == 0) job.changed = clock_.steady();
  job.state = state;
}

Observation SlurmWatch::observe(SlurmAllocation& job, Deadline deadline) {
  if (job.over) return job.as_known(clock_);
  if (const SlurmJob* told = listed(job.ref)) return digest(job, *told, deadline);
  // Pending or running by accounting alone is what a lost job looks like.
  const SlurmJob* past = recorded(job.ref);
  if (past != nullptr && meaning_of(*past, clock_.wall()).state == AllocationState::ended) {
    return digest(job, *past, deadline);
  }
  return not_listed(job);
}

Observation SlurmWatch::digest(SlurmAllocation& job, const SlurmJob& told, Deadline deadline) {
  job.missing_since = 0;
  job.ref.id = told.id;
  if (job.ref.submitted_ns == 0) job.ref.submitted_ns = told.submitted;
  note_suspension(job, told);
  const SlurmMeaning meaning = meaning_of(told, clock_.wall());
  // A completing job is listed with the nodes that are not clean yet.
  if (!told.nodes.empty() && (!told.completing || job.nodes.empty())) job.nodes = told.nodes;
  Observation seen = job.as_known(clock_);
  seen.state = meaning.state;
  seen.detail = meaning.detail;
  if (meaning.state == AllocationState::queued) {
    // By lists alone: the files may be newer than this one. While its agent lives, it goes on.
    if (job.ran && any_step_begun(job.steps) && !is_locked(job.path)) take_back(job, deadline);
    seen.expected_start_ns = told.started;
    note(job, meaning.state);
    return seen;
  }
  job.ran = job.ran || meaning.state == AllocationState::running;
  job.started = std::max(told.started, job.ref.submitted_ns);
  seen.started_ns = told.started == 0 ? 0 : job.started;
  if (meaning.state == AllocationState::ended) {
    seen.reason = meaning.reason;
    seen.preempted = meaning.preempted;
    return ended(job, told, std::move(seen), deadline);
  }
  // Cleaning up after a job can take Slurm minutes; then the agent's word is enough.
  if (told.completing && job.completing_since == 0) job.completing_since = clock_.steady();
  if (told.completing && clock_.steady() - job.completing_since > kCleaning &&
      all_steps_ended(job.steps)) {
    seen.detail.clear();
    return ended(job, told, std::move(seen), deadline);
  }
  seen.state = as_far_as_begun(job);
  if (seen.state != meaning.state && seen.detail.empty()) {
    seen.detail = "started on " + told.nodes + "; its agent has not begun yet";
  }
  note(job, seen.state);
  seen.observed_ns = std::max(seen.observed_ns, seen.started_ns);
  return seen;
}

// Slurm calls a job running before its script is. What has not begun can still be handed over again
// at no cost.
AllocationState SlurmWatch::as_far_as_begun(SlurmAllocation& job) {
  job.begun = job.begun || any_step_begun(job.steps);
  return job.begun ? AllocationState::running : AllocationState::queued;
}

Observation SlurmWatch::ended(SlurmAllocation& job, const SlurmJob& told, Observation seen,
                              Deadline deadline) {
  const Nanoseconds now = clock_.steady();
  const auto wait = [&](Nanoseconds& since, Nanoseconds at_most, const std::string& why) {
    if (since == 0) since = now;
    if (now - since >= at_most) return false;
    seen.state = as_far_as_begun(job);
    note(job, seen.state);
    seen.reason = Reason::none;
    seen.preempted = false;
    seen.detail = why;
    seen.observed_ns = std::max(seen.observed_ns, seen.started_ns);
    return true;
  };
  const Nanoseconds patience = patience_for(job, told);
  if (patience > 0 &&
      wait(job.late_since, patience,
           "over for Slurm (" + told.state.word + "); its files are not here yet")) {
    return seen;
  }
  if (job.requeued) {
    seen.preempted = true;
    seen.reason = Reason::none;
    seen.detail = "Slurm put job " + job.ref.id + " back into the queue, where we took it out";
  } else if (told.state == SlurmState::cancelled && !job.cancelled && told.ended_by.empty() &&
             cluster_.has_accounting) {
    const SlurmJob* past = recorded(job.ref);
    if (past != nullptr && !past->ended_by.empty()) {
      seen.detail = meaning_of(*past, clock_.wall()).detail;
    } else if (wait(job.asked_since, kAccountingLate, "cancelled; asking accounting by whom")) {
      return seen;
    }
  }
  if (seen.reason == Reason::node_failed) {
    remember_failed_nodes(job, told, deadline);
    if (!cluster_.excludes_nodes) {
      seen.detail += "; this API of slurmrestd can't exclude the node from the next job";
    }
  }
  const bool begun = any_step_begun(job.steps);
  if (!begun && seen.reason != Reason::user_cancelled) {
    const std::string said = last_output_line(slurm_output_path(job.ref.directory, job.ref.name));
    if (seen.detail.empty())
      seen.detail = "Slurm ended job " + job.ref.id + " as " + told.state.word;
    seen.detail += said.empty() ? "; it wrote nothing into " + job.ref.directory +
                                      " (is that folder there on the nodes, and writable?)"
                                : "; it said: " + said;
    if (told.started > 0 && seen.reason == Reason::none && !seen.preempted) {
      seen.detail += note_failed_start(job);
    }
  } else if (told.state == SlurmState::failed) {
    const std::string said = last_output_line(slurm_output_path(job.ref.directory, job.ref.name));
    if (!said.empty()) seen.detail += "; it said: " + said;
  }
  const std::string trouble =
      told.state == SlurmState::failed ? folder_trouble(job.ref.directory) : "";
  if (!trouble.empty()) seen.detail += "; " + trouble;
  seen.state = AllocationState::ended;
  seen.ended_ns = std::max({told.ended, told.started, job.ref.submitted_ns});
  seen.observed_ns = std::max(clock_.wall(), seen.ended_ns);
  note(job, AllocationState::ended);
  job.over = seen;
  return seen;
}

Nanoseconds SlurmWatch::patience_for(const SlurmAllocation& job, const SlurmJob& told) {
  if (told.state == SlurmState::completed) return all_steps_ended(job.steps) ? 0 : kFilesLate;
  // Its script ran: something of it must turn up, or it would be handed over again for nothing.
  const bool ran =
      told.started > 0 && (told.state == SlurmState::failed || told.state == SlurmState::timeout ||
                           told.state == SlurmState::out_of_memory);
  if (!ran || any_step_begun(job.steps)) return 0;
  if (!last_output_line(slurm_output_path(job.ref.directory, job.ref.name)).empty()) return 0;
  return told.reason == "JobLaunchFailure" ? kFolderLate : kFilesLate;
}

// An administrator can requeue what must not be. It would wait again only to find its runs taken.
void SlurmWatch::take_back(SlurmAllocation& job, Deadline deadline) {
  job.requeued = job.cancelled = true;
  // Asked again at the next look if it is refused.
  const auto asked = transport_.cancel({&job.ref.id, 1}, deadline);
  static_cast<void>(asked);
}

void SlurmWatch::note_suspension(SlurmAllocation& job, const SlurmJob& told) const {
  if (told.state != SlurmState::suspended && told.state != SlurmState::stopped) return;
  if (job.suspended_ns >= asked_wall_) return;  // the same list as before
  job.suspended_ns = asked_wall_;               // not now: it may have gone on since
  // Not being able to note it costs the next controller this knowledge, no more.
  const auto noted = note_suspended(job.ref.directory, job.ref.name, job.suspended_ns);
  static_cast<void>(noted);
}

// Neither listed nor recorded as over.
Observation SlurmWatch::not_listed(SlurmAllocation& job) {
  const Nanoseconds now = clock_.steady();
  const bool silent = !accounting_silent_.empty();
  if (silent || job.missing_since == 0) job.missing_since = now;
  Observation seen = job.as_known(clock_);
  seen.started_ns = job.started;
  const bool all_ended = all_steps_ended(job.steps);
  if (!all_ended && now - job.missing_since < kMissing) {
    seen.state = job.state == AllocationState::running ? job.state : AllocationState::queued;
    seen.detail =
        "Slurm does not list job " + job.ref.id +
        (silent ? ", and accounting does not answer: " + accounting_silent_ : "; looking again");
    if (silent) job.missing_since = 0;  // counted from its first answer
    seen.observed_ns = std::max(seen.observed_ns, seen.started_ns);
    return seen;
  }
  if (!all_ended && !any_step_begun(job.steps)) {
    seen.started_ns = 0;
    seen.detail = "Slurm no longer knows of job " + job.ref.id + " named " + job.ref.name;
    return seen;
  }
  // Slurm has lost it, its agent goes on: only once that is gone may the run be tried again.
  if (!all_ended && now - job.missing_since < kOrphan && is_locked(job.path)) {
    note(job, AllocationState::running);
    seen.state = AllocationState::running;
    seen.detail = "Slurm does not list job " + job.ref.id + ", but its agent still runs";
    seen.observed_ns = std::max(seen.observed_ns, seen.started_ns);
    return seen;
  }
  seen.state = AllocationState::ended;
  if (!all_ended) {
    seen.detail =
        "Slurm no longer knows of job " + job.ref.id + ", and its agent left no end record";
  }
  seen.ended_ns = std::max({last_record_of(job.steps), job.started, job.ref.submitted_ns});
  if (seen.started_ns == 0) seen.started_ns = job.ref.submitted_ns;
  seen.observed_ns = std::max(clock_.wall(), seen.ended_ns);
  note(job, AllocationState::ended);
  job.over = seen;
  return seen;
}

std::string SlurmWatch::note_failed_start(const SlurmAllocation& job) const {
  const std::vector<std::string> nodes = expand_node_list(job.nodes);
  if (nodes.empty() || !cluster_.excludes_nodes) return "";
  const std::string& node = nodes.front();  // where the batch script runs
  const auto starts = add_failed_start(job.ref.directory, node);
  if (!starts || *starts < kFailedStarts || !add_failed_nodes(job.ref.directory, {node})) return "";
  return "; " + std::to_string(*starts) + " allocations failed to begin on node " + node +
         ": the study leaves it out (slurm.exclude_failed) while enough other nodes remain";
}

void SlurmWatch::remember_failed_nodes(const SlurmAllocation& job, const SlurmJob& told,
                                       Deadline deadline) {
  std::vector<std::string> nodes;
  if (!told.failed_node.empty()) {
    nodes.push_back(told.failed_node);
  } else if (expand_node_list(job.nodes).size() == 1) {
    nodes.push_back(job.nodes);  // also if it is back in service by now
  } else if (!job.nodes.empty()) {
    auto down = transport_.down_nodes(job.nodes, deadline);
    if (down) nodes = *down;
  }
  // Not being able to note it costs another try on that node, no more.
  const auto noted = add_failed_nodes(job.ref.directory, nodes);
  static_cast<void>(noted);
}

}  // namespace kneepoint

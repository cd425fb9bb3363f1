// SPDX-License-Identifier: Apache-2.0
//
// The end of an allocation is told once: its log is stored first, then the end is noted beside its
// file, then its Job may go.
#include "orchestrator/backend/kubernetes/observer.h"

#include <algorithm>

#include "orchestrator/backend/backends.h"
#include "orchestrator/backend/kubernetes/session.h"
#include "orchestrator/io/http_url.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kLogLate = 30 * kSecond;    // what a log may take to be readable
constexpr Nanoseconds kWordsAfter = 3 * kSecond;  // without a pod, before we ask why
constexpr Nanoseconds kWordsAgain = 15 * kSecond;
constexpr Nanoseconds kFollowAgain = 10 * kSecond;
// A wrong image, pods that are refused: waiting does not mend them, a registry may take a moment.
constexpr Nanoseconds kHopeless = 90 * kSecond;
constexpr int kMostFollowed = 64;  // logs at once, each a connection; others are read at the end

// The watch of pods may lag behind that of Jobs: what ended must be seen to have ended.
bool lacks_an_end(const std::vector<KubePod>& pods, int completions) {
  const auto ended =
      std::count_if(pods.begin(), pods.end(), [](const KubePod& pod) { return pod.terminated; });
  return ended < completions;
}

// Why pods could not be made: is it so until somebody changes the site or the namespace? A quota
// that is used up is free again when other pods end.
bool is_refusal(const std::string& words) {
  const auto has = [&](const char* part) { return words.find(part) != std::string::npos; };
  return !has("exceeded quota") && (has("forbidden") || has("Invalid value") || has("not found"));
}

bool has_pod(const std::vector<KubePod>& pods, const std::string& name) {
  return std::any_of(pods.begin(), pods.end(),
                     [&](const KubePod& pod) { return pod.name == name; });
}

}  // namespace

void KubeObserver::begin_look(std::span<KubeAllocation* const> jobs) {
  asked_words_ = false;
  followed_ = 0;
  for (const KubeAllocation* job : jobs) {
    if (job != nullptr && job->log && job->log->is_followed()) ++followed_;
  }
}

Result<Observation> KubeObserver::observe(KubeAllocation& job, Deadline deadline) {
  if (job.over) {
    if (!job.deleted) TRY(delete_kube_job(session_, job, deadline));
    Observation seen = *job.over;
    seen.observed_ns = std::max(session_.clock.wall(), seen.ended_ns);
    return seen;
  }
  const KubeJob* told = session_.view.job(job.job);
  if (told != nullptr && told->directory != job.ref.directory) told = nullptr;
  if (told != nullptr && (told->complete || told->failed) && !job.pods_listed &&
      lacks_an_end(session_.view.pods_of(job.job), told->completions)) {
    TRY(session_.view.list_pods(deadline));
    job.pods_listed = true;
  }
  const std::vector<KubePod> pods = session_.view.pods_of(job.job);
  remember_pods(job, pods);
  remember_pods(job, session_.view.take_gone(job.job));
  TRY(follow_log(job, pods));
  if (told == nullptr) return not_listed(job, pods, deadline);
  if (job.ref.id.empty()) job.ref.id = told->uid;
  if (job.ref.submitted_ns == 0) job.ref.submitted_ns = told->created;
  const KubeMeaning meaning = meaning_of(*told, told->failed ? pods_ever(job) : pods);
  if (!meaning.nodes.empty()) job.nodes = meaning.nodes;
  job.started = std::max(job.started, meaning.started);
  Observation seen = blank(job);
  seen.state = meaning.state;
  seen.detail = meaning.detail;
  seen.started_ns = job.started;
  if (told->suspended && job.started > 0 && pods.empty() &&
      meaning.state == AllocationState::queued) {
    return ended(job, evicted(std::move(seen), told->queue), deadline);
  }
  if (meaning.state == AllocationState::queued &&
      static_cast<int>(pods.size()) < told->completions) {
    TRY(ask_why_pods_lack(job, *told, deadline));
    if (!job.words.empty()) seen.detail = "pods could not be made: " + job.words;
  }
  const bool lacks_pods = !job.words.empty() && static_cast<int>(pods.size()) < told->completions;
  const Reason if_given_up =
      lacks_pods && is_refusal(job.words) ? Reason::submit_refused : meaning.if_given_up;
  const Nanoseconds now = session_.clock.steady();
  const bool hopeless = meaning.state == AllocationState::queued && !told->suspended &&
                        if_given_up != Reason::pending_too_long;
  job.hopeless = !hopeless ? 0 : job.hopeless > 0 ? job.hopeless : now;
  const bool waits = meaning.state == AllocationState::queued && !told->suspended;
  if (waited(job, waits, now) > session_.site.kubernetes.pending_limit ||
      (job.hopeless > 0 && now - job.hopeless > kHopeless)) {
    seen.state = AllocationState::ended;
    seen.reason = if_given_up;
    seen.detail = "given up: " + seen.detail;
    seen.started_ns = job.ref.submitted_ns;
    seen.ended_ns = seen.observed_ns;
    return ended(job, std::move(seen), deadline);
  }
  if (meaning.state != AllocationState::ended) return seen;
  seen.reason = meaning.reason;
  seen.preempted = meaning.preempted;
  seen.ended_ns = std::max({meaning.ended, job.started, job.ref.submitted_ns});
  return ended(job, std::move(seen), deadline);
}

// Its queue has taken it back. Let in again it would begin anew, behind our back.
Observation KubeObserver::evicted(Observation seen, const std::string& queue) const {
  seen.state = AllocationState::ended;
  seen.preempted = true;
  seen.detail = "suspended again" + (queue.empty() ? "" : ": evicted by queue " + queue);
  seen.ended_ns = std::max(seen.started_ns, session_.clock.wall());
  return seen;
}

// A quota or an account that is missing stands in an event of the Job and nowhere else.
Result<void> KubeObserver::ask_why_pods_lack(KubeAllocation& job, const KubeJob& told,
                                             Deadline deadline) {
  if (told.suspended || asked_words_ || session_.clock.steady() < job.next_words) return {};
  const bool first = job.next_words == 0;
  job.next_words = session_.clock.steady() + (first ? kWordsAfter : kWordsAgain);
  if (first) return {};
  asked_words_ = true;
  const KubePlace where{"v1", "events", session_.name_space, "",
                        "fieldSelector=" + url_escaped("involvedObject.uid=" + told.uid + "," +
                                                       session_.kind.trouble)};
  TRY_ASSIGN(const KubeAnswer answer, session_.client->call("GET", where, "", deadline));
  if (answer.good()) job.words = read_kube_event_words(answer.body);
  return {};  // words are a help; without the right to read them it waits all the same
}

Observation KubeObserver::blank(const KubeAllocation& job) const {
  Observation seen;
  seen.job = job.ref;
  seen.submitted_ns = job.ref.submitted_ns;
  seen.nodes = job.nodes;
  seen.observed_ns = std::max(session_.clock.wall(), job.ref.submitted_ns);
  return seen;
}

// A kubelet that is restarted ends the streams of logs as if they were complete, and its pods run
// on. That the pod has ended, too, is told a moment later.
void KubeObserver::follow_anew_if_due(KubeAllocation& job, const KubePod& pod) const {
  if (!job.log->has_ended() || pod.terminated) return;
  const Nanoseconds now = session_.clock.steady();
  if (job.log_again == 0) {
    job.log_again = now + kFollowAgain;
  } else if (now >= job.log_again) {
    job.log_again = 0;
    job.log->follow_anew();
  }
}

Result<void> KubeObserver::follow_log(KubeAllocation& job, const std::vector<KubePod>& pods) {
  for (const KubePod& pod : pods) {
    if (pod.index != 0 || pod.started == 0) continue;
    job.started = std::max(job.started, pod.started);
    if (!job.log || job.log->pod() != pod.name) {
      job.log = std::make_unique<KubeLog>(pod.name, job.steps);
    }
    follow_anew_if_due(job, pod);
  }
  return read_on(job);
}

Result<void> KubeObserver::read_on(KubeAllocation& job) {
  if (job.over || !job.log) return {};
  if (!job.log->is_followed()) {
    if (followed_ >= kMostFollowed) return {};
    ++followed_;
  }
  return job.log->follow(*session_.client, session_.name_space);
}

// The log first, then the note of the end, then the Job may go.
Result<Observation> KubeObserver::ended(KubeAllocation& job, Observation seen, Deadline deadline) {
  if (job.log) {
    TRY_ASSIGN(const bool there,
               job.log->read_whole(*session_.client, session_.name_space, deadline));
    job.heard = job.heard || there;
    if (job.log_asked == 0) job.log_asked = session_.clock.steady();
    // A pod that is gone has taken its log along.
    const bool late =
        there ? job.log->has_gap() : has_pod(session_.view.pods_of(job.job), job.log->pod());
    if (late && !job.cancelled && session_.clock.steady() - job.log_asked < kLogLate &&
        !all_steps_ended(job.steps)) {
      seen.state = AllocationState::running;
      seen.reason = Reason::none;
      seen.preempted = false;
      seen.ended_ns = 0;
      seen.detail = "over; its log can't be read yet";
      return seen;
    }
  }
  TRY(begin_if_unheard(job));
  TRY(write_end_note(job.path, seen));
  job.over = seen;
  job.log.reset();
  TRY(delete_kube_job(session_, job, deadline));
  return seen;
}

// Deleted, by us or by someone else, or never made.
Result<Observation> KubeObserver::not_listed(KubeAllocation& job, const std::vector<KubePod>& pods,
                                             Deadline deadline) {
  Observation seen = blank(job);
  seen.started_ns = job.started;
  if (!pods.empty()) {
    seen.state = AllocationState::running;
    if (seen.started_ns == 0) seen.started_ns = job.ref.submitted_ns;
    seen.detail = "its Job was deleted; its pods are ending";
    return seen;
  }
  if (job.ref.id.empty()) {
    seen.detail = "the API server knows of no Job '" + job.job + "'";
    return seen;  // unknown: it was never made
  }
  seen.state = AllocationState::ended;
  seen.reason = Reason::user_cancelled;  // of a step that was told to end; others have ended
  seen.detail = job.cancelled ? "cancelled" : "Job " + job.job + " was deleted by someone else";
  if (seen.started_ns == 0) seen.started_ns = job.ref.submitted_ns;
  seen.ended_ns = std::max(seen.started_ns, session_.clock.wall());
  return ended(job, std::move(seen), deadline);
}

// nullptr: there is nothing to end.
Result<KubeAllocation*> KubeObserver::to_cancel(const JobRef& ref) {
  TRY_ASSIGN(KubeAllocation * job, session_.book.find(ref));
  if (job == nullptr || job->over) return static_cast<KubeAllocation*>(nullptr);
  const KubeJob* told = session_.view.job(job->job);
  if (told == nullptr) return static_cast<KubeAllocation*>(nullptr);
  if (job->ref.id.empty()) job->ref.id = told->uid;
  TRY(follow_log(*job, session_.view.pods_of(job->job)));  // its last words are heard while it ends
  job->cancelled = true;
  return job;
}

std::vector<Result<void>> KubeObserver::cancel(std::span<const JobRef> refs, Deadline deadline) {
  std::vector<Result<void>> answers(refs.size());
  Result<void> looked;
  if (session_.clock.steady() > deadline) {
    looked = deadline_passed("cancel");
  } else {
    for (const JobRef& ref : refs) {  // so that the view knows of their folders
      if (const auto found = session_.book.find(ref); !found) continue;
    }
    looked = session_.view.look(deadline);
  }
  std::vector<KubeAllocation*> jobs;
  std::vector<std::size_t> whose;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (!looked) {
      answers[i] = looked.error();
      continue;
    }
    const auto job = to_cancel(refs[i]);
    if (!job) answers[i] = job.error();
    if (!job || *job == nullptr) continue;
    jobs.push_back(*job);
    whose.push_back(i);
  }
  const auto deleted = delete_kube_jobs(session_, jobs, deadline);
  for (std::size_t d = 0; d < jobs.size(); ++d) {
    answers[whose[d]] = deleted[d];
    if (deleted[d]) session_.view.forget(jobs[d]->job);
  }
  return answers;
}

}  // namespace kneepoint

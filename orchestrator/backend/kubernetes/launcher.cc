// SPDX-License-Identifier: Apache-2.0
//
// The Kubernetes backend: one Indexed Job and its headless Service per allocation, or one MPIJob.
// Nothing is shared with the pods: steps travel in the Job, records come home in pod 0's log and
// lie in the controller's run directories. What has become of an allocation its Job, its pods and
// that log tell. Its end is told once: the log is stored first, then the end is noted beside the
// allocation file, then the Job may go, so that what was once known stays known.
#include <algorithm>

#include "orchestrator/backend/allocation_files.h"
#include "orchestrator/backend/backends.h"
#include "orchestrator/backend/kubernetes/session.h"
#include "orchestrator/io/http_client.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kKubeCallDeadline =
    20 * kSecond;  // an API server with a frozen etcd takes 16 s
constexpr int kKubeConcurrent = 4;
constexpr Nanoseconds kPodOverrun = 90 * kSecond;  // pods start together, and get 30 s to end
constexpr Nanoseconds kLogLate = 30 * kSecond;     // what a log may take to be readable
constexpr Nanoseconds kWordsAfter = 3 * kSecond;   // without a pod, before we ask why
constexpr Nanoseconds kWordsAgain = 15 * kSecond;
constexpr Nanoseconds kFollowAgain = 10 * kSecond;
constexpr int kMostFollowed = 64;  // logs at once, each a connection; others are read at the end

// A wrong image, pods that are refused: waiting does not mend them, a registry may take a moment.
constexpr Nanoseconds kHopeless = 90 * kSecond;

// Why pods could not be made: is it so until somebody changes the site or the namespace? A quota
// that is used up is free again when other pods end.
bool is_refusal(const std::string& words) {
  const auto has = [&](const char* part) { return words.find(part) != std::string::npos; };
  return !has("exceeded quota") && (has("forbidden") || has("Invalid value") || has("not found"));
}

// The watch of pods may lag behind that of Jobs: what ended must be seen to have ended.
bool lacks_an_end(const std::vector<KubePod>& pods, int completions) {
  const auto ended =
      std::count_if(pods.begin(), pods.end(), [](const KubePod& pod) { return pod.terminated; });
  return ended < completions;
}

class KubernetesLauncher final : public Launcher {
 public:
  KubernetesLauncher(const LauncherContext& context, std::unique_ptr<KubeClient> client,
                     std::string name_space)
      : session_(context.site, context.clock, std::move(client), std::move(name_space)) {}

  Capabilities capabilities() const override {
    Capabilities capabilities;
    capabilities.nodes = 0;  // not ours to ask: nodes are no namespace's
    capabilities.cores_per_node = 0;
    capabilities.cores_asked = kube_cores(session_.site.kubernetes.cpu);
    capabilities.default_concurrent = kKubeConcurrent;
    capabilities.has_queue = true;
    capabilities.poll_interval = 500 * kMillisecond;
    capabilities.call_deadline = kKubeCallDeadline;
    capabilities.overrun = kPodOverrun;
    capabilities.place = "namespace " + session_.name_space + " of context " +
                         session_.site.kubernetes.access.context;
    return capabilities;
  }

  std::vector<Result<JobRef>> submit(std::span<const AllocationRequest> requests,
                                     Deadline deadline) override {
    return submit_kube_jobs(session_, requests, deadline);
  }

  Result<std::vector<Observation>> observe(std::span<const JobRef> refs,
                                           Deadline deadline) override {
    if (session_.clock.steady() > deadline) return deadline_passed("observe");
    std::vector<KubeAllocation*> jobs;
    bool open = false;
    asked_words_ = false;
    followed_ = 0;
    for (const JobRef& ref : refs) {
      TRY_ASSIGN(KubeAllocation * job, session_.find(ref));
      jobs.push_back(job);
      open = open || (job != nullptr && !(job->over && job->deleted));
      if (job != nullptr && job->log && job->log->is_followed()) ++followed_;
    }
    if (open) TRY(session_.view.look(deadline));
    std::vector<Observation> observations;
    observations.reserve(refs.size());
    for (std::size_t i = 0; i < refs.size(); ++i) {
      if (jobs[i] == nullptr) {
        observations.push_back(never_heard_of(refs[i], session_.clock));
        continue;
      }
      TRY_ASSIGN(Observation seen, look_at(*jobs[i], deadline));
      observations.push_back(std::move(seen));
    }
    return observations;
  }

  std::vector<Result<void>> cancel(std::span<const JobRef> refs, Deadline deadline) override {
    std::vector<Result<void>> answers(refs.size());
    Result<void> looked = deadline_passed("cancel");
    if (session_.clock.steady() <= deadline) {
      for (const JobRef& ref : refs) {  // so that the view knows of their folders
        if (const auto found = session_.find(ref); !found) continue;
      }
      looked = session_.view.look(deadline);
    }
    if (!looked) return std::vector<Result<void>>(refs.size(), looked);
    std::vector<KubeJobToDelete> jobs;
    std::vector<std::size_t> places;  // of each in `answers`
    for (std::size_t i = 0; i < refs.size(); ++i) {
      const auto job = to_cancel(refs[i]);
      if (!job) answers[i] = job.error();
      if (!job || *job == nullptr) continue;
      jobs.push_back({(*job)->job, (*job)->ref.id});
      places.push_back(i);
    }
    const auto deleted = delete_kube_jobs(session_, jobs, deadline);
    for (std::size_t d = 0; d < jobs.size(); ++d) {
      answers[places[d]] = deleted[d];
      if (deleted[d]) session_.view.forget(jobs[d].name);
    }
    return answers;
  }

  Result<Artifacts> collect(const JobRef& ref, Deadline deadline) override {
    if (session_.clock.steady() > deadline) return deadline_passed("collect " + ref.name);
    TRY_ASSIGN(KubeAllocation * job, session_.find(ref));
    if (job != nullptr) TRY(read_on(*job));
    return collected(ref, job);
  }

  std::vector<EmittedFile> emit(const AllocationRequest& request) const override {
    return emitted_kube_job(session_, request);
  }

  // A dry run of what submit would do, once we know that we may.
  Result<std::string> rehearse(const AllocationRequest& request, Deadline deadline) override {
    if (!rights_seen_)
      TRY(check_kube_rights(*session_.client, session_.name_space, session_.kind, deadline));
    rights_seen_ = true;
    TRY(rehearse_kube_job(session_, request, deadline));
    return "the API server would take it into namespace " + session_.name_space;
  }

 private:
  Result<Observation> look_at(KubeAllocation& job, Deadline deadline) {
    if (job.over) {
      TRY(delete_job(job, deadline));
      return job.as_known(session_.clock);
    }
    const KubeJob* told = session_.view.job(job.job);
    if (told != nullptr && told->directory != job.ref.directory) told = nullptr;
    if (told != nullptr && (told->complete || told->failed) && !job.pods_listed &&
        lacks_an_end(session_.view.pods_of(job.job), told->completions)) {
      TRY(session_.view.list_pods(deadline));
      job.pods_listed = true;
    }
    const std::vector<KubePod> pods = session_.view.pods_of(job.job);
    job.remember(pods);
    job.remember(session_.view.take_gone(job.job));
    TRY(follow_log(job, pods));
    if (told == nullptr) return not_listed(job, pods, deadline);
    if (job.ref.id.empty()) job.ref.id = told->uid;
    if (job.ref.submitted_ns == 0) job.ref.submitted_ns = told->created;
    const KubeMeaning meaning = meaning_of(*told, told->failed ? job.pods_ever() : pods);
    if (!meaning.nodes.empty()) job.nodes = meaning.nodes;
    job.started = std::max(job.started, meaning.started);
    Observation seen = job.as_known(session_.clock);
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
    const bool waits = meaning.state == AllocationState::queued && !told->suspended;
    const bool refused =
        waits && static_cast<int>(pods.size()) < told->completions && is_refusal(job.words);
    const Reason if_given_up = refused ? Reason::submit_refused : meaning.if_given_up;
    const Nanoseconds now = session_.clock.steady();
    const bool hopeless = waits && if_given_up != Reason::pending_too_long;
    job.hopeless = !hopeless ? 0 : job.hopeless > 0 ? job.hopeless : now;
    if (job.waited(waits, now) > session_.site.kubernetes.pending_limit ||
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
  Observation evicted(Observation seen, const std::string& queue) const {
    seen.state = AllocationState::ended;
    seen.preempted = true;
    seen.detail = "suspended again" + (queue.empty() ? "" : ": evicted by queue " + queue);
    seen.ended_ns = std::max(seen.started_ns, session_.clock.wall());
    return seen;
  }

  // A quota or an account that is missing stands in an event of the Job and nowhere else.
  Result<void> ask_why_pods_lack(KubeAllocation& job, const KubeJob& told, Deadline deadline) {
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

  // A kubelet that is restarted ends the streams of logs as if they were complete, and its pods run
  // on. That the pod has ended, too, is told a moment later.
  void follow_anew_if_due(KubeAllocation& job, const KubePod& pod) const {
    if (!job.log->has_ended() || pod.terminated) return;
    const Nanoseconds now = session_.clock.steady();
    if (job.log_again == 0) {
      job.log_again = now + kFollowAgain;
    } else if (now >= job.log_again) {
      job.log_again = 0;
      job.log->follow_anew();
    }
  }

  Result<void> follow_log(KubeAllocation& job, const std::vector<KubePod>& pods) {
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

  // What its log has told since it was last read.
  Result<void> read_on(KubeAllocation& job) {
    if (job.over || !job.log) return {};
    if (!job.log->is_followed()) {
      if (followed_ >= kMostFollowed) return {};
      ++followed_;
    }
    return job.log->follow(*session_.client, session_.name_space);
  }

  // The log first, then the note of the end, then the Job may go.
  Result<Observation> ended(KubeAllocation& job, Observation seen, Deadline deadline) {
    if (job.log) {
      TRY_ASSIGN(const bool there,
                 job.log->read_whole(*session_.client, session_.name_space, deadline));
      job.heard = job.heard || there;
      if (job.log_asked == 0) job.log_asked = session_.clock.steady();
      // A pod that is gone has taken its log along.
      const bool late = there ? job.log->has_gap() : session_.view.has_pod(job.log->pod());
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
    TRY(job.begin_if_unheard());
    TRY(write_end_note(job.path, seen));
    job.over = seen;
    job.log.reset();
    TRY(delete_job(job, deadline));
    return seen;
  }

  // Deleted, by us or by someone else, or never made.
  Result<Observation> not_listed(KubeAllocation& job, const std::vector<KubePod>& pods,
                                 Deadline deadline) {
    Observation seen = job.as_known(session_.clock);
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

  Result<void> delete_job(KubeAllocation& job, Deadline deadline) {
    if (job.deleted || job.ref.id.empty()) return {};
    const KubeJobToDelete one{job.job, job.ref.id};
    const Result<void> deleted = delete_kube_jobs(session_, {&one, 1}, deadline).front();
    TRY(deleted);  // TRY keeps a reference, and the list is gone
    job.deleted = true;
    return {};
  }

  // nullptr: there is nothing to end.
  Result<KubeAllocation*> to_cancel(const JobRef& ref) {
    TRY_ASSIGN(KubeAllocation * job, session_.find(ref));
    if (job == nullptr || job->over) return static_cast<KubeAllocation*>(nullptr);
    const KubeJob* told = session_.view.job(job->job);
    if (told == nullptr) return static_cast<KubeAllocation*>(nullptr);
    if (job->ref.id.empty()) job->ref.id = told->uid;
    TRY(follow_log(*job,
                   session_.view.pods_of(job->job)));  // its last words are heard while it ends
    job->cancelled = true;
    return job;
  }

  KubeSession session_;
  bool rights_seen_ = false;
  bool asked_words_ = false;  // in this look: there may be thousands of jobs
  int followed_ = 0;          // logs
};

}  // namespace

Result<std::unique_ptr<Launcher>> make_kubernetes_launcher(const LauncherContext& context) {
  const KubeAccess& access = context.site.kubernetes.access;
  const auto own_poller = std::make_shared<Poller>();
  const auto pause = [own_poller](Nanoseconds at_most) -> Result<void> {
    TRY(own_poller->wait(at_most));
    return {};
  };
  TRY_ASSIGN(auto client, KubeClient::make(access, context.clock, pause));
  const std::string& wanted = context.site.kubernetes.name_space;
  const std::string name_space = !wanted.empty()              ? wanted
                                 : !access.name_space.empty() ? access.name_space
                                                              : "default";
  // Reachable, and are we allowed to look?
  const KubeKind& kind = kube_kind(context.site);
  const KubePlace where{kind.group_version, kind.resource, name_space, "", "limit=1"};
  const Deadline deadline = context.clock.steady() + kKubeCallDeadline;
  auto answer = client->call("GET", where, "", deadline);
  if (!answer) return answer.error();
  // All that is missing at once, not only this.
  if (answer->status == 403) TRY(check_kube_rights(*client, name_space, kind, deadline));
  if (answer->status == 404 && context.site.kubernetes.mpi_job) {
    return Error{
        ErrorCode::unavailable,
        "the cluster knows no MPIJobs of kubeflow.org/v2beta1; install the MPI operator, or "
        "leave kubernetes.mpi_job out of the site",
        false};
  }
  if (!answer->good()) return kube_refusal(*answer, "list", where);
  return std::unique_ptr<Launcher>(
      std::make_unique<KubernetesLauncher>(context, std::move(client), name_space));
}

}  // namespace kneepoint

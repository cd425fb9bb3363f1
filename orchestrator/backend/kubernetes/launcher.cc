// SPDX-License-Identifier: Apache-2.0
//
// The Kubernetes backend: one Indexed Job and its headless Service per allocation, or one MPIJob.
// Nothing is shared with the pods: steps travel in the Job, records come home in pod 0's log and
// lie in the controller's run directories. An ended Job is deleted when its log is stored and its
// end is noted beside the allocation file, so that what was once known stays known.

#include "orchestrator/backend/allocation_files.h"
#include "orchestrator/backend/backends.h"
#include "orchestrator/backend/kubernetes/observer.h"
#include "orchestrator/backend/kubernetes/rights.h"
#include "orchestrator/backend/kubernetes/session.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kKubeCallDeadline =
    20 * kSecond;  // an API server with a frozen etcd takes 16 s
constexpr int kKubeConcurrent = 4;
constexpr Nanoseconds kPodOverrun = 90 * kSecond;  // pods start together, and get 30 s to end

class KubernetesLauncher final : public Launcher {
 public:
  KubernetesLauncher(const LauncherContext& context, std::unique_ptr<KubeClient> client,
                     std::string name_space)
      : session_(context.site, context.clock, std::move(client), std::move(name_space)),
        observer_(session_) {}

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
    for (const JobRef& ref : refs) {
      TRY_ASSIGN(KubeAllocation * job, session_.book.find(ref));
      jobs.push_back(job);
      open = open || (job != nullptr && !(job->over && job->deleted));
    }
    if (open) TRY(session_.view.look(deadline));
    observer_.begin_look(jobs);
    std::vector<Observation> observations;
    observations.reserve(refs.size());
    for (std::size_t i = 0; i < refs.size(); ++i) {
      if (jobs[i] == nullptr) {
        observations.push_back(never_heard_of(refs[i], session_.clock));
        continue;
      }
      TRY_ASSIGN(Observation seen, observer_.observe(*jobs[i], deadline));
      observations.push_back(std::move(seen));
    }
    return observations;
  }

  std::vector<Result<void>> cancel(std::span<const JobRef> refs, Deadline deadline) override {
    return observer_.cancel(refs, deadline);
  }

  Result<Artifacts> collect(const JobRef& ref, Deadline deadline) override {
    if (session_.clock.steady() > deadline) return deadline_passed("collect " + ref.name);
    TRY_ASSIGN(KubeAllocation * job, session_.book.find(ref));
    if (job == nullptr) return nothing_to_collect(ref);
    TRY(observer_.read_on(*job));
    return artifacts_of(job->steps);
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
  KubeSession session_;
  KubeObserver observer_;
  bool rights_seen_ = false;
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

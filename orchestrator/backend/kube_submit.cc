// SPDX-License-Identifier: Apache-2.0
//
// The Job first, then the Service that it owns. The allocation's file is written before both.
#include "orchestrator/backend/kube_submit.h"

#include "orchestrator/backend/backends.h"
#include "orchestrator/backend/kube_manifest.h"
#include "orchestrator/base/hmac.h"

namespace kneepoint {
namespace {

constexpr char kNoKey[] = "drawn-when-it-is-submitted";

constexpr std::size_t kKeyBytes = 32;

Result<KubeJob> namesake(KubeSession& session, const AllocationRequest& request,
                         const KubeManifest& manifest, Deadline deadline) {
  TRY_ASSIGN(const KubeAnswer answer,
             session.client->call("GET", session.jobs(manifest.name), "", deadline));
  if (!answer.good()) return kube_refusal(answer, "get", session.jobs(manifest.name));
  TRY_ASSIGN(KubeJob job, read_kube_job(answer.body));
  if (job.directory == request.directory && job.hash == manifest.hash && !job.deleting) {
    return job;
  }
  return Error{ErrorCode::conflict,
               "namespace " + session.name_space + " has a " + session.kind.name + " '" +
                   manifest.name +
                   "' already that is not ours; delete it, or use another namespace",
               false};
}

Result<void> make_service(KubeSession& session, const std::string& name,
                          const std::string& directory, const std::string& uid, Deadline deadline) {
  if (session.kind.makes_service) return {};
  KubePlace where{"v1", "services", session.name_space, "", ""};
  TRY_ASSIGN(const KubeAnswer answer,
             session.client->call("POST", where, kube_service(name, directory, uid), deadline));
  if (answer.good()) return {};
  if (answer.status != 409) return kube_refusal(answer, "create", where);
  where.name = name;
  TRY_ASSIGN(const KubeAnswer there, session.client->call("GET", where, "", deadline));
  if (there.good() && read_kube_owned(there.body, uid)) return {};
  if (there.status == 404) {
    return Error{ErrorCode::unavailable, "Service '" + name + "' has just gone", true};
  }
  if (!there.good()) return kube_refusal(there, "get", where);
  return Error{ErrorCode::conflict,
               "namespace " + session.name_space + " has a Service '" + name +
                   "' already that is not ours; delete it, or use another namespace",
               false};
}

Result<void> dry_run(KubeSession& session, KubePlace where, const std::string& object,
                     Deadline deadline) {
  where.query = "dryRun=All&fieldValidation=Strict";
  TRY_ASSIGN(const KubeAnswer answer, session.client->call("POST", where, object, deadline));
  if (answer.good() || answer.status == 409) return {};
  return kube_refusal(answer, "create", where);
}

}  // namespace

Result<JobRef> submit_kube_job(KubeSession& session, const AllocationRequest& request,
                               Deadline deadline) {
  if (session.clock.steady() > deadline) return deadline_passed("prepare");
  if (request.steps.empty()) return Error{ErrorCode::invalid, "it has no step", false};
  const JobRef blank{request.name, request.directory, "", 0};
  TRY_ASSIGN(KubeAllocation * job, session.book.find(blank));
  if (job == nullptr) {
    TRY_ASSIGN(job, session.book.add(request));
  }
  if (job->over || !job->ref.id.empty()) return job->ref;
  const KubeManifest manifest =
      kube_manifest(request, session.site, hex_of_bytes(random_bytes(kKeyBytes)));
  TRY_ASSIGN(const KubeAnswer answer,
             session.client->call("POST", session.jobs(), manifest.job, deadline));
  KubeJob made;
  if (answer.good()) {
    TRY_ASSIGN(made, read_kube_job(answer.body));
  } else if (answer.status == 409) {
    TRY_ASSIGN(made, namesake(session, request, manifest, deadline));
  } else {
    return kube_refusal(answer, "create", session.jobs());
  }
  auto service = make_service(session, manifest.name, request.directory, made.uid, deadline);
  if (!service && !service.error().retryable) {  // without it its pods never meet
    KubeAllocation useless;
    useless.job = manifest.name;
    useless.ref.id = made.uid;
    TRY(delete_kube_job(session, useless, deadline));
  }
  TRY(service);
  session.view.note(made);
  job->ref.id = made.uid;
  job->ref.submitted_ns = made.created;
  return job->ref;
}

std::vector<Launcher::EmittedFile> emitted_kube_job(const KubeSession& session,
                                                    const AllocationRequest& request) {
  const KubeManifest manifest = kube_manifest(request, session.site, kNoKey);
  if (session.kind.makes_service) {
    return {{request.name + ".mpijob.json", manifest.job + "\n"}};
  }
  return {
      {request.name + ".job.json", manifest.job + "\n"},
      {request.name + ".service.json", kube_service(manifest.name, request.directory, "") + "\n"}};
}

Result<void> rehearse_kube_job(KubeSession& session, const AllocationRequest& request,
                               Deadline deadline) {
  const KubeManifest manifest = kube_manifest(request, session.site, kNoKey);
  const KubePlace services{"v1", "services", session.name_space, "", ""};
  TRY(dry_run(session, session.jobs(), manifest.job, deadline));
  if (session.kind.makes_service) return {};
  TRY(dry_run(session, services, kube_service(manifest.name, request.directory, ""), deadline));
  return {};
}

}  // namespace kneepoint

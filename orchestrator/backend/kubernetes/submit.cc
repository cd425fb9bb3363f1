// SPDX-License-Identifier: Apache-2.0
//
// The Job first, then the Service that it owns. The allocation's file is written before both. A
// Job whose Service was never made is found again by the next submission of the same request.
#include "orchestrator/backend/kubernetes/session.h"

#include <algorithm>
#include <optional>

#include "orchestrator/backend/backends.h"
#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/base/hash.h"

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

constexpr std::size_t kAtOnce = 32;  // so many are prepared, made, and given their Services

// A request on its way to a JobRef.
struct Submission {
  const AllocationRequest& request;
  KubeAllocation* job = nullptr;
  KubeManifest manifest;
  KubeJob made;
  std::optional<Result<JobRef>> answer;  // once there is nothing left to do
};

Result<void> prepare(KubeSession& session, Submission& one, Deadline deadline) {
  const AllocationRequest& request = one.request;
  if (session.clock.steady() > deadline) return deadline_passed("prepare");
  if (request.steps.empty()) return Error{ErrorCode::invalid, "it has no step", false};
  TRY_ASSIGN(one.job, session.book.find(JobRef{request.name, request.directory, "", 0}));
  if (one.job == nullptr) {
    TRY_ASSIGN(one.job, session.book.add(request));
  }
  if (one.job->over || one.job->submitted) {
    one.answer = one.job->ref;
    return {};
  }
  one.manifest = kube_manifest(request, session.site, hex_of_bytes(random_bytes(kKeyBytes)),
                               session.book.id_of(request.directory));
  return {};
}

// What was to be made can't be missing: the namespace is, or the kind. Found at the start it ends
// the study; in mid-study it is waited for, as long as it takes somebody to make it again.
Error refused_to_make(const KubeAnswer& answer, const KubePlace& where) {
  Error error = kube_refusal(answer, "create", where);
  if (answer.status == 404) error.code = ErrorCode::unavailable;
  return error;
}

Result<void> read_made(KubeSession& session, Submission& one, const Result<KubeAnswer>& answer,
                       Deadline deadline) {
  if (!answer) return answer.error();
  if (answer->good()) {
    TRY_ASSIGN(one.made, read_kube_job(answer->body));
    return {};
  }
  if (answer->status != 409) return refused_to_make(*answer, session.jobs());
  TRY_ASSIGN(one.made, namesake(session, one.request, one.manifest, deadline));
  return {};
}

Result<void> read_service(KubeSession& session, const Submission& one,
                          const Result<KubeAnswer>& answer, Deadline deadline) {
  KubePlace where = session.services();
  if (!answer) return answer.error();
  if (answer->good()) return {};
  if (answer->status != 409) return refused_to_make(*answer, where);
  where.name = one.manifest.name;
  TRY_ASSIGN(const KubeAnswer there, session.client->call("GET", where, "", deadline));
  if (there.good() && read_kube_owned(there.body, one.made.uid)) return {};
  if (there.status == 404) {
    return Error{ErrorCode::unavailable, "Service '" + where.name + "' has just gone", true};
  }
  if (!there.good()) return kube_refusal(there, "get", where);
  return Error{ErrorCode::conflict,
               "namespace " + session.name_space + " has a Service '" + where.name +
                   "' already that is not ours; delete it, or use another namespace",
               false};
}

// Its Service is there, or can't be had: without it its pods never meet, and it must go. A right
// that we had and that was taken away may come back: then the Job is found by its name.
Result<JobRef> finish(KubeSession& session, const Submission& one, Result<void> service,
                      Deadline deadline) {
  const bool may_come =
      !service && (service.error().retryable ||
                   (session.has_made_one && service.error().code == ErrorCode::permission));
  if (!service && !may_come) {
    KubeAllocation useless;
    useless.job = one.manifest.name;
    useless.ref.id = one.made.uid;
    TRY(delete_kube_job(session, useless, deadline));
  }
  TRY(service);
  session.view.note(one.made);
  one.job->ref.id = one.made.uid;
  one.job->ref.submitted_ns = one.made.created;
  one.job->submitted = true;
  session.has_made_one = true;
  return one.job->ref;
}

// Makes an object of each open one; `take` gets the answers.
template <typename Object, typename Take>
void make_all(KubeSession& session, std::vector<Submission>& all, const KubePlace& where,
              Deadline deadline, Object object_of, Take take) {
  std::vector<KubeCall> calls;
  std::vector<Submission*> open;
  for (Submission& one : all) {
    if (one.answer) continue;
    calls.push_back({"POST", where, object_of(one)});
    open.push_back(&one);
  }
  const auto answers = session.client->call_all(calls, deadline);
  for (std::size_t i = 0; i < open.size(); ++i) take(*open[i], answers[i]);
}

void submit_some(KubeSession& session, std::vector<Submission>& all, Deadline deadline) {
  for (Submission& one : all) {
    if (auto ready = prepare(session, one, deadline); !ready) one.answer = ready.error();
  }
  make_all(
      session, all, session.jobs(), deadline,
      [](const Submission& one) { return one.manifest.job; },
      [&](Submission& one, const Result<KubeAnswer>& answer) {
        if (auto made = read_made(session, one, answer, deadline); !made) {
          one.answer = made.error();
        } else if (session.kind.makes_service) {
          one.answer = finish(session, one, {}, deadline);
        }
      });
  make_all(
      session, all, session.services(), deadline,
      [&](const Submission& one) {
        const std::string& directory = one.request.directory;
        return kube_service(one.manifest.name, directory, one.made.uid,
                            session.book.id_of(directory));
      },
      [&](Submission& one, const Result<KubeAnswer>& answer) {
        one.answer = finish(session, one, read_service(session, one, answer, deadline), deadline);
      });
}

Result<void> dry_run(KubeSession& session, KubePlace where, const std::string& object,
                     Deadline deadline) {
  where.query = "dryRun=All&fieldValidation=Strict";
  TRY_ASSIGN(const KubeAnswer answer, session.client->call("POST", where, object, deadline));
  if (answer.good() || answer.status == 409) return {};
  return kube_refusal(answer, "create", where);
}

}  // namespace

std::vector<Result<JobRef>> submit_kube_jobs(KubeSession& session,
                                             std::span<const AllocationRequest> requests,
                                             Deadline deadline) {
  std::vector<Result<JobRef>> answers;
  answers.reserve(requests.size());
  while (answers.size() < requests.size()) {
    const auto rest = requests.subspan(answers.size());
    std::vector<Submission> some;
    for (const AllocationRequest& request : rest.first(std::min(kAtOnce, rest.size()))) {
      some.push_back({request, nullptr, {}, {}, std::nullopt});
    }
    submit_some(session, some, deadline);
    for (Submission& one : some) {
      if (!*one.answer) one.answer = one.answer->error().in("submit " + one.request.name);
      answers.push_back(std::move(*one.answer));
    }
  }
  return answers;
}

std::vector<Launcher::EmittedFile> emitted_kube_job(const KubeSession& session,
                                                    const AllocationRequest& request) {
  const std::string id = kube_folder_id(request.directory);
  const KubeManifest manifest = kube_manifest(request, session.site, kNoKey, id);
  if (session.kind.makes_service) {
    return {{request.name + ".mpijob.json", manifest.job + "\n"}};
  }
  return {{request.name + ".job.json", manifest.job + "\n"},
          {request.name + ".service.json",
           kube_service(manifest.name, request.directory, "", id) + "\n"}};
}

Result<void> rehearse_kube_job(KubeSession& session, const AllocationRequest& request,
                               Deadline deadline) {
  const std::string id = kube_folder_id(request.directory);
  const KubeManifest manifest = kube_manifest(request, session.site, kNoKey, id);
  TRY(dry_run(session, session.jobs(), manifest.job, deadline));
  if (session.kind.makes_service) return {};
  return dry_run(session, session.services(),
                 kube_service(manifest.name, request.directory, "", id), deadline);
}

}  // namespace kneepoint

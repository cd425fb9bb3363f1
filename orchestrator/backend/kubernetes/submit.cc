// SPDX-License-Identifier: Apache-2.0
//
// Whether we may, and how an allocation is made: the Job first, then the Service that it owns. The
// allocation's file is written before both. A Job whose Service was never made is found again by
// the next submission of the same request.
#include "orchestrator/backend/kubernetes/session.h"

#include <algorithm>
#include <optional>

#include "orchestrator/backend/backends.h"
#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_put.h"

namespace kneepoint {
namespace {

constexpr char kNoKey[] = "drawn-when-it-is-submitted";
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kAtOnce = 32;  // so many are prepared, made, and given their Services

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
  TRY_ASSIGN(one.job, session.find(JobRef{request.name, request.directory, "", 0}));
  if (one.job == nullptr) {
    TRY_ASSIGN(one.job, session.add(request));
  }
  if (one.job->over || one.job->submitted) {
    one.answer = one.job->ref;
    return {};
  }
  one.manifest = kube_manifest(request, session.site, hex_of_bytes(random_bytes(kKeyBytes)),
                               session.id_of(request.directory));
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
    const KubeJobToDelete useless{one.manifest.name, one.made.uid};
    const Result<void> deleted = delete_kube_jobs(session, {&useless, 1}, deadline).front();
    TRY(deleted);
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
        return kube_service(one.manifest.name, directory, one.made.uid, session.id_of(directory));
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

std::string review_of(const KubeRight& right, const std::string& name_space) {
  const std::string resource = right.resource;
  const std::size_t slash = resource.find('/');
  JsonWriter w;
  w.begin_object().put("apiVersion", "authorization.k8s.io/v1");
  w.put("kind", "SelfSubjectAccessReview").key("spec").begin_object();
  w.key("resourceAttributes").begin_object();
  w.put("namespace", name_space).put("verb", right.verb).put("group", right.group);
  w.put("resource", resource.substr(0, slash));
  if (slash != std::string::npos) w.put("subresource", resource.substr(slash + 1));
  return w.end_object().end_object().end_object().text();
}

}  // namespace

// A namespace that is not there gives 403 to whoever has rights in some others only: then nobody
// can tell the two apart, and the sentence says so.

std::vector<KubeRight> kube_rights(const KubeKind& kind) {
  std::vector<KubeRight> rights;
  for (const char* verb : {"create", "get", "list", "watch", "delete"}) {
    rights.push_back({kind.group, kind.resource, verb});
  }
  rights.insert(rights.end(),
                {{"", "pods", "list"}, {"", "pods", "watch"}, {"", "pods/log", "get"}});
  if (!kind.makes_service) {
    rights.insert(rights.end(), {{"", "services", "create"}, {"", "services", "get"}});
  }
  rights.push_back({"", "events", "list"});
  return rights;
}

std::string rights_text(const std::vector<KubeRight>& rights) {
  std::string text;
  std::string_view last;
  for (const KubeRight& right : rights) {
    if (last == right.resource) {
      text += std::string(", ") + right.verb;
      continue;
    }
    if (!last.empty()) text += "), ";
    text += std::string(right.resource) + " (" + right.verb;
    last = right.resource;
  }
  return last.empty() ? text : text + ")";
}

Result<void> check_kube_rights(KubeClient& client, const std::string& name_space,
                               const KubeKind& kind, Deadline deadline) {
  const KubePlace place{"v1", "namespaces", "", name_space, ""};
  TRY_ASSIGN(const KubeAnswer found, client.call("GET", place, "", deadline));
  if (found.status == 404) {
    return Error{ErrorCode::not_found,
                 "there is no namespace '" + name_space +
                     "'; make it, or name another one by kubernetes.namespace of the site",
                 false};
  }
  if (!found.good() && found.status != 403) return kube_refusal(found, "get", place);
  const KubePlace reviews{"authorization.k8s.io/v1", "selfsubjectaccessreviews", "", "", ""};
  const std::vector<KubeRight> rights = kube_rights(kind);
  std::vector<KubeRight> missing;
  for (const KubeRight& right : rights) {
    TRY_ASSIGN(const KubeAnswer answer,
               client.call("POST", reviews, review_of(right, name_space), deadline));
    if (!answer.good()) return kube_refusal(answer, "create", reviews);
    if (!read_kube_allowed(answer.body)) missing.push_back(right);
  }
  if (missing.empty()) return {};
  const bool all = missing.size() == rights.size();
  return Error{ErrorCode::permission,
               "not allowed in namespace " + name_space + ": " + rights_text(missing) +
                   (all ? "; either there is no such namespace, or we have no rights in it" : "") +
                   "; ask for a Role with these verbs, such as that of deploy/kubernetes",
               false};
}

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

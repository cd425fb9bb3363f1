// SPDX-License-Identifier: Apache-2.0
//
// Calls to one API server as one user. Keeps its connection; renews what expires (a token file each
// minute, a plug-in's credentials at their date, both on 401); waits out 429 inside the deadline.
// A refusal is an Error with one sentence that names verb, resource and namespace.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "orchestrator/backend/kubernetes/read.h"
#include "orchestrator/backend/launcher.h"
#include "orchestrator/io/http_client.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

struct KubeAnswer {
  int status = 0;
  std::string body;
  bool good() const { return status >= 200 && status < 300; }
};

// Where objects of a kind lie: "/apis/batch/v1/namespaces/perf/jobs/NAME".
struct KubePlace {
  std::string group_version;  // "batch/v1", "v1"
  std::string resource;       // "jobs", "pods/log"
  std::string name_space;     // "": not in a namespace
  std::string name;           // "": the collection
  std::string query;          // "labelSelector=..." or ""
};
std::string path_of(const KubePlace& place);

struct KubeCall {
  std::string method;
  KubePlace place;
  std::string body;
};

class KubeClient {
 public:
  // Waits so long. Not on a poller that others wait on: its signals would be lost to them.
  using Pause = std::function<Result<void>(Nanoseconds)>;
  // `clock` outlives it.
  static Result<std::unique_ptr<KubeClient>> make(const KubeAccess& access, const Clock& clock,
                                                  Pause pause);
  virtual ~KubeClient() = default;
  // Errors are of the way there and back: unavailable, timeout, io. Any status is an answer.
  Result<KubeAnswer> call(const std::string& method, const KubePlace& place,
                          const std::string& body, Deadline deadline) {
    const KubeCall one{method, place, body};
    return std::move(call_all({&one, 1}, deadline).front());
  }
  // All of them, a few at a time; answers in the order of the calls.
  virtual std::vector<Result<KubeAnswer>> call_all(std::span<const KubeCall> calls,
                                                   Deadline deadline) = 0;
  // A watch or a log that is followed.
  virtual Result<std::unique_ptr<HttpStream>> follow(const KubePlace& place) = 0;
};

// What a refusal means: permission (401, 403), not_found (404), exists (409 AlreadyExists),
// conflict (409), invalid (400, 410, 413, 415, 422, and the 403 of a policy), unavailable and to be
// tried again (429, 5xx, and the 403 of a quota).
Error kube_refusal(const KubeAnswer& answer, const std::string& verb, const KubePlace& place);

}  // namespace kneepoint

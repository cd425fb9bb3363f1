// SPDX-License-Identifier: Apache-2.0
//
// A namespace that is not there gives 403 to whoever has rights in some others only: then nobody
// can tell the two apart, and the sentence says so.
#include "orchestrator/backend/kubernetes/rights.h"

#include "orchestrator/base/json_text.h"

namespace kneepoint {
namespace {

std::string review_of(const KubeRight& right, const std::string& name_space) {
  const std::string resource = right.resource;
  const std::size_t slash = resource.find('/');
  JsonWriter w;
  w.begin_object().key("apiVersion").value("authorization.k8s.io/v1");
  w.key("kind").value("SelfSubjectAccessReview").key("spec").begin_object();
  w.key("resourceAttributes").begin_object();
  w.key("namespace").value(name_space).key("verb").value(right.verb);
  w.key("group").value(right.group).key("resource").value(resource.substr(0, slash));
  if (slash != std::string::npos) w.key("subresource").value(resource.substr(slash + 1));
  w.end_object().end_object().end_object();
  return w.text();
}

bool is_there(const KubeAnswer& answer) {
  return answer.status != 404;
}

Error no_namespace(const std::string& name_space) {
  return {ErrorCode::not_found,
          "there is no namespace '" + name_space +
              "'; make it, or name another one by kubernetes.namespace of the site",
          false};
}

}  // namespace

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
  if (!is_there(found)) return no_namespace(name_space);
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

}  // namespace kneepoint

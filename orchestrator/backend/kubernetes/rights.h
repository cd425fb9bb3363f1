// SPDX-License-Identifier: Apache-2.0
//
// May we do in a namespace what a study needs, and is it there at all? Asked of the API server
// itself (SelfSubjectAccessReview), all of it at once, so that one answer names all that is
// missing.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/backend/kubernetes/client.h"
#include "orchestrator/backend/kubernetes/manifest.h"

namespace kneepoint {

struct KubeRight {
  const char* group;  // "": the core group
  const char* resource;
  const char* verb;
};

// What the launcher calls, and no more: nothing is ever patched, and Services go with their Jobs.
std::vector<KubeRight> kube_rights(const KubeKind& kind = kIndexedJob);

// Ok, or one sentence: no such namespace, or the verbs and resources that are missing there.
Result<void> check_kube_rights(KubeClient& client, const std::string& name_space,
                               const KubeKind& kind, Deadline deadline);

// "jobs (create, delete), pods/log (get)".
std::string rights_text(const std::vector<KubeRight>& rights);

}  // namespace kneepoint

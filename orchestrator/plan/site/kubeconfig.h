// SPDX-License-Identifier: Apache-2.0
//
// How to reach a cluster: from kubeconfig files by kubectl's rules (of several files the first
// value counts, missing ones are skipped, paths are relative to the file they stand in), or from
// the account of the pod that we run in. Errors name file and key, never a secret.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

// Where to look, in this order: the files, then the pod's own account.
struct KubeAccessPlaces {
  std::vector<std::string> files;
  bool must_exist = false;  // the site names the file
  std::string service_host, service_port;
  std::string account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// The site's `kubeconfig`, else KUBECONFIG, else ~/.kube/config; KUBERNETES_SERVICE_HOST and _PORT.
KubeAccessPlaces kube_access_places(const KubernetesSite& site);

// `context` "": the current one.
Result<KubeAccess> kube_access(const KubeAccessPlaces& places, const std::string& context);

}  // namespace kneepoint

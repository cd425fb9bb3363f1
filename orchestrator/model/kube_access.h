// SPDX-License-Identifier: Apache-2.0
//
// KubeAccess: how to reach a cluster and as whom, from a kubeconfig or from a pod's own account. It
// lives in memory only: parts of it are secret, so it is never stored, logged or shown.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kneepoint {

// A program that hands out credentials (client.authentication.k8s.io).
struct KubeExec {
  std::string command;  // "": none
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string api_version;
  std::string install_hint;
  bool provide_cluster_info = false;
};

struct KubeAccess {
  std::string context;     // for messages; "in-cluster" inside a pod
  std::string server;      // https://host:6443
  std::string name_space;  // of the context; "": none said
  std::string ca_pem;      // "": the system's authorities
  std::string client_certificate_pem, client_key_pem;
  std::string token;       // as the kubeconfig holds it
  std::string token_file;  // read again as it is renewed; wins over token
  KubeExec exec;
  std::string proxy_url;
  std::string tls_server_name;
  bool insecure = false;  // only when the kubeconfig itself says so
};

}  // namespace kneepoint

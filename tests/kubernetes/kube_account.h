// SPDX-License-Identifier: Apache-2.0
//
// A service account with the least rights that will do, whose token lies in a file and ends with
// the Secret that it is bound to: so it can be ended at any instant.
#pragma once

#include <string>

#include "tests/kubernetes/kube_place.h"

namespace kneepoint::testing_support {

class KubeAccount {
 public:
  explicit KubeAccount(const KubePlace& place);
  // Another token, in the same file.
  void renew();
  // Until the API server refuses the token: what it has found good it remembers for some seconds.
  void expire() const;
  const std::string& kubeconfig() const { return kubeconfig_; }

 private:
  void post(const std::string& path, const nlohmann::json& body) const;

  const KubePlace& place_;
  std::string tie_, token_, kubeconfig_;
  int ties_ = 0;
};

}  // namespace kneepoint::testing_support

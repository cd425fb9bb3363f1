// SPDX-License-Identifier: Apache-2.0
//
// A service account with the rights that deploy/ ships and no more, whose token lies in a file and
// ends with the Secret that it is bound to: so it can be ended at any instant.
#pragma once

#include <string>
#include <vector>

#include "tests/kubernetes/kube_place.h"

namespace kneepoint {
struct KubeRight;
}

namespace kneepoint::testing_support {

class KubeAccount {
 public:
  explicit KubeAccount(const KubePlace& place);
  // Another token, in the same file.
  void renew();
  // Until the API server refuses the token: what it has found good it remembers for some seconds.
  void expire() const;
  // All rights but this one, or all of them again; back when the API server has noticed.
  void lose(const std::string& resource, const std::string& verb) const;
  void regain() const;
  const std::string& kubeconfig() const { return kubeconfig_; }

 private:
  void post(const std::string& path, const nlohmann::json& body) const;
  void be_allowed(const std::vector<KubeRight>& rights) const;
  bool may(const std::string& resource, const std::string& verb) const;

  const KubePlace& place_;
  const std::string rbac_;
  std::string tie_, token_, kubeconfig_;
  int ties_ = 0;
};

}  // namespace kneepoint::testing_support

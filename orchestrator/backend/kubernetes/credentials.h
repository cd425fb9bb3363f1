// SPDX-License-Identifier: Apache-2.0
//
// Who we are for an API server, kept fresh: a token file is read again each minute, a plug-in asked
// again when its answer expires.
#pragma once

#include <string>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

class KubeCredentials {
 public:
  KubeCredentials(const KubeAccess& access, const Clock& clock);
  // True if the client certificate is another one than before.
  Result<bool> renew_if_due(Nanoseconds deadline);
  void expire() { due_ = 0; }
  bool can_renew() const { return !access_.token_file.empty() || !access_.exec.command.empty(); }

  const std::string& token() const { return token_; }
  const std::string& certificate_pem() const { return certificate_pem_; }
  const std::string& key_pem() const { return key_pem_; }

 private:
  Result<bool> read_token();
  Result<bool> ask_plugin(Nanoseconds deadline);

  const KubeAccess access_;
  const Clock& clock_;
  std::string token_, certificate_pem_, key_pem_;
  Nanoseconds due_ = 0;  // steady; 0: now
  bool asked_ = false;
};

}  // namespace kneepoint

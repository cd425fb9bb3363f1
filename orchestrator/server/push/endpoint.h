// SPDX-License-Identifier: Apache-2.0
//
// The record endpoint as `run` uses it: the key from which tokens come, the certificate, the port
// and the spool, all in a folder beside the database that only its owner can read.
//
//   <database>.push/key                 tokens are derived from it; made once
//   <database>.push/identity.pem        certificate and key of our own, if the site names none
//   <database>.push/<study>/            spool, and the port that was free at the last start
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/site.h"
#include "orchestrator/server/push/server.h"

namespace kneepoint {

class PushEndpoint {
 public:
  // `folder`: <database>.push. Files that the site names are read here; a port that is taken is
  // ErrorCode::unavailable, all else is for the user to correct.
  static Result<std::unique_ptr<PushEndpoint>> open(const PushSite& site, const std::string& folder,
                                                    const std::string& study, const Clock& clock);

  // Would open() work? Reads the files that the site names and listens for a moment; makes and
  // keeps nothing. The address that agents would be told; errors as of open().
  static Result<std::string> rehearse(const PushSite& site, const Clock& clock);

  // What the agent of an allocation is told.
  PushTarget target(const std::string& allocation) const;
  const std::string& url() const { return url_; }
  PushStats stats() const { return server_->stats(); }
  // Sentences for the story: who came with a wrong token. Never a token.
  std::vector<std::string> news() { return server_->news(); }

 private:
  std::string key_;
  std::string ca_;
  std::string url_;
  std::unique_ptr<PushServer> server_;
};

std::string push_folder(const std::string& database);
std::string push_spool(const std::string& folder, const std::string& study);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// A `kneepoint serve` elsewhere, asked through its API. What can't be reached now may be there in a
// moment; a refusal is final. The token stays in its file.
#pragma once

#include <memory>
#include <string>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/io/http_client.h"

namespace kneepoint::cli {

struct RemoteStudy {
  std::string id, series, state;
  bool running = false;
  int runs = 0, succeeded = 0, failed = 0;

  bool is_over() const { return state == "finished" || state == "cancelled"; }
};

class ControllerClient {
 public:
  static Result<ControllerClient> make(const std::string& url, const std::string& token_file,
                                       const std::string& ca_file, const Clock& clock);

  Result<std::string> start(const std::string& plan, const std::string& site, bool gate);  // id
  Result<RemoteStudy> study(const std::string& id);
  Result<std::string> verdict(const std::string& series, const std::string& study);

 private:
  ControllerClient(std::unique_ptr<HttpClient> client, const Clock& clock)
      : client_(std::move(client)), clock_(clock) {}
  // The body of an answer of 200 to 299.
  Result<std::string> ask(const char* method, const std::string& path, const std::string& body,
                          Nanoseconds at_most);

  std::unique_ptr<HttpClient> client_;
  const Clock& clock_;
};

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
//
// What http_client.cc tells curl of a request. For that file only: handles are curl's own, as
// pointers without a type.
#pragma once

#include <string>

#include "orchestrator/io/http_client.h"

namespace kneepoint {

Result<void> start_curl();  // once for the process

// Holds what curl reads while it works on the request.
class CurlRequest {
 public:
  CurlRequest() = default;
  ~CurlRequest();
  CurlRequest(const CurlRequest&) = delete;
  CurlRequest& operator=(const CurlRequest&) = delete;
  // Target, address, method, headers, body and secret. `target`, `url` and `request` outlive the
  // work.
  Result<void> set(void* easy, const HttpTarget& target, const HttpUrl& url,
                   const HttpRequest& request);

 private:
  Result<void> add_header(const std::string& name, const std::string& value);
  void set_target(void* easy, const HttpTarget& target, const HttpUrl& url);

  void* headers_ = nullptr;
  void* connect_to_ = nullptr;
  std::string address_;
};

// `code` is curl's, `words` what it said.
Error curl_error(int code, const char* words, const HttpUrl& url, Nanoseconds waited);
// The files that a target names can be read.
Result<void> check_target_files(const HttpTarget& target);

}  // namespace kneepoint

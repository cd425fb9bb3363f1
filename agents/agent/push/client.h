// SPDX-License-Identifier: Apache-2.0
//
// Sends pieces of records to the controller over one kept connection. libcurl is in client.cc
// alone, which is linked into kneepoint-push and nowhere else.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agents/wire/allocation.h"
#include "orchestrator/base/clock.h"

namespace kneepoint::agent {

enum class Pushed { delivered, later, never };

class PushClient {
 public:
  virtual ~PushClient() = default;
  // `why`: what went wrong, in one sentence without the token. `late`: asked now and then while it
  // waits; true ends it.
  virtual Pushed send(const std::string& attempt, const std::string& lines, std::string& why,
                      const std::function<bool()>& late) = 0;
};

std::unique_ptr<PushClient> make_push_client(const std::string& allocation, const PushTarget& push);

// What an HTTP status means for the piece that was sent. Pure.
Pushed meaning_of(long status);

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// Sockets that listen, and connections from them. Both are closed on exec and never block.
#pragma once

#include <string>

#include "orchestrator/base/result.h"

namespace kneepoint {

struct Listening {
  int fd = -1;
  int port = 0;
};
// Port 0: the kernel chooses.
Result<Listening> listen_on(const std::string& host, int port);

// The next connection; -1: none waits.
int accept_one(int listening);

// So many connections and files at once, if the hard limit allows; how many there may be now.
int allow_descriptors(int wanted);

}  // namespace kneepoint

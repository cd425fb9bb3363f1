// SPDX-License-Identifier: Apache-2.0
//
// The key itself is taken once; its arithmetic is base/hmac.
#include "agents/agent/pod/key.h"

#include <sys/prctl.h>

#include <cstdlib>
#include <cstring>

namespace kneepoint::agent {

std::string random_nonce() {
  return random_bytes(kNonceBytes);
}

std::string take_variable(const std::string& name) {
  char* value = getenv(name.c_str());
  if (value == nullptr) return "";
  std::string taken = value;
  explicit_bzero(value, taken.size());  // /proc/PID/environ shows these very bytes
  unsetenv(name.c_str());
  return taken;
}

void hide_memory() {
  prctl(PR_SET_DUMPABLE, 0);
}

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// The text of failed system calls and broken invariants.
#include "orchestrator/base/result.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace kneepoint {

Error system_error(const std::string& what, int errno_value) {
  ErrorCode code = ErrorCode::io;
  bool retryable = false;
  switch (errno_value) {
    case ENOENT:
      code = ErrorCode::not_found;
      break;
    case EEXIST:
      code = ErrorCode::exists;
      break;
    case EACCES:
    case EPERM:
      code = ErrorCode::permission;
      break;
    case ENOSPC:
    case EDQUOT:
      retryable = true;  // somebody makes room
      break;
    case EAGAIN:
    case ENFILE:
    case EMFILE:
    case ENOMEM:
      code = ErrorCode::unavailable;
      retryable = true;
      break;
    default:
      break;
  }
  return Error{code, what + ": " + std::strerror(errno_value), retryable};
}

void ensure_failed(const char* expression, const char* message, const char* file, int line) {
  std::fprintf(stderr,
               "kneepoint: bug: %s (%s at %s:%d)\n"
               "Nothing recorded so far is lost; running the same command again resumes.\n",
               message, expression, file, line);
  std::fflush(stderr);
  ::_exit(70);
}

}  // namespace kneepoint

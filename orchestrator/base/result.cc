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
  static constexpr struct {
    int number;
    ErrorCode code;
    bool retryable;  // somebody makes room, or gives something back
  } kKnown[] = {
      {ENOENT, ErrorCode::not_found, false},  {EEXIST, ErrorCode::exists, false},
      {EACCES, ErrorCode::permission, false}, {EPERM, ErrorCode::permission, false},
      {ENOSPC, ErrorCode::io, true},          {EDQUOT, ErrorCode::io, true},
      {EAGAIN, ErrorCode::unavailable, true}, {ENFILE, ErrorCode::unavailable, true},
      {EMFILE, ErrorCode::unavailable, true}, {ENOMEM, ErrorCode::unavailable, true},
  };
  const std::string message = what + ": " + std::strerror(errno_value);
  for (const auto& known : kKnown) {
    if (known.number == errno_value) return Error{known.code, message, known.retryable};
  }
  return Error{ErrorCode::io, message};
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

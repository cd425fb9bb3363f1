// SPDX-License-Identifier: Apache-2.0
//
// ENSURE(condition, "what is broken"): a bug stops the program, in release builds too. State is in
// SQLite, so stopping and starting again resumes. Never use it on input from outside.
#pragma once

namespace kneepoint {

// Prints expression, message and place to stderr and exits with status 70 by way of abort handling.
[[noreturn]] void ensure_failed(const char* expression, const char* message, const char* file,
                                int line);

}  // namespace kneepoint

#define ENSURE(condition, message)                                                         \
  do {                                                                                     \
    if (!(condition)) ::kneepoint::ensure_failed(#condition, message, __FILE__, __LINE__); \
  } while (false)

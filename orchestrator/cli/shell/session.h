// SPDX-License-Identifier: Apache-2.0
//
// Session: all that a command may know of the process it runs in. Commands never look at argv, the
// environment or the terminal themselves, so that tests can be the process.
#pragma once

#include <iosfwd>
#include <string>

#include "orchestrator/answers/context.h"

namespace kneepoint::cli {

struct Session : Context {
  std::ostream& out;  // answers
  std::ostream& err;  // everything else
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool in_is_terminal = false;
  int (*terminal_width)() = nullptr;  // of stderr or stdout, now

  // Global flags.
  std::string log_level;   // as given; "" = default
  std::string log_format;  // as given; "" = default
  bool json = false;
  bool no_color = false;  // --no-color or NO_COLOR

  bool color(bool is_terminal) const { return is_terminal && !no_color; }
  int width() const { return terminal_width == nullptr ? 100 : terminal_width(); }
};

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
//
// The terminal: what it is, and an area of it that is drawn again and again in place. The cursor
// rests on the area's empty first line between two drawings, so that a log line written meanwhile
// lands there and is kept, and nothing needs to be restored if the program is killed.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint::cli {

// Fills in what can only be learnt from the process: terminals, width, path of the executable.
void describe_process(Session& session);

// Does whoever reads stdout see UTF-8? A file does; a terminal as its locale says.
bool shows_unicode(const Session& session);

class LiveArea {
 public:
  LiveArea(std::ostream& out, const Clock& clock, int (*height)());
  // Leaves the last drawing on the screen and the cursor below it.
  ~LiveArea();
  LiveArea(const LiveArea&) = delete;
  LiveArea& operator=(const LiveArea&) = delete;

  // True at most five times a second.
  bool is_due() const;
  // Lines must not be wider than the terminal; what exceeds its height is cut.
  void draw(const std::string& text);
  // Takes the area off the screen.
  void clear();

 private:
  std::ostream& out_;
  const Clock& clock_;
  int (*height_)();
  Nanoseconds drawn_ns_ = 0;
  int lines_ = 0;
};

int terminal_height();

// How wide an answer may be.
int predict_width(const Session& session);

// Prints them as the user must see them (stderr, or stdout with --json) and gives the exit code.
int report_problems(Session& session, const std::vector<Problem>& problems);

// The answer of a command: as text, or with --json as the document that its struct describes, on
// one line where `indent` is 0.
inline constexpr int kIndented = 2;
template <typename Answer>
void show(Session& session, const Answer& answer, const std::string& text, int indent = 0) {
  session.out << (session.json ? json_text(answer, indent) + "\n" : text);
}
template <typename Answer>
void show(Session& session, const Answer& answer, int indent = 0) {
  show(session, answer, to_text(answer, predict_width(session)), indent);
}

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
//
// What the terminal's writers of a report share: colour that only adds, tables as wide as the
// terminal, and efficiency over K as a sketch of characters.
#pragma once

#include <string>

#include "orchestrator/report/answers.h"
#include "orchestrator/report/document.h"

namespace kneepoint {

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string bold(const std::string& text) const { return in("1", text); }
  std::string dim(const std::string& text) const { return in("2", text); }
  std::string alarm(const std::string& text) const { return in("1;31", text); }
  std::string warning(const std::string& text) const { return in("33", text); }
  // Green at the floor or above, red where the cost per result has doubled.
  std::string by_efficiency(const std::string& text, double e, double floor) const;

 private:
  std::string in(const char* code, const std::string& text) const;
  bool on_;
};

// Title, table, lines. Columns that the width does not hold go on in a further block below, so that
// no row is ever wrapped.
std::string drawn_table(const TextTable& table, const TerminalStyle& style);

// Lines that end in a newline; "" when there are fewer than two points or no room. Whether a point
// keeps the floor is always drawn right; the numbers are those of the table.
std::string drawn_curve(const CurveView& view, const TerminalStyle& style);

}  // namespace kneepoint

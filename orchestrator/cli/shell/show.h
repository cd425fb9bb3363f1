// SPDX-License-Identifier: Apache-2.0
//
// How a command shows its answer: as text (report/terminal/answers.h), or with --json as the
// document that the answer's struct describes.
#pragma once

#include <ostream>

#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/report/terminal/answers.h"

namespace kneepoint::cli {

inline constexpr int kIndented = 2;

// `indent`: of the document; 0: on one line.
template <typename Answer>
void show(Session& session, const Answer& answer, int indent = 0) {
  session.out << (session.json ? json_text(answer, indent) + "\n"
                               : to_text(answer, predict_width(session)));
}

}  // namespace kneepoint::cli

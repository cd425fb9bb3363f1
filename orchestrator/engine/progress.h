// SPDX-License-Identifier: Apache-2.0
//
// ProgressBook: what the engine tells whoever watches. Keeps the totals, and calls back at most a
// few times a second, so that watching never slows a study down.
#pragma once

#include <string>

#include "orchestrator/engine/admission.h"
#include "orchestrator/engine/engine.h"
#include "orchestrator/engine/retry.h"
#include "orchestrator/engine/run_table.h"
#include "orchestrator/engine/spending.h"

namespace kneepoint {

class ProgressBook {
 public:
  ProgressBook(std::string study, const Clock& clock, const EngineOptions& options);

  void ended(const RunState& run, const Point& point, AttemptState state, Reason reason,
             const std::string& detail, double seconds, const RetryDecision& decision);
  void say(const std::string& line);
  // `silence`: what the site said when it last refused; "": it answers.
  void show(RunTable& table, const Ceilings& ceilings, const std::string& waiting,
            const std::string& silence);
  void show_last(RunTable& table, const Ceilings& ceilings);

  Spending spending;
  int round = 0;
  std::string pending_reason;  // what the backend says of a waiting job

 private:
  Progress now(RunTable& table, const Ceilings& ceilings, const std::string& waiting,
               const std::string& silence) const;

  std::string study_;
  const Clock& clock_;
  const EngineOptions& options_;
  const Nanoseconds started_;
  Nanoseconds next_ = 0;
  int ended_here_ = 0;  // runs finished in this sitting: what the time left is judged by
  std::string last_line_;
};

// "r17 succeeded: jacobi strong K=4, 0.312 s"; one line for people and for CI logs.
std::string run_line(int run_number, const Point& point, AttemptState state, Reason reason,
                     const std::string& detail, double seconds);

// What the study's row says once the engine has ended this way.
const char* state_after(EngineEnd end);

}  // namespace kneepoint

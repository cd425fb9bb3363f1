// SPDX-License-Identifier: Apache-2.0
//
// The study that measures the orchestrator itself: N runs of /bin/echo with one extracted number,
// and the floor: a bare loop that does the same with no orchestrator at all.
#pragma once

#include <string>

#include "tests/bench/child.h"

namespace kneepoint::bench {

// Seconds a run of: make a folder, start /bin/echo with its output in a file there, wait.
double floor_per_run(int runs);

// One study in a folder of its own: plan, database and run directories.
class NoopStudy {
 public:
  NoopStudy(const std::string& name, int runs);

  // Runs it to its end and checks that every run succeeded exactly once. Seconds a run.
  double run();
  // `kneepoint run PLAN` again: the study is finished, so this is only the look at it. Seconds on a
  // CPU.
  double resume();
  double status();
  double report();

 private:
  ChildEnd timed(const std::vector<std::string>& arguments);

  int runs_;
  std::string folder_, plan_, database_;
};

}  // namespace kneepoint::bench

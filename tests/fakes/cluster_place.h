// SPDX-License-Identifier: Apache-2.0
//
// A place whose studies run on a test cluster: the patience that needs, a plan whose runs wait for
// a word, what `explain` tells of each, and a controller that is killed again and again.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint::testing_support {

class ClusterPlace : public Place {
 public:
  // kneepoint ARGUMENTS..., with the patience that a loaded cluster needs (15 minutes).
  Ended run(const std::vector<std::string>& arguments) const;
  Ended finish(pid_t pid) const;
  // kneepoint ARGUMENTS... beside another one that still runs: its output goes nowhere else.
  Ended ask(const std::vector<std::string>& arguments) const;

  // A plan of so many runs on one node, each of which writes its attempt into `trace` and then
  // waits until there is a file named `go`; its path. `limits` are more of these.
  std::string waiting_plan(const std::string& study, int runs, const std::string& limits) const;
  void go() const { write("go", ""); }
  // How often each attempt was executed, by `trace`.
  std::map<std::string, int> executions() const;

  // What `explain` tells of a run; an empty object while there is nothing to tell.
  nlohmann::json story(int run = 1) const;
  nlohmann::json attempt(std::size_t number = 1, int run = 1) const;  // from 1
  std::string events(int run = 1) const;                              // "kind: text" lines
  // The stories of all runs that did not go smoothly, on stdout.
  void tell_stories() const;

  // The runs as the report has them, by number.
  struct ReportedRun {
    std::string state, allocation, nodes;
    double seconds = 0;      // 0: it has none
    double queue_wait = -1;  // in seconds; -1: not told
  };
  std::map<int, ReportedRun> reported() const;

  // Kills the controller of a study of waiting_plan(), of `runs` runs, so many times, at instants
  // drawn anew each time; it had something to do in between. The measure is how long a first run
  // takes; a study that gets on faster than that is killed sooner, so that it lasts.
  void torment(const std::vector<std::string>& run, int times, int runs) const;
};

// Runs a program to its end, at most so many seconds; what it printed. A failure to start it fails
// the test.
struct ProgramOutput {
  int exit_code = -1;
  std::string output, errors;
};
ProgramOutput run_program(const std::vector<std::string>& argv, int seconds);

// Looks again and again until it is so, at most so many seconds.
bool comes_true(const std::function<bool()>& is_so, int seconds = 300);

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace kneepoint::testing_support

// SPDX-License-Identifier: Apache-2.0
//
// Case, Point, Run: the matrix a plan expands to. Everything a run needs is in its Point, so that
// the engine never looks back into the plan.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/model/plan.h"

namespace kneepoint {

// A command is an argument vector; nothing here ever passes through a shell.
struct Command {
  std::vector<std::string> argv;
  std::vector<EnvironmentVariable> environment;
};

struct Point {
  std::string build;
  std::string workload;   // name in the plan
  std::string case_name;  // "jacobi" or "jacobi[order=2,tile=8]"
  std::vector<Parameter> parameters;
  Mode mode = Mode::strong;
  int k = 1;
  Shape shape;
  double size = 0;  // evaluated and rounded; 0: the workload has none
  bool has_size = false;
  double results = 1;  // results that one run makes
  std::string result_name = "run";
  std::string held_fixed;  // in words, for every report
  std::string work_unit;   // "" if the workload reports none
  bool emulated = false;   // sleeps instead of computing: takes no CPU slot
  bool mpi = true;
  std::string profile = "none";  // none | mpi
  Command command;               // program and arguments of one rank
  std::vector<MetricSpec> metrics;
  ProgramSpec program;          // placeholders replaced
  bool own_harness = false;     // one of our workloads: samples come from its records
  double modelled_seconds = 0;  // T by the workload's model; 0: none
  double flops = 0;             // of one iteration, all workers; 0: not known
  double bytes = 0;             // moved from and to memory by one iteration, all workers
  double parallelism = 0;       // most workers that the decomposition keeps busy; 0: not known
  Build binary;                 // what `build` stands for, where the plan doesn't say it
  int repeats = 0;              // runs of round 0; 0: the plan's repeat.min
  int iterations = 1;           // T = mean sample × iterations (1 when time-bounded)

  // Of the table of points, besides its key, size and command.
  static constexpr auto columns() {
    using T = Point;
    return described(KP_NAMED(build, workload, case_name, mode, k), field("", &T::shape),
                     KP_NAMED(results, result_name, held_fixed, work_unit, emulated, mpi),
                     KP_NAMED(own_harness, iterations, modelled_seconds, flops, bytes),
                     KP_NAMED(parallelism, profile));
  }

  // Unique within the study and stable: "default/jacobi/strong/K=4/1n x 4r x 1t".
  std::string key() const;
  std::string key_without_build() const;  // the same for every build of the study
};

// One repetition at a point.
struct Run {
  int point = 0;   // index into the expanded points
  int repeat = 0;  // 0-based
};

// What a plan on a site comes to.
struct Study {
  Plan plan;
  std::string hash8;          // of what makes two studies comparable; see plan/plan/matrix.h
  std::vector<Point> points;  // in plan order
};

}  // namespace kneepoint

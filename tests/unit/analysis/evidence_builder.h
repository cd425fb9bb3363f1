// SPDX-License-Identifier: Apache-2.0
//
// Small studies for the tests of analysis and report: one call adds one point with its runs.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/model/evidence.h"

namespace kneepoint {

inline RunEvidence run_of(double seconds) {
  RunEvidence run;
  run.attempts = 1;
  run.finished = true;
  run.state = AttemptState::succeeded;
  run.seconds = seconds;
  return run;
}

inline RunEvidence failed_run(AttemptState state, Reason reason) {
  RunEvidence run;
  run.attempts = 2;
  run.finished = true;
  run.state = state;
  run.reason = reason;
  return run;
}

class EvidenceBuilder {
 public:
  EvidenceBuilder() {
    study.id = "jacobi-1a2b3c4d-1";
    study.name = "jacobi";
    study.site = "local";
    study.backend = "local";
    study.seed = 1;
    study.knee_rule = "efficiency";
    study.knee_floor = 0.7;
    study.state = "finished";
  }

  // A point of `case_name` with one rank per worker on one node, and a run for each time.
  PointEvidence& add(Mode mode, int k, const std::vector<double>& times,
                     const std::string& case_name = "jacobi") {
    PointEvidence point;
    point.point.build = "default";
    point.point.workload = point.point.case_name = case_name;
    point.point.mode = mode;
    point.point.k = k;
    point.point.shape.ranks = point.point.shape.ranks_per_node = k;
    for (const double t : times) add_run(point, run_of(t));
    study.points.push_back(point);
    return study.points.back();
  }

  void add_run(PointEvidence& point, RunEvidence run) {
    run.number = ++number_;
    run.repeat = static_cast<int>(point.runs.size());
    point.runs.push_back(run);
  }

  StudyEvidence study;

 private:
  int number_ = 0;
};

}  // namespace kneepoint

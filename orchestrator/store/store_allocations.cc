// SPDX-License-Identifier: Apache-2.0
//
// Which allocation each run was a step of. An allocation is as large as its largest step and is
// held as a whole while any of them runs: what a small step costs is counted so.
#include <algorithm>
#include <unordered_map>

#include "orchestrator/store/sqlite_study_store.h"

namespace kneepoint {

Result<void> SqliteStudyStore::read_allocations(RowId study, StudyEvidence& evidence) {
  struct Attempt {
    int run = 0;
    std::string allocation;
    Nanoseconds started = 0, ended = 0;
    int nodes = 1;
  };
  std::vector<Attempt> attempts;
  std::unordered_map<std::string, int> nodes;
  TRY_ASSIGN(
      auto row,
      db_.query("SELECT r.number, a.allocation, a.started_ns, a.ended_ns, p.nodes"
                " FROM runs r JOIN attempts a ON a.run = r.id JOIN points p ON p.id = r.point"
                " WHERE r.study = ? AND a.submissions > 0 ORDER BY r.number, a.number",
                study));
  for (;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) break;
    Attempt& one = attempts.emplace_back();
    row.read(one.run, one.allocation, one.started, one.ended, one.nodes);
    int& most = nodes[one.allocation];
    most = std::max(most, one.nodes);
  }
  std::unordered_map<int, std::string> newest;  // by run number: later attempts come later
  for (const Attempt& one : attempts) {
    newest[one.run] = one.allocation;
    if (one.started <= 0 || one.ended <= one.started) continue;
    evidence.node_seconds +=
        to_seconds(one.ended - one.started) * (nodes.at(one.allocation) - one.nodes);
  }
  for (PointEvidence& point : evidence.points) {
    for (RunEvidence& run : point.runs) {
      const auto found = newest.find(run.number);
      if (found != newest.end()) run.allocation = found->second;
    }
  }
  return {};
}

}  // namespace kneepoint

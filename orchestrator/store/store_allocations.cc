// SPDX-License-Identifier: Apache-2.0
//
// Which allocation each run was a step of. An allocation is as large as its largest step and is
// held as a whole while any of them runs: what a small step costs is counted so. It waited in the
// queue until its first step began; the others did not wait longer, they had their turn.
#include <algorithm>
#include <unordered_map>

#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

Result<void> StudyStore::read_allocations(RowId study, StudyEvidence& evidence) {
  struct Attempt {
    int run = 0;
    std::string allocation;
    Nanoseconds started = 0, ended = 0;
    int nodes = 1, gpus_per_node = 0, ranks = 1, threads = 1, k = 1, price = 0;
  };
  std::vector<Attempt> attempts;
  std::unordered_map<std::string, int> nodes;
  std::unordered_map<std::string, Nanoseconds> waits;
  const bool queued = evidence.backend != "local";
  Nanoseconds submitted = 0;
  TRY_ASSIGN(
      auto row,
      db_.query("SELECT r.number, a.allocation, a.submitted_ns, a.started_ns, a.ended_ns, p.nodes,"
                " p.gpus_per_node, p.ranks, p.threads_per_rank, p.k, a.price"
                " FROM runs r JOIN attempts a ON a.run = r.id JOIN points p ON p.id = r.point"
                " WHERE r.study = ? AND a.submissions > 0 ORDER BY r.number, a.number",
                study));
  for (;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) break;
    Attempt& one = attempts.emplace_back();
    row.read(one.run, one.allocation, submitted, one.started, one.ended, one.nodes,
             one.gpus_per_node, one.ranks, one.threads, one.k, one.price);
    int& most = nodes[one.allocation];
    most = std::max(most, one.nodes);
    if (!queued || submitted <= 0 || one.started <= 0) continue;
    const Nanoseconds wait = std::max<Nanoseconds>(0, one.started - submitted);
    const auto [known, first] = waits.try_emplace(one.allocation, wait);
    if (!first) known->second = std::min(known->second, wait);
  }
  std::unordered_map<int, std::string> newest;          // by run number: later attempts come later
  std::unordered_map<std::string, std::size_t> places;  // in evidence.allocations
  for (const Attempt& one : attempts) {
    newest[one.run] = one.allocation;
    if (one.started <= 0 || one.ended <= one.started) continue;
    const auto [place, first] = places.try_emplace(one.allocation, evidence.allocations.size());
    if (first) evidence.allocations.push_back({one.allocation});
    HeldAllocation& held = evidence.allocations[place->second];
    held.nodes = nodes.at(one.allocation);
    held.gpus = std::max(held.gpus, one.gpus_per_node * one.nodes);
    held.cores = std::max(held.cores, one.ranks * one.threads);
    held.workers = std::max(held.workers, one.k);
    held.price = one.price;
    held.held_ns += one.ended - one.started;
    evidence.node_seconds +=
        to_seconds(one.ended - one.started) * (nodes.at(one.allocation) - one.nodes);
  }
  for (PointEvidence& point : evidence.points) {
    for (RunEvidence& run : point.runs) {
      const auto found = newest.find(run.number);
      if (found == newest.end()) continue;
      run.allocation = found->second;
      const auto wait = waits.find(run.allocation);
      if (wait != waits.end()) run.queue_seconds = to_seconds(wait->second);
    }
  }
  return {};
}

}  // namespace kneepoint

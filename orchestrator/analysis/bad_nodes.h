// SPDX-License-Identifier: Apache-2.0
//
// Bad nodes: is there a node that slows every point that holds it? For runs as separate jobs, each
// on nodes of its own. Pure and seeded. A node is named only if runs that held it were slower than
// runs of the same point and provenance that didn't, by more than the best of all nodes would be by
// chance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct BadNodeOptions {
  double alpha = 0.05;         // chance of naming any node when all are alike
  double min_slowdown = 0.02;  // less than this is not worth a word
  int permutations = 4999;     // fewer where the study is so large that these would take seconds
  std::uint64_t seed = 1;
};

struct BadNode {
  std::string node;
  double slowdown = 0;  // 0.12: runs that held it took 12 % longer than others of their point
  double p_value = 1;   // corrected for having looked at every node
  int runs = 0;         // that held it, at points where others didn't
  int points = 0;       // where runs with and without it could be compared
  int points_slower = 0;
  std::vector<std::string> inseparable;  // nodes that were in exactly the same runs
  static constexpr auto fields() {
    using T = BadNode;
    return described(one_line, KP_NAMED(node, slowdown), field("p", &T::p_value),
                     KP_NAMED(runs, points, points_slower, inseparable));
  }
};

struct BadNodeVerdict {
  std::string why_not;  // not tested: why; "": tested
  int nodes = 0;        // tested: some run of a point held it and another didn't
  int runs = 0;         // of the points where that is so
  int points = 0;
  double least_p = 1;        // the smallest p that this placement could give at all, estimated
  std::vector<BadNode> bad;  // worst first
};

BadNodeVerdict find_bad_nodes(const StudyEvidence& evidence, const BadNodeOptions& options = {});

// One sentence for people: "n7 slows the runs that hold it by 12 % (9 runs at 3 points, p =
// 0.001)".
std::string to_sentence(const BadNodeVerdict& verdict);

}  // namespace kneepoint

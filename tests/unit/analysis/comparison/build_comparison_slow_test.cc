// SPDX-License-Identifier: Apache-2.0
//
// Two builds in turns: how often the verdict cries wolf, and how much it sees. Seeded.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "orchestrator/analysis/comparison/build_comparison.h"
#include "orchestrator/base/random.h"
#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

// Shares of 2000 studies with a verdict of REGRESSED: 4 K, 8 pairs, noise 2%, a drift of 1% common
// to the two of a pair, one run of twenty 15% slow.
double regressed_share(double slower_by, std::uint64_t seed) {
  constexpr int kStudies = 2000;
  int regressed = 0;
  Random random(seed);
  for (int i = 0; i < kStudies; ++i) {
    EvidenceBuilder s;
    std::vector<std::vector<double>> a(4), b(4);
    for (int k = 0; k < 4; ++k) {
      for (int pair = 0; pair < 8; ++pair) {
        const double common = .01 * random.normal();
        const auto run = [&] {
          return std::exp(common + .02 * random.normal() + (random.uniform() < .05 ? .14 : 0));
        };
        a[k].push_back(run());
        b[k].push_back(run() * (1 + slower_by));
      }
    }
    for (int k = 0; k < 4; ++k) s.add(Mode::strong, 1 << k, a[k]).point.build = "a";
    for (int k = 0; k < 4; ++k) s.add(Mode::strong, 1 << k, b[k]).point.build = "b";
    regressed += compare_builds(s.study)->verdict == Verdict::regressed ? 1 : 0;
  }
  return static_cast<double>(regressed) / kStudies;
}

TEST(BuildsInTurns, HardlyEverCriesWolfAndSeesFivePercent) {
  const double alarms = regressed_share(0, 7), seen = regressed_share(.05, 8);
  std::printf("REGRESSED: same build %.3f, 5%% slower %.3f of 2000 studies\n", alarms, seen);
  EXPECT_LE(alarms, .015);
  EXPECT_GE(seen, .97);
}

}  // namespace
}  // namespace kneepoint

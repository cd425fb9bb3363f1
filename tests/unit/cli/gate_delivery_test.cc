// SPDX-License-Identifier: Apache-2.0
//
// Exit codes of `gate` and `nightly`.
#include "orchestrator/cli/gate_delivery.h"

#include <gtest/gtest.h>

namespace kneepoint::cli {
namespace {

TEST(GateExitCode, IsNegativeForARegressionAndWhenStrictForAllThatIsNotGood) {
  const auto codes = [](bool strict) {
    std::vector<int> found;
    for (const Verdict verdict :
         {Verdict::pass, Verdict::improved, Verdict::suspect, Verdict::regressed,
          Verdict::inconclusive, Verdict::env_change, Verdict::no_baseline, Verdict::failed}) {
      found.push_back(gate_exit_code(verdict, strict));
    }
    return found;
  };
  EXPECT_EQ(codes(false), (std::vector<int>{0, 0, 0, 1, 0, 0, 0, 4}));
  EXPECT_EQ(codes(true), (std::vector<int>{0, 0, 1, 1, 1, 1, 1, 4}));
  EXPECT_EQ(exit_code_after(false, kExitDone), kExitUnreachable);
  EXPECT_EQ(exit_code_after(false, kExitNegative), kExitNegative) << "the verdict's own is kept";
  EXPECT_EQ(exit_code_after(true, kExitDone), kExitDone);
}

}  // namespace
}  // namespace kneepoint::cli

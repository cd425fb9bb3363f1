// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/site/sbatch_options.h"

#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

std::string problems_with(const std::string& option) {
  return to_string(
      read_site("backend: slurm\nslurm:\n  options: [\"" + option + "\"]\n", "s.yaml").problems);
}

TEST(SbatchOptions, ThatBreakTheBookkeepingAreRefusedInEveryForm) {
  for (const char* option :
       {"--array=1-4", "-a1-4", "--job-name=x", "-Jx", "--dependency=afterok:7", "--dep=afterok:7",
        "--time=10", "-t10", "--output=x", "-ox", "--nodes=2", "-N2", "--wrap=true", "--requeue"}) {
    const std::string problems = problems_with(option);
    EXPECT_NE(problems.find(std::string("'") + option + "'"), std::string::npos) << option;
    EXPECT_NE(problems.find("s.yaml:3:"), std::string::npos) << problems;
  }
  EXPECT_EQ(problems_with("--time=10"),
            "s.yaml:3:3: slurm.options: '--time=10' is set by kneepoint: `limits.timeout` of the "
            "plan plus `slurm.time_margin`\n");
}

TEST(SbatchOptions, OthersStandAlsoIfTheyBeginAlike) {
  for (const char* option : {"--mem=0", "--nodelist=n2", "--time-min=5", "--error-mode", "-C fast",
                             "--comment=x", "--nice", "--exclude=n1", "--gres=gpu:1"}) {
    EXPECT_EQ(problems_with(option), "") << option;
  }
}

}  // namespace
}  // namespace kneepoint

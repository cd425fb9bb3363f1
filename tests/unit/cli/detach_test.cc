// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/run_plan.h"

#include <gtest/gtest.h>

#include <sstream>

namespace kneepoint::cli {
namespace {

TEST(Detach, TheControllerResumesAndNeverBeginsAnotherStudy) {
  std::ostringstream out, err;
  Session session{{system_clock(), [](const std::string&) { return std::nullopt; }, ""}, out, err};
  const Arguments arguments({{"PLAN", "plan.yaml"},
                             {"--site", "site.yaml"},
                             {"--new", ""},
                             {"--detach", ""},
                             {"--retry-failed", ""},
                             {"--concurrent", "3"}});
  EXPECT_EQ(controller_argv("/bin/kneepoint", "/state/x.db", session, arguments),
            (std::vector<std::string>{"/bin/kneepoint", "run", "plan.yaml", "--db", "/state/x.db",
                                      "--site", "site.yaml", "--concurrent", "3", "--retry-failed",
                                      "--log-level", "info", "--no-color"}));
}

}  // namespace
}  // namespace kneepoint::cli

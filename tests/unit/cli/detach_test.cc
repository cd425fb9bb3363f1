// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/running.h"

#include <gtest/gtest.h>

#include <sstream>

namespace kneepoint::cli {
namespace {

TEST(Detach, TheControllerResumesAndNeverBeginsAnotherStudy) {
  std::ostringstream out, err;
  Session session{{system_clock(), [](const std::string&) { return std::nullopt; }, ""}, out, err};
  RunRequest request{"plan.yaml", "site.yaml"};
  request.make_new = request.detach = request.retry_failed = true;
  request.concurrent = 3;
  EXPECT_EQ(controller_argv("/bin/kneepoint", "/state/x.db", session, request),
            (std::vector<std::string>{"/bin/kneepoint", "run", "plan.yaml", "--db", "/state/x.db",
                                      "--site", "site.yaml", "--concurrent", "3", "--retry-failed",
                                      "--log-level", "info", "--no-color"}));
}

}  // namespace
}  // namespace kneepoint::cli

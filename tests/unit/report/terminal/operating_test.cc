// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/terminal/operating.h"

#include <gtest/gtest.h>

#include "orchestrator/base/json_put.h"

namespace kneepoint {
namespace {

TEST(DoctorFindings, AreWrittenAsATableAndAsJson) {
  const std::vector<SiteFinding> findings = {
      {"agent", Grade::ok, "/a"}, {"noise", Grade::warning, "loud"}, {"mpi", Grade::bad, "none"}};
  const DoctorAnswer answer{"lab", findings};
  EXPECT_FALSE(answer.is_ready());
  EXPECT_EQ(to_text(answer),
            "      WHAT   FINDING\nok    agent  /a\nwarn  noise  loud\nBAD   mpi    none\n"
            "site 'lab' is not ready\n");
  EXPECT_EQ(json_text(DoctorAnswer{"lab", {findings[1]}}),
            R"({"site":"lab","ready":true,"findings":[{"what":"noise","grade":"warning",)"
            R"("text":"loud"}]})");
}

TEST(DatabaseVerdict, SaysWhatHoldsOrWhatDoesNot) {
  DatabaseVerdict verdict;
  verdict.file = "/a.db";
  verdict.found.studies = 2;
  verdict.found.runs = 1;
  verdict.found.rules = {"run_outcome", "evidence"};
  EXPECT_EQ(to_text(verdict),
            "/a.db holds: 2 studies, 1 run, 0 attempts and 0 samples keep all 2 rules\n");
  verdict.found.violations = {{"evidence", "demo: round 1"}};
  EXPECT_EQ(to_text(verdict), "/a.db does not hold\n  evidence: demo: round 1\n");
  EXPECT_EQ(json_text(verdict),
            R"({"file":"/a.db","valid":false,"schema":0,"studies":2,"runs":1,"attempts":0,)"
            R"("samples":0,"rules":["run_outcome","evidence"],)"
            R"("violations":[{"rule":"evidence","what":"demo: round 1"}]})");
}

}  // namespace
}  // namespace kneepoint

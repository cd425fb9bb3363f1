// SPDX-License-Identifier: Apache-2.0
//
// The rules of an audit, one by one, on small claims; "180x on 256" is the worked example.
#include "orchestrator/analysis/claims/audit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kneepoint {
namespace {

Claim of_one(double speedup, int k) {
  Claim claim;
  claim.points.push_back({k, speedup, std::nullopt, std::nullopt});
  return claim;
}

// Complete in every respect: T = 100 (s + (1-s)/K) seconds on K = 1, 2, 4 ... 64.
Claim complete(double s) {
  Claim claim;
  claim.mode = Mode::strong;
  claim.worker = "gpu";
  for (int k = 1; k <= 64; k *= 2) {
    claim.points.push_back({k, std::nullopt, 100 * (s + (1 - s) / k), std::nullopt});
  }
  claim.baseline = {1, "the same program on one GPU", true, true, true};
  claim.held_fixed = "a grid of 512^3 cells";
  claim.timed = "the whole job";
  claim.answer = "residual below 1e-8 at every K";
  claim.repeats = 5;
  claim.price_per_worker_hour = 2'500'000;
  claim.currency = "USD";
  return claim;
}

RuleFinding rule(const ClaimAudit& audit, const std::string& name) {
  for (const RuleFinding& one : audit.findings) {
    if (one.rule == name) return one;
  }
  ADD_FAILURE() << "no finding " << name;
  return {};
}

TEST(ClaimAudit, OneHundredAndEightyTimesOn256) {
  const ClaimAudit audit = audit_claim(of_one(180, 256), 0.7);
  ASSERT_EQ(audit.numbers.points.size(), 1U);
  const ClaimNumber& at = audit.numbers.points[0];
  EXPECT_DOUBLE_EQ(at.efficiency, 0.703125);
  EXPECT_NEAR(*at.serial, 0.00165577, 1e-8);  // (1/180 - 1/256) / (1 - 1/256)
  EXPECT_NEAR(*audit.numbers.implied_ceiling, 603.95, 0.01);
  EXPECT_NEAR(*audit.numbers.implied_knee, 259.8, 0.1);
  EXPECT_NE(audit.summary.find("efficiency of 0.703"), std::string::npos) << audit.summary;
  EXPECT_NE(audit.summary.find("76 of the 256 do nothing useful"), std::string::npos)
      << audit.summary;
  EXPECT_NE(audit.summary.find("1.42 times the worker-hours"), std::string::npos);
  const RuleFinding regime = rule(audit, "regime");
  EXPECT_EQ(regime.verdict, RuleVerdict::missing);
  EXPECT_NE(regime.sentence.find("256 times the problem takes 1.42 times as long"),
            std::string::npos)
      << regime.sentence;
  for (const char* name : {"baseline", "baseline_quality", "times", "knee", "repeats", "held_fixed",
                           "timed", "answer", "price"}) {
    EXPECT_EQ(rule(audit, name).verdict, RuleVerdict::missing) << name;
    EXPECT_FALSE(rule(audit, name).question.empty()) << name;
  }
  EXPECT_EQ(rule(audit, "efficiency").verdict, RuleVerdict::ok);
  EXPECT_EQ(rule(audit_claim(of_one(180, 256), 0.85), "efficiency").verdict,
            RuleVerdict::suspicious);
  EXPECT_EQ(audit.questions.size(), 10U);
  EXPECT_EQ(audit.count(RuleVerdict::contradicted), 0);
}

TEST(ClaimAudit, ACompleteClaimWithinItsKneeHasNothingToAsk) {
  const ClaimAudit audit = audit_claim(complete(0.001), 0.7);
  for (const RuleFinding& one : audit.findings) {
    EXPECT_EQ(one.verdict, RuleVerdict::ok) << one.rule << ": " << one.sentence;
  }
  EXPECT_TRUE(audit.questions.empty());
  EXPECT_TRUE(audit.numbers.knee_beyond);
  EXPECT_NE(rule(audit, "price").sentence.find("USD a run"), std::string::npos);
}

TEST(ClaimAudit, PastTheKneeIsSuspiciousAndNamesIt) {
  const ClaimAudit audit = audit_claim(complete(0.05), 0.8);
  ASSERT_TRUE(audit.numbers.knee);
  EXPECT_NEAR(*audit.numbers.knee, 6, 1e-9);  // Amdahl, s = 0.05: E(6) = 0.8
  const RuleFinding knee = rule(audit, "knee");
  EXPECT_EQ(knee.verdict, RuleVerdict::suspicious);
  EXPECT_NE(knee.sentence.find("K=6"), std::string::npos);
  EXPECT_NEAR(*audit.numbers.last()->serial, 0.05, 1e-12);
}

TEST(ClaimAudit, ABaselineOfSeveralWorkersFlatters) {
  // Amdahl, s = 0.05, K0 = 4, K = 64: E_rel = .27711, E_abs = .24096 (docs/methods.md).
  Claim claim = complete(0.05);
  claim.points.erase(claim.points.begin(), claim.points.begin() + 2);
  claim.baseline.k = 4;
  const ClaimAudit audit = audit_claim(claim, 0.7);
  EXPECT_NEAR(audit.numbers.last()->efficiency, 0.27711, 1e-5);
  const RuleFinding baseline = rule(audit, "baseline");
  EXPECT_EQ(baseline.verdict, RuleVerdict::suspicious);
  EXPECT_NE(baseline.sentence.find("would be 0.241"), std::string::npos) << baseline.sentence;
}

TEST(ClaimAudit, AWeakBaselineIsSuspicious) {
  Claim claim = complete(0.001);
  claim.baseline.optimised = false;
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "baseline_quality").verdict, RuleVerdict::suspicious);
  claim.baseline.optimised = true;
  claim.baseline.measured = false;
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "baseline_quality").verdict, RuleVerdict::suspicious);
  claim.baseline.measured.reset();
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "baseline_quality").verdict, RuleVerdict::missing);
}

TEST(ClaimAudit, MoreThanIdealWantsAnExplanation) {
  const ClaimAudit audit = audit_claim(of_one(300, 256), 0.7);
  EXPECT_EQ(rule(audit, "superlinear").verdict, RuleVerdict::suspicious);
  EXPECT_FALSE(audit.numbers.implied_ceiling);
  for (const RuleFinding& one : audit.findings) {
    EXPECT_EQ(one.sentence.find("nan"), std::string::npos);
    EXPECT_EQ(one.sentence.find("inf"), std::string::npos);
  }
}

TEST(ClaimAudit, ASpeedupThatCountsTheGrownProblemContradictsStrong) {
  // Weak times: 100 s at K = 1, 105 s at K = 64; the claim says 61x and calls it strong.
  Claim claim;
  claim.mode = Mode::strong;
  claim.points = {{1, std::nullopt, 100, std::nullopt}, {64, 61, 105, std::nullopt}};
  const ClaimAudit audit = audit_claim(claim, 0.7);
  const RuleFinding consistency = rule(audit, "consistency");
  EXPECT_EQ(consistency.verdict, RuleVerdict::contradicted);
  EXPECT_NE(consistency.sentence.find("grew with K"), std::string::npos) << consistency.sentence;
  EXPECT_EQ(rule(audit, "regime").verdict, RuleVerdict::suspicious);
  claim.mode = Mode::weak;
  const ClaimAudit weak = audit_claim(claim, 0.7);
  EXPECT_EQ(rule(weak, "consistency").verdict, RuleVerdict::ok);
  EXPECT_EQ(rule(weak, "regime").verdict, RuleVerdict::ok);
  claim.mode.reset();  // not said: the times say weak, so nothing contradicts
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "consistency").verdict, RuleVerdict::ok);
  claim.points[1].speedup = 20;
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "consistency").verdict, RuleVerdict::contradicted);
}

TEST(ClaimAudit, HowTimesGoIsSaidAsItIs) {
  const auto regime = [](double last, std::optional<Mode> mode) {
    Claim claim;
    claim.mode = mode;
    claim.points = {{1, std::nullopt, 100, std::nullopt}, {64, std::nullopt, last, std::nullopt}};
    return rule(audit_claim(claim, 0.7), "regime").sentence;
  };
  const std::string grows = ", as those of a problem that grows do.";
  EXPECT_EQ(regime(105, Mode::strong),
            "Stated as strong, but the times hardly change with K" + grows);
  EXPECT_EQ(regime(150, Mode::strong),
            "Stated as strong, but the times grow by 50% from K=1 to K=64" + grows);
  EXPECT_EQ(regime(60, Mode::strong),
            "Stated as strong, but the times fall by only 40% from K=1 to K=64" + grows);
  EXPECT_NE(regime(150, std::nullopt).find(" The times grow by 50% from K=1 to K=64, as"),
            std::string::npos);
  EXPECT_NE(regime(2, std::nullopt).find(" The times fall as K grows"), std::string::npos);
}

TEST(ClaimAudit, AnEfficiencyThatIsNotTheSpeedupsIsAContradiction) {
  Claim claim = of_one(180, 256);
  claim.points[0].efficiency = 0.95;
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "consistency").verdict, RuleVerdict::contradicted);
  claim.points[0].efficiency = 0.70;
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "consistency").verdict, RuleVerdict::ok);
}

TEST(ClaimAudit, FewRepeatsAreSuspiciousAndNoneIsMissing) {
  Claim claim = complete(0.001);
  claim.repeats = 3;
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "repeats").verdict, RuleVerdict::suspicious);
  claim.repeats = 2;
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "repeats").sentence,
            "No more than 2 runs at each K; below 5 an interval is not worth much.");
  claim.measured_here = true;  // the fewest of a study: other K may have more
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "repeats").sentence,
            "At some K there are no more than 2 runs; below 5 an interval is not worth much.");
  claim.measured_here = false;
  claim.repeats = 1;
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "repeats").verdict, RuleVerdict::missing);
  claim.repeats.reset();
  claim.interval = "+-2%";
  EXPECT_EQ(rule(audit_claim(claim, 0.7), "repeats").verdict, RuleVerdict::ok);
}

TEST(ClaimAudit, AFallingSerialShareIsSuspicious) {
  Claim claim;
  claim.mode = Mode::strong;
  claim.points = {{1, 1, std::nullopt, std::nullopt},
                  {4, 2.5, std::nullopt, std::nullopt},
                  {16, 12, std::nullopt, std::nullopt},
                  {64, 60, std::nullopt, std::nullopt}};
  EXPECT_EQ(rule(audit_claim(claim, 0.5), "serial_share").verdict, RuleVerdict::suspicious);
}

TEST(ClaimAudit, ABaselineAloneIsNothingToJudge) {
  Claim claim;
  claim.points = {{8, std::nullopt, 10, std::nullopt}};
  claim.baseline.k = 8;
  const ClaimAudit audit = audit_claim(claim, 0.7);
  EXPECT_NE(audit.summary.find("nothing to judge"), std::string::npos);
  EXPECT_EQ(rule(audit, "efficiency").verdict, RuleVerdict::missing);
}

}  // namespace
}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/superlinear.h"

#include <gtest/gtest.h>

#include <limits>

namespace kneepoint {
namespace {

constexpr double kE = 600.0 / (8 * 60.0);  // T(1) = 600, T(8) = 60

SuperlinearFacts nothing_odd() {
  SuperlinearFacts f;
  f.work_equal = true;
  f.baseline_outlier = f.baseline_swapped = f.ascending_order = false;
  f.node_type_differs = f.code_path_differs = false;
  f.clock0 = f.clock = 2.5;
  f.working_set0 = 64e6;
  f.working_set = 8e6;
  f.cache_bytes = 1e6;
  f.instructions0 = f.instructions = 1e12;
  return f;
}

TEST(Superlinear, TenTimesOnEightTriggers) {
  const SuperlinearAudit audit = audit_superlinear(kE, std::nullopt, {});
  EXPECT_EQ(audit.efficiency, 1.25);
  EXPECT_TRUE(audit.triggered);
  EXPECT_EQ(audit.checks.size(), 9u);
  for (const AuditCheck& check : audit.checks) {
    EXPECT_EQ(check.answer, Answer::unknown) << check.question;
    EXPECT_FALSE(check.measure.empty());
  }
  EXPECT_EQ(audit.finding, Finding::unexplained);
  EXPECT_EQ(audit.settle, audit.checks[0].measure) << "the first that nobody knows";
  EXPECT_NE(audit.sentence.find("E=1.25"), std::string::npos);
  EXPECT_NE(audit.sentence.find("no interval"), std::string::npos);
}

TEST(Superlinear, TheLowerBoundDecides) {
  EXPECT_FALSE(audit_superlinear(1.05, 1.005, {}).triggered);
  EXPECT_FALSE(audit_superlinear(1.01, std::nullopt, {}).triggered);
  EXPECT_FALSE(audit_superlinear(0.9, 0.8, {}).triggered);
  EXPECT_TRUE(audit_superlinear(0.9, 0.8, {}).checks.empty());
  EXPECT_TRUE(audit_superlinear(1.05, 1.02, {}).triggered);
}

TEST(Superlinear, EachFactHasItsFinding) {
  const auto audit = [](const SuperlinearFacts& f) { return audit_superlinear(kE, 1.2, f); };
  EXPECT_EQ(audit(nothing_odd()).finding, Finding::unexplained);
  EXPECT_EQ(audit(nothing_odd()).settle, "count cycles, instructions and cache misses");
  SuperlinearFacts f = nothing_odd();
  f.work_equal = false;
  EXPECT_EQ(audit(f).finding, Finding::explained);
  EXPECT_EQ(audit(f).cause, Cause::work);
  for (const auto fact : {&SuperlinearFacts::baseline_outlier, &SuperlinearFacts::baseline_swapped,
                          &SuperlinearFacts::ascending_order, &SuperlinearFacts::node_type_differs,
                          &SuperlinearFacts::code_path_differs}) {
    f = nothing_odd();
    f.*fact = true;
    EXPECT_EQ(audit(f).finding, Finding::baseline_suspect);
    EXPECT_FALSE(audit(f).settle.empty());
  }
  f = nothing_odd();
  f.cache_bytes = 16e6;
  EXPECT_EQ(audit(f).finding, Finding::explained);
  EXPECT_EQ(audit(f).cause, Cause::cache);
  f.cache_bytes = 128e6;
  EXPECT_EQ(audit(f).finding, Finding::unexplained) << "in the cache already at K0";
  f = nothing_odd();
  f.clock = 3.2;
  EXPECT_EQ(audit(f).cause, Cause::clock);
  f.clock = 2.7;
  EXPECT_EQ(audit(f).finding, Finding::unexplained) << "8% of clock is not 25%";
  f = nothing_odd();
  f.instructions = 0.7e12;
  EXPECT_EQ(audit(f).cause, Cause::work);
}

TEST(Superlinear, EarlierChecksDecide) {
  SuperlinearFacts f = nothing_odd();
  f.cache_bytes = 16e6;
  f.baseline_swapped = true;
  const SuperlinearAudit audit = audit_superlinear(kE, 1.2, f);
  EXPECT_EQ(audit.finding, Finding::baseline_suspect) << "a cache explains nothing beside swap";
  EXPECT_EQ(audit.checks[7].answer, Answer::yes) << "and is still listed";
}

}  // namespace
}  // namespace kneepoint

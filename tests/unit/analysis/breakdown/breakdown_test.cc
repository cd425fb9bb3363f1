// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/breakdown/breakdown.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/analysis/reference.h"

namespace kneepoint {
namespace {

constexpr double kNoShare = std::numeric_limits<double>::quiet_NaN();

// Useful seconds of the ranks, `per_host` ranks to a host: n0, n1...
std::vector<RankTotal> ranks_of(const std::vector<double>& useful, int per_host = 1) {
  std::vector<RankTotal> ranks;
  for (std::size_t i = 0; i < useful.size(); ++i) {
    RankTotal rank;
    rank.rank = static_cast<int>(i);
    rank.host = "n" + std::to_string(static_cast<int>(i) / per_host);
    rank.compute_ns = static_cast<Nanoseconds>(std::llround(useful[i] * 1e9));
    ranks.push_back(rank);
  }
  return ranks;
}

TEST(Breakdown, IsTheReference) {
  const nlohmann::json want = read_reference("formulas.json").at("pop_example");
  const auto useful = want["useful"].get<std::vector<double>>();
  const Breakdown b = break_down(ranks_of(useful, 2), want["T"]).value();
  EXPECT_NEAR(b.load_balance, want["load_balance"], 1e-12);
  EXPECT_NEAR(b.communication_efficiency, want["comm_eff"], 1e-12);
  EXPECT_NEAR(b.parallel_efficiency, want["parallel_eff"], 1e-12);
  EXPECT_NEAR(b.imbalance_seconds, want["imbalance_time"], 1e-12);
  EXPECT_NEAR(b.communication_seconds, want["comm_loss_time"], 1e-12);
  EXPECT_NEAR(100 * (1 / b.load_balance - 1), want["imbalance_pct"], 1e-10);
  EXPECT_NEAR(b.useful_mean + b.imbalance_seconds + b.communication_seconds, b.wall, 1e-12);
  EXPECT_NEAR(b.load_balance * b.communication_efficiency, b.parallel_efficiency, 1e-12);
  EXPECT_NEAR(b.balance_between_hosts * b.balance_inside_hosts, b.load_balance, 1e-12);
  EXPECT_NEAR(b.balance_between_hosts, 1, 1e-12) << "8+9 and 10+7";
}

TEST(Breakdown, ImpliesTheMeasuredEfficiency) {
  const Breakdown base = break_down(ranks_of({10, 9}), 11).value();
  const Breakdown at = break_down(ranks_of({2.5, 2.4, 2.6, 2.2, 2.5, 2.4, 2.6, 2.3}), 3.5).value();
  const double strong = 2 * 11 / (8 * 3.5);
  const Accounting a = account(base, at, Mode::strong, strong).value();
  EXPECT_TRUE(a.consistent);
  EXPECT_NEAR(a.implied_efficiency, strong, 1e-9);
  EXPECT_NEAR(a.computation_scaling, 19 / 19.5, 1e-9);
  EXPECT_NEAR(a.balance_share + a.communication_share + a.computation_share, 1, 1e-9);
  EXPECT_GT(a.communication_share, 0.8);
  EXPECT_TRUE(a.sentence.ends_with("% of the loss is communication")) << a.sentence;
  const Accounting weak = account(base, at, Mode::weak, 11 / 3.5).value();
  EXPECT_NEAR(weak.implied_efficiency, 11 / 3.5, 1e-9);
  EXPECT_EQ(weak.balance_share, 0) << "nothing lost, nothing to share out";
}

TEST(Breakdown, TotalsOfAnotherRunAreNoticed) {
  const Breakdown base = break_down(ranks_of({10, 9}), 11).value();
  const Breakdown at = break_down(ranks_of({2.5, 2.4, 2.6, 2.2}), 3.5).value();
  const double measured = 2 * 11 / (4 * 3.5);
  EXPECT_TRUE(account(base, at, Mode::strong, measured * 1.015).value().consistent);
  const Accounting a = account(base, at, Mode::strong, measured * 1.03).value();
  EXPECT_FALSE(a.consistent);
  EXPECT_EQ(a.communication_share, 0) << "no shares of a sum that does not add up";
  EXPECT_NE(a.sentence.find("not of the timed run"), std::string::npos);
  EXPECT_TRUE(account(base, at, Mode::strong, measured * 1.03, 0.05).value().consistent);
}

TEST(Breakdown, StragglersAreNamedByHost) {
  auto ranks = ranks_of({10, 10.1, 9.9, 10, 13, 13.1, 10.05, 9.95}, 2);
  const auto found = find_stragglers(ranks);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].host, "n2");
  EXPECT_TRUE(found[0].whole_host);
  EXPECT_EQ(found[0].ranks, (std::vector<int>{4, 5}));
  EXPECT_NEAR(found[0].slower_by, 13.05 / 10.025 - 1, 1e-9);
  EXPECT_FALSE(found[0].more_work) << "not reported";
  EXPECT_EQ(found[0].sentence, "host n2 computes 30.2% longer than the median rank");
  for (RankTotal& rank : ranks) rank.work = rank.host == "n2" ? 130 : 100;
  EXPECT_TRUE(find_stragglers(ranks)[0].more_work);
  for (RankTotal& rank : ranks) rank.work = 100;
  EXPECT_FALSE(find_stragglers(ranks)[0].more_work);
}

TEST(Breakdown, OneSlowRankIsNamedWithItsHost) {
  const auto found = find_stragglers(ranks_of({10, 10.1, 9.9, 10, 10, 10.1, 12, 9.95}, 4));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].host, "n1");
  EXPECT_FALSE(found[0].whole_host);
  EXPECT_EQ(found[0].ranks, (std::vector<int>{6}));
  EXPECT_EQ(found[0].sentence.find("rank 6 on host n1 "), 0u) << found[0].sentence;
}

TEST(Breakdown, OrdinarySpreadNamesNobody) {
  EXPECT_TRUE(find_stragglers(ranks_of({10, 10.4, 9.7, 10.2, 9.9, 10.3})).empty());
  EXPECT_TRUE(find_stragglers(ranks_of({10, 10, 10, 10.4})).empty()) << "MAD 0, but under 5%";
  EXPECT_TRUE(find_stragglers(ranks_of({10, 20})).empty()) << "which of two is odd?";
  EXPECT_TRUE(find_stragglers(ranks_of({7, 10, 13, 16, 8, 11, 12, 14})).empty()) << "all differ";
  EXPECT_TRUE(find_stragglers(ranks_of({0, 0, 0, 0})).empty());
  EXPECT_TRUE(find_stragglers({}).empty());
  EXPECT_EQ(find_stragglers(ranks_of({10, 10, 10, 11})).size(), 1u);
}

TEST(Breakdown, RefusesWhatHasNoAnswer) {
  for (const double bad : {kNoShare, 0.0, -1.0}) {
    EXPECT_FALSE(break_down(ranks_of({1, 2}), bad));
    const Breakdown b = break_down(ranks_of({1, 2}), 3).value();
    EXPECT_FALSE(account(b, b, Mode::strong, bad));
    EXPECT_FALSE(account(b, b, Mode::strong, 1, bad));
  }
  EXPECT_FALSE(break_down({}, 1));
  EXPECT_FALSE(break_down(ranks_of({0, 0}), 1));
  EXPECT_FALSE(break_down(ranks_of({1, -1}), 2));
  EXPECT_FALSE(break_down(ranks_of({1, 3}), 2)) << "more useful time than wall time";
  EXPECT_FALSE(computation_scaling({}, {}, Mode::strong));
  EXPECT_EQ(efficiency_of_comm_ratio(0.25).value(), 0.8);
  EXPECT_EQ(efficiency_of_comm_ratio(0).value(), 1);
  EXPECT_FALSE(efficiency_of_comm_ratio(-0.1));
  EXPECT_FALSE(efficiency_of_comm_ratio(kNoShare));
}

}  // namespace
}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "orchestrator/analysis/breakdown/collective_fit.h"
#include "orchestrator/base/random.h"
#include "tests/unit/analysis/reference.h"

namespace kneepoint {
namespace {

constexpr double kNoCollective = std::numeric_limits<double>::quiet_NaN();
const LinkCost kCost{5e-6, 8e-11, 2e-11};
const std::map<std::string, Allreduce> kNames = {
    {"ring", Allreduce::ring},
    {"recursive_doubling", Allreduce::recursive_doubling},
    {"rabenseifner", Allreduce::rabenseifner},
    {"binomial_reduce_bcast", Allreduce::binomial_tree}};

double allreduce_seconds(Allreduce algorithm, double bytes, double k, const LinkCost& cost) {
  return seconds_of(allreduce_columns(algorithm, bytes, k).value(), cost);
}

TEST(Collectives, CostsAreTheReferences) {
  const nlohmann::json group = read_reference("formulas.json").at("allreduce_alpha_beta_gamma");
  EXPECT_EQ(group["params"]["alpha_s"], kCost.alpha);
  EXPECT_EQ(group["params"]["beta_s_per_B"], kCost.beta);
  EXPECT_EQ(group["params"]["gamma_s_per_B"], kCost.gamma);
  int compared = 0;
  for (const auto& row : group["rows"]) {
    const double n = row["n_bytes"], k = row["K"];
    for (const auto& [name, algorithm] : kNames) {
      const double want = row[name];
      EXPECT_NEAR(allreduce_seconds(algorithm, n, k, kCost), want, within(want));
      ++compared;
    }
  }
  EXPECT_EQ(compared, 4 * static_cast<int>(group["rows"].size()));
  EXPECT_GE(compared, 100);
}

TEST(Collectives, OtherKThanPowersOfTwoPayTheFold) {
  const CostColumns c = allreduce_columns(Allreduce::rabenseifner, 1000, 6).value();
  EXPECT_DOUBLE_EQ(c.alpha, 6);
  EXPECT_DOUBLE_EQ(c.beta, (2 * 5.0 / 6 + 2) * 1000);
  EXPECT_DOUBLE_EQ(c.gamma, (1 + 5.0 / 6) * 1000);
  const CostColumns d = allreduce_columns(Allreduce::recursive_doubling, 1000, 6).value();
  EXPECT_DOUBLE_EQ(d.alpha, 4);
  EXPECT_DOUBLE_EQ(d.gamma, 3000);
  EXPECT_DOUBLE_EQ(allreduce_columns(Allreduce::binomial_tree, 1, 6).value().alpha, 6);
  EXPECT_GT(allreduce_seconds(Allreduce::rabenseifner, 1e6, 6, kCost),
            allreduce_seconds(Allreduce::rabenseifner, 1e6, 8, kCost));
  EXPECT_EQ(allreduce_seconds(Allreduce::ring, 1e6, 1, kCost), 0) << "nothing to send";
}

std::vector<AllreduceRow> rows_of(Allreduce algorithm, const LinkCost& cost, double noise,
                                  std::uint64_t seed, const std::vector<double>& ks) {
  Random random(seed);
  std::vector<AllreduceRow> rows;
  for (const double k : ks) {
    for (double bytes = 8; bytes <= 8 << 20; bytes *= 16) {
      const double seconds = allreduce_seconds(algorithm, bytes, k, cost);
      rows.push_back({bytes, k, k == 1 ? 1e-7 : seconds * std::exp(noise * random.normal())});
    }
  }
  return rows;
}

TEST(CollectiveFit, RecoversWhatMadeTheRows) {
  for (const Allreduce algorithm : kAllreduces) {
    const auto rows = rows_of(algorithm, kCost, 0, 1, {1, 2, 4, 6, 8, 16, 32});
    const AllreduceModel known = fit_allreduce(rows, kCost.gamma).value();
    EXPECT_EQ(known.fits.front().algorithm, algorithm) << to_string(algorithm);
    EXPECT_EQ(known.plausible, 1);
    EXPECT_NEAR(known.fits.front().cost.alpha, kCost.alpha, within(kCost.alpha, 1e-9));
    EXPECT_NEAR(known.fits.front().cost.beta, kCost.beta, within(kCost.beta, 1e-9));
    EXPECT_TRUE(known.notes.empty()) << known.notes.front();
    const auto at = predict_allreduce(known, rows, 100 << 20, 512).value();
    const double truth = allreduce_seconds(algorithm, 100 << 20, 512, kCost);
    EXPECT_NEAR(at.seconds, truth, within(truth, 1e-9));
    EXPECT_TRUE(at.extrapolated);
    EXPECT_NE(at.sentence.find("at K=512 the all-reduce of 104857600 bytes takes"),
              std::string::npos)
        << at.sentence;
    EXPECT_FALSE(predict_allreduce(known, rows, 2048, 16).value().extrapolated);
  }
}

TEST(CollectiveFit, GammaUnknownIsInsideBetaAndSaysSo) {
  const auto rows = rows_of(Allreduce::ring, kCost, 0, 1, {2, 4, 8, 16});
  const AllreduceModel model = fit_allreduce(rows).value();
  EXPECT_EQ(model.fits.front().algorithm, Allreduce::ring);
  const double together = kCost.beta + kCost.gamma / 2;
  EXPECT_NEAR(model.fits.front().cost.beta, together, within(together, 1e-9));
  EXPECT_TRUE(model.fits.front().gamma_within_beta);
  ASSERT_EQ(model.notes.size(), 1u);
  EXPECT_NE(model.notes[0].find("gamma"), std::string::npos);
}

TEST(CollectiveFit, OneKTellsNoAlgorithm) {
  const auto rows = rows_of(Allreduce::ring, kCost, 0.02, 3, {8});
  const AllreduceModel model = fit_allreduce(rows).value();
  EXPECT_EQ(model.plausible, 4) << "each is a line in the size";
  ASSERT_GE(model.notes.size(), 2u);
  EXPECT_NE(model.notes[1].find("one K only"), std::string::npos);
  const auto far = predict_allreduce(model, rows, 1 << 20, 512).value();
  ASSERT_TRUE(far.interval);
  EXPECT_GT(far.interval->high / far.interval->low, 4) << "the algorithms disagree far out";
}

TEST(CollectiveFit, CoefficientsThatDoNotShowSayAtMostWhat) {
  const std::vector<AllreduceRow> large = {
      {1e8, 2, 0.008}, {2e8, 2, 0.016}, {1e8, 4, 0.012}, {2e8, 4, 0.02401}, {4e8, 4, 0.0479}};
  const AllreduceModel model = fit_allreduce(large).value();
  EXPECT_EQ(model.fits.front().alpha_low, 0);
  EXPECT_GT(model.fits.front().alpha_high, model.fits.front().cost.alpha);
  bool said = false;
  for (const std::string& note : model.notes) {
    said = said || note.find("alpha is not detectable here (at most ") == 0;
  }
  EXPECT_TRUE(said);
}

TEST(CollectiveFit, IntervalsHoldTheTruth) {
  int inside = 0;
  constexpr int kSets = 400;
  const double truth = allreduce_seconds(Allreduce::rabenseifner, 1 << 24, 64, kCost);
  for (int seed = 0; seed < kSets; ++seed) {
    const auto rows = rows_of(Allreduce::rabenseifner, kCost, 0.05, seed + 1, {2, 4, 8, 16});
    const AllreduceModel model = fit_allreduce(rows, kCost.gamma).value();
    const auto at = predict_allreduce(model, rows, 1 << 24, 64).value();
    Random again(1000000u + static_cast<std::uint64_t>(seed));
    const double measured = truth * std::exp(0.05 * again.normal());
    ASSERT_TRUE(at.interval);
    if (at.interval->low <= measured && measured <= at.interval->high) ++inside;
  }
  const double coverage = static_cast<double>(inside) / kSets;
  RecordProperty("coverage", std::to_string(coverage));
  EXPECT_GE(coverage, 0.86);  // 90% less three standard errors of 400 sets
  EXPECT_LE(coverage, 0.97);
}

TEST(Collectives, RefuseWhatHasNoAnswer) {
  for (const double bad : {kNoCollective, 0.0, -1.0, 0.5, 2.5}) {
    EXPECT_FALSE(allreduce_columns(Allreduce::ring, 8, bad));
    EXPECT_FALSE(fit_allreduce({{8, 2, 1e-6}, {16, bad, 1e-6}}));
  }
  for (const double bad : {kNoCollective, 0.0, -8.0}) {
    EXPECT_FALSE(allreduce_columns(Allreduce::ring, bad, 2));
    EXPECT_FALSE(fit_allreduce({{8, 2, 1e-6}, {16, 2, bad}}));
    EXPECT_FALSE(fit_allreduce({{8, 2, 1e-6}, {bad, 2, 1e-6}}));
  }
  EXPECT_FALSE(fit_allreduce({}));
  EXPECT_FALSE(fit_allreduce({{8, 1, 1e-6}, {16, 1, 1e-6}})) << "K = 1 sends nothing";
  EXPECT_FALSE(fit_allreduce({{8, 2, 1e-6}, {8, 2, 1.1e-6}})) << "one size at one K";
  EXPECT_FALSE(fit_allreduce({{8, 2, 1e-6}, {16, 2, 1e-6}}, kNoCollective));
  EXPECT_FALSE(predict_allreduce({}, {}, 8, 2));
}

}  // namespace
}  // namespace kneepoint

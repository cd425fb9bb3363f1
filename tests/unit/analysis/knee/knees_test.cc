// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/knee/knees.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/analysis/model_data.h"

namespace kneepoint {
namespace {

const Knee& row(const KneesAnswer& answer, const std::string& rule, double floor = 0,
                bool measured = true, bool powers = false) {
  const auto found = std::find_if(answer.knees.begin(), answer.knees.end(), [&](const Knee& k) {
    return to_string(k.rule) == rule && k.floor.value_or(0) == floor &&
           k.is_measured() == measured && k.powers_of_two == powers;
  });
  if (found == answer.knees.end()) throw std::runtime_error("no row " + rule);
  return *found;
}

std::vector<int> all_to(int largest) {
  std::vector<int> ks;
  for (int k = 1; k <= largest; ++k) ks.push_back(k);
  return ks;
}

KneesAnswer knees(const Times& times, Mode mode = Mode::strong) {
  return find_knees(mode, times, {.bootstrap = {.replicates = 200}});
}

TEST(Knees, InterpolateAsTheReferenceDoes) {
  for (const auto& expected : reference_rows("summary.json", "knee_interp_pow2_128")) {
    const double c = expected.at("truth") == "s.05c.01" ? 0.01 : 0, floor = expected.at("e");
    const KneesAnswer answer =
        find_knees(Mode::strong, exact_times(amdahl_log(0.05, c), kPowersTo128),
                   {.floors = {floor}, .bootstrap = {.replicates = 2}});
    const double k = expected.at("interp_invE_linK");
    EXPECT_NEAR(row(answer, "efficiency", floor).k.value(), k, within(k, 1e-9));
    EXPECT_EQ(row(answer, "efficiency", floor).place, KneePlace::inside);
  }
}

TEST(Knees, PowerIsTheReferencesMeasuredAndByModel) {
  const nlohmann::json reference = read_reference("models.json").at("power_max");
  for (const auto& expected : reference.at("amdahl_log2")) {
    const Coefficients truth = amdahl_log(expected.at("s"), expected.at("c"));
    const double integer = expected.at("K_integer"), continuous = expected.at("K_continuous");
    EXPECT_EQ(most_powerful({Mode::strong, exact_times(truth, all_to(64))}), integer);
    const double power = expected.at("K_pow2");
    EXPECT_EQ(most_powerful({Mode::strong, exact_times(truth, powers_to(256))}), power);
    const KneesAnswer answer = knees(exact_times(truth, powers_to(256)));
    EXPECT_NEAR(row(answer, "power", 0, false).k.value(), continuous, within(continuous, 1e-9));
  }
}

TEST(Knees, TheFastestKIsTheReferencesMeasuredAndByModel) {
  for (const auto& expected : reference_rows("models.json", "argmin_T")) {
    const Coefficients truth = amdahl_log(expected.at("s"), expected.at("c"));
    EXPECT_EQ(fastest({Mode::strong, exact_times(truth, all_to(200))}),
              expected.at("K_integer").get<double>());
    EXPECT_EQ(fastest({Mode::strong, exact_times(truth, powers_to(1024))}),
              expected.at("K_pow2").get<double>());
    const KneesAnswer answer = knees(exact_times(truth, powers_to(1024)));
    const double continuous = expected.at("K_continuous");
    EXPECT_NEAR(row(answer, "min_time", 0, false).k.value(), continuous, within(continuous, 1e-9));
  }
}

TEST(Knees, TheUslPeakIsTheReferences) {
  for (const auto& expected : reference_rows("models.json", "usl")) {
    const double alpha = expected.at("alpha"), beta = expected.at("beta");
    if (beta == 0) continue;
    const double peak = expected.at("Nmax");
    const KneesAnswer answer = knees(exact_times(usl(alpha, beta), powers_to(1024)));
    EXPECT_NEAR(row(answer, "usl_peak", 0, false).k.value(), peak, within(peak, 1e-9));
  }
}

// The discrete knee is one of the two integers around the continuous one.
TEST(Knees, KneedleFollowsItsClosedFormAndSoTheRange) {
  for (const auto& expected : reference_rows("models.json", "kneedle_amdahl_closed_form")) {
    const Times times = exact_times(amdahl_log(expected.at("f"), 0), all_to(expected.at("Kmax")));
    EXPECT_NEAR(kneedle({Mode::strong, times}), expected.at("K_knee").get<double>(), 1);
  }
  const KneesAnswer answer = knees(exact_times(amdahl_log(0.05, 0), kPowersTo128));
  EXPECT_EQ(row(answer, "kneedle").note, "depends on the range of K measured: up to K=128 here");
}

TEST(Knees, MarginalIsTheLastStepThatGainsHalf) {
  // Doublings gain 0.9, 0.8, 0.5 and 0.4 of the ideal.
  const Times times = {
      {1, {1.0}}, {2, {1 / 1.9}}, {4, {1 / 3.42}}, {8, {1 / 5.13}}, {16, {1 / 7.182}}};
  EXPECT_EQ(row(knees(times), "marginal").k, 8);
  EXPECT_EQ(row(knees({{1, {1.0}}, {2, {0.9}}, {4, {0.8}}}), "marginal").place, KneePlace::below);
  EXPECT_EQ(row(knees({{1, {1.0}}, {2, {0.5}}, {4, {0.25}}}), "marginal").place, KneePlace::beyond);
  // From 1 to 4 half of the ideal gain is a speedup of 2.5.
  EXPECT_EQ(row(knees({{1, {1.0}}, {4, {0.4}}, {8, {0.39}}}), "marginal").k, 4);
}

TEST(Knees, BeyondTheLargestKTheModelSaysWhere) {
  const KneesAnswer answer = knees(exact_times(amdahl_log(0.01, 0), powers_to(32), 3));
  const Knee& half = row(answer, "efficiency", 0.5);
  EXPECT_EQ(half.place, KneePlace::beyond);
  EXPECT_FALSE(half.k);
  EXPECT_NEAR(half.extrapolated.value(), 101, 1e-6);
  EXPECT_EQ(half.note, "amdahl has it at about K=101, extrapolated");
  EXPECT_EQ(half.k_sure, 32);
  EXPECT_TRUE(half.open_high);
  EXPECT_FALSE(half.high);
  EXPECT_EQ(half.low, 32);
  const Knee& least = row(answer, "min_time", 0, false);
  EXPECT_EQ(least.place, KneePlace::beyond);
  EXPECT_EQ(least.note, "not within the range measured, up to K=32");
}

TEST(Knees, BelowTheFirstStep) {
  const KneesAnswer answer = knees({{1, {1.0, 1.0}}, {2, {0.9, 0.9}}, {4, {0.8, 0.8}}});
  EXPECT_EQ(row(answer, "efficiency", 0.7).place, KneePlace::below);
  EXPECT_FALSE(row(answer, "efficiency", 0.7).k);
  EXPECT_EQ(row(answer, "efficiency", 0.7).k_sure, 1);
}

TEST(Knees, DisagreementOverTwoIsSaid) {
  const KneesAnswer agree = find_knees(Mode::strong, exact_times(amdahl_log(0.05, 0), kPowersTo128),
                                       {.floors = {0.5}, .bootstrap = {.replicates = 2}});
  EXPECT_TRUE(agree.agree) << agree.agreement;
  const KneesAnswer differ =
      find_knees(Mode::strong, exact_times(amdahl_log(0.01, 0), powers_to(512)),
                 {.floors = {0.9}, .bootstrap = {.replicates = 2}});
  EXPECT_FALSE(differ.agree);
  EXPECT_EQ(differ.agreement,
            "the definitions differ by a factor of 10.6 (K=12.1 by efficiency, K=128 by power): it "
            "depends on whether you pay for time or for nodes");
}

TEST(Knees, ASawtoothGivesTheKneeOnPowersOfTwoToo) {
  Times times = exact_times(amdahl_log(0.05, 0.002), {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}, 5);
  Random random(2);
  for (TimesAtK& at : times) {
    for (double& t : at.seconds) t *= std::exp(0.005 * random.normal());
    if ((at.k & (at.k - 1)) != 0) {
      for (double& t : at.seconds) t *= 1.8;
    }
  }
  const KneesAnswer answer = knees(times);
  EXPECT_TRUE(answer.sawtooth);
  const Knee& all = row(answer, "efficiency", 0.7);
  const Knee& powers = row(answer, "efficiency", 0.7, true, true);
  EXPECT_GT(powers.k.value(), 8);
  EXPECT_LT(all.k.value_or(0), *powers.k);
  const KneesAnswer smooth = knees(exact_times(amdahl_log(0.05, 0.002), all_to(32)));
  EXPECT_FALSE(smooth.sawtooth);
}

TEST(Knees, TheIntervalHoldsThePointAndDoesNotDependOnThreads) {
  const Times times = reference_curve("A_noise2_pow2_128");
  const auto at = [&](int threads) {
    return find_knees(Mode::strong, times, {.bootstrap = {.seed = 3, .threads = threads}});
  };
  const KneesAnswer one = at(1), four = at(4);
  ASSERT_EQ(one.knees.size(), four.knees.size());
  for (std::size_t i = 0; i < one.knees.size(); ++i) {
    EXPECT_EQ(one.knees[i].low, four.knees[i].low);
    EXPECT_EQ(one.knees[i].high, four.knees[i].high);
  }
  for (const double floor : {0.5, 0.7, 0.8}) {
    const Knee& knee = row(one, "efficiency", floor);
    EXPECT_LE(knee.low.value(), knee.k.value());
    EXPECT_GE(knee.high.value(), knee.k.value());
    EXPECT_LE(knee.k_sure.value(), *knee.k);
    EXPECT_GE(knee.k_maybe.value(), knee.k_sure.value());
  }
  EXPECT_TRUE(one.notes.empty());
}

TEST(Knees, WeakCurvesGoByTheirOwnEfficiency) {
  const Times times = exact_times({.one = 1, .k_minus_1 = 0.01}, kPowersTo128);
  const KneesAnswer answer = knees(times, Mode::weak);
  EXPECT_NEAR(row(answer, "efficiency", 0.5).k.value(), 101, 1e-9);
  EXPECT_NEAR(row(answer, "efficiency", 0.8).k.value(), 26, 1e-9);
  EXPECT_THROW(row(answer, "min_time"), std::runtime_error)
      << "the least T of a weak curve is K0's";
}

TEST(Knees, ByWorkWhereWorkPerWorkerVaries) {
  Times times = exact_times({.one = 1}, {1, 2, 4, 8});
  for (TimesAtK& at : times) at.work_per_worker = 1.0 / at.k;
  EXPECT_EQ(row(knees(times, Mode::weak), "efficiency", 0.5).k, 2);
}

TEST(Knees, FewRunsAndFewKAreSaid) {
  EXPECT_EQ(knees(exact_times(amdahl_log(0.05, 0), kPowersTo128)).notes.at(0),
            "one run at a K: knees have no interval");
  EXPECT_FALSE(row(knees(exact_times(amdahl_log(0.05, 0), kPowersTo128)), "power").low);
  EXPECT_EQ(knees(exact_times(amdahl_log(0.05, 0), kPowersTo128, 3)).notes.at(0),
            "fewer than 5 runs at a K: the intervals of knees are too narrow for 95%");
  EXPECT_EQ(knees({{4, {1.0}}}).notes.at(0), "no knee: only K=4 has a valid run");
  EXPECT_EQ(knees({}).notes.at(0), "no knee: no valid run");
}

TEST(Knees, EqualTimesAndTenThousandRepeatsHaveAnAnswer) {
  const KneesAnswer flat = knees(exact_times({.one = 1}, {1, 2, 4, 8}, 3));
  EXPECT_EQ(row(flat, "efficiency", 0.5).k, 2);
  EXPECT_EQ(row(flat, "kneedle").place, KneePlace::beyond);
  const KneesAnswer many =
      find_knees(Mode::strong, exact_times(amdahl_log(0.05, 0), {1, 2, 4, 8, 16, 32}, 10000),
                 {.bootstrap = {.replicates = 20}});
  EXPECT_NEAR(row(many, "efficiency", 0.5).k.value(), 21, 1e-9);
}

}  // namespace
}  // namespace kneepoint

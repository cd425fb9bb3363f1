// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/models.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/analysis/model_data.h"

namespace kneepoint {
namespace {

const ModelFit& named(const ModelsAnswer& answer, const std::string& name) {
  const auto found = std::find_if(answer.fits.begin(), answer.fits.end(),
                                  [&](const ModelFit& fit) { return fit.name == name; });
  if (found == answer.fits.end()) throw std::runtime_error(name + " was not fitted");
  return *found;
}

// Relative 1e-9, with an absolute part where the reference itself is rounding.
void expect_close(double value, double expected, const std::string& what) {
  EXPECT_NEAR(value, expected, within(expected, 1e-9) + 1e-12) << what;
}

TEST(Models, AreTheReferencesOnEveryCurve) {
  const nlohmann::json reference = read_reference("models.json").at("own_nnls_fits");
  ASSERT_EQ(reference.size(), 7u);
  for (const auto& [curve, models] : reference.items()) {
    const Times times = reference_curve(curve);
    const ModelsAnswer answer = fit_models(Mode::strong, times);
    EXPECT_EQ(answer.fits.front().name, models.at("best_AICc")) << curve;
    for (const auto& [name, expected] : models.items()) {
      if (name == "best_AICc") continue;
      const std::string what = curve + " " + name;
      const ModelFit& fit = named(answer, name);
      const Coefficients& c = fit.coefficients;
      const auto& coefficient = expected.at("coef");
      expect_close(c.one, coefficient.value("1", 0.0), what + " one");
      expect_close(c.inverse_k, coefficient.value("1/K", 0.0), what + " 1/K");
      expect_close(c.log2_k, coefficient.value("log2K", 0.0), what + " log2K");
      expect_close(c.k_minus_1, coefficient.value("K-1", 0.0), what + " K-1");
      expect_close(fit.log_residual, expected.at("SSlog"), what + " SS");
      if (expected.at("SSlog") > 1e-18 * count_runs(times)) {  // below it AICc is at its floor
        expect_close(fit.aicc, expected.at("AICc"), what + " AICc");
      }
      if (!expected.at("LOOCV_rms").is_null()) {
        expect_close(fit.left_out_rms.value(), expected.at("LOOCV_rms"), what + " left out");
      }
      expect_close(c.first(), expected.at("T1"), what + " T1");
      expect_close(fit.serial_fraction.value(), expected.at("s"), what + " s");
      expect_close(fit.log_share, expected.at("c_over_T1"), what + " c/T1");
      expect_close(fit.linear_share, expected.at("beta"), what + " beta");
      for (const auto& [k, time] : expected.at("pred").items()) {
        expect_close(c.at(std::stod(k)), time, what + " T(" + k + ")");
      }
      ASSERT_EQ(fit.lack_of_fit.has_value(), expected.contains("LOF_F")) << what;
      if (fit.lack_of_fit) {
        expect_close(fit.lack_of_fit->f, expected.at("LOF_F"), what + " F");
        const double p = expected.at("LOF_p");
        EXPECT_NEAR(fit.lack_of_fit->p, p, within(p, 1e-8)) << what << " p";
      }
    }
  }
}

TEST(Models, WeightsAddUpAndGoByDelta) {
  const ModelsAnswer answer = fit_models(Mode::strong, reference_curve("A_noise2_pow2_128"));
  double total = 0;
  for (const ModelFit& fit : answer.fits) {
    total += fit.weight;
    EXPECT_NEAR(fit.weight, answer.fits.front().weight * std::exp(-fit.delta / 2), 1e-15);
  }
  EXPECT_NEAR(total, 1, 1e-14);
  EXPECT_EQ(answer.fits.front().delta, 0);
  EXPECT_EQ(answer.notes.size(), 1u);  // p = .003 although the model is right: warns, never blocks
  EXPECT_NE(answer.notes.front().find("no model adequate"), std::string::npos);
}

TEST(Models, CeilingAndTheShareOfItReached) {
  const ModelsAnswer answer =
      fit_models(Mode::strong, exact_times(amdahl_log(0.05, 0), powers_to(512)));
  const ModelFit& best = answer.fits.front();
  EXPECT_EQ(best.name, "amdahl");
  EXPECT_NEAR(best.ceiling.value(), 20, 1e-9);
  EXPECT_NEAR(best.ceiling_reached.value(), 0.964, 5e-4);
  EXPECT_FALSE(best.fastest_k) << "Amdahl falls for ever";
  EXPECT_FALSE(best.fastest_in_range);
}

TEST(Models, UniversalScalabilityRecoversAlphaBetaAndItsPeak) {
  for (const auto& row : reference_rows("models.json", "usl")) {
    const double alpha = row.at("alpha"), beta = row.at("beta");
    const ModelsAnswer answer =
        fit_models(Mode::strong, exact_times(usl(alpha, beta), powers_to(512)));
    const ModelFit& best = answer.fits.front();
    if (beta == 0) continue;
    EXPECT_EQ(best.name, "usl");
    EXPECT_NEAR(best.serial_fraction.value(), alpha, 1e-9);
    EXPECT_NEAR(best.linear_share, beta, 1e-9);
    const double peak = row.at("Nmax");
    EXPECT_NEAR(best.fastest_k.value(), peak, within(peak, 1e-6));
  }
}

TEST(Models, ATermThatIsNotThereIsNotDetectableUpToALimit) {
  const ModelsAnswer answer = fit_models(Mode::strong, reference_curve("B_noise2_pow2_512"));
  const ModelFit& log = named(answer, "amdahl_log");
  EXPECT_EQ(log.coefficients.log2_k, 0);
  ASSERT_EQ(log.not_detectable.size(), 1u);
  EXPECT_EQ(log.not_detectable.front().term, Term::log2_k);
  EXPECT_GT(log.not_detectable.front().limit, 0);
  EXPECT_LT(log.not_detectable.front().limit, 0.001) << "a tenth of what the A curves have";
}

TEST(Models, TooFewKSaysWhichToAdd) {
  const ModelsAnswer answer =
      fit_models(Mode::strong, exact_times(amdahl_log(0.05, 0), {1, 2, 4}, 3));
  ASSERT_EQ(answer.fits.size(), 1u);
  EXPECT_EQ(answer.fits.front().name, "ideal");
  ASSERT_EQ(answer.not_fitted.size(), 4u);
  EXPECT_EQ(answer.not_fitted.front().why, "amdahl needs 4 different K and there are 3: add K=8");
  EXPECT_EQ(answer.not_fitted.back().add_k, (std::vector<int>{8, 16, 32}));
  EXPECT_EQ(answer.notes.front(),
            "only the model ideal could be fitted: it was not chosen among several");
}

TEST(Models, PastHalfEfficiencyTheGapsAreFilled) {
  const Times times = exact_times(amdahl_log(0.1, 0), {1, 8, 64}, 2);
  EXPECT_EQ(suggest_k(Mode::strong, times, 5), (std::vector<int>{3, 23}));
}

TEST(Models, OneKHasNoModel) {
  const ModelsAnswer answer = fit_models(Mode::strong, {{4, {1.0, 1.1}}});
  EXPECT_TRUE(answer.fits.empty());
  EXPECT_EQ(answer.notes.front(),
            "no model: ideal needs 3 different K and there are 1: add K=8 and K=16");
}

TEST(Models, FourKOfOneRunEachNeedARepeatForAmdahl) {
  const ModelsAnswer answer =
      fit_models(Mode::strong, exact_times(amdahl_log(0.05, 0), {1, 2, 4, 8}));
  ASSERT_EQ(answer.fits.size(), 1u);
  EXPECT_EQ(answer.not_fitted.front().why,
            "amdahl needs 5 runs and there are 4: repeat, or add K=16");
}

TEST(Models, EqualTimesAreAConstant) {
  const Times times = exact_times({.one = 2}, kPowersTo128, 3);
  const ModelsAnswer strong = fit_models(Mode::strong, times);
  EXPECT_EQ(strong.fits.front().name, "amdahl");
  EXPECT_NEAR(strong.fits.front().serial_fraction.value(), 1, 1e-12);
  EXPECT_EQ(fit_models(Mode::weak, times).fits.front().name, "constant");
}

TEST(Models, WeakFormsTellTheLogarithmFromTheLine) {
  const ModelFit log =
      fit_models(Mode::weak, reference_curve("W_clean_weak_pow2_128")).fits.front();
  EXPECT_EQ(log.name, "log");
  EXPECT_NEAR(log.coefficients.one, 1, 1e-12);
  EXPECT_NEAR(log.coefficients.log2_k, 0.01, 1e-12);
  EXPECT_FALSE(log.serial_fraction) << "a weak curve alone can't identify it";
  const Times line = exact_times({.one = 1, .k_minus_1 = 0.002}, kPowersTo128);
  EXPECT_EQ(fit_models(Mode::weak, line).fits.front().name, "linear");
}

TEST(Models, TheUnitOfTimeChangesNothingButTheUnit) {
  Times times = reference_curve("A_noise2_pow2_128");
  const ModelsAnswer seconds = fit_models(Mode::strong, times);
  for (TimesAtK& at : times) {
    for (double& t : at.seconds) t *= 1e9;
  }
  const ModelsAnswer nanoseconds = fit_models(Mode::strong, times);
  for (std::size_t i = 0; i < seconds.fits.size(); ++i) {
    EXPECT_EQ(seconds.fits[i].name, nanoseconds.fits[i].name);
    EXPECT_NEAR(seconds.fits[i].weight, nanoseconds.fits[i].weight, 1e-9);
  }
}

TEST(Models, ThePowerLawSeesSuperlinearity) {
  Times times;
  for (const int k : kPowersTo128) times.push_back({k, {std::pow(k, -1.2)}});
  const PowerFit power = fit_models(Mode::strong, times).power.value();
  EXPECT_NEAR(power.p, 1.2, 1e-9);
  EXPECT_NEAR(power.b, 1, 1e-9);
  EXPECT_NEAR(power.a, 0, 1e-12);
}

TEST(Models, TenThousandRepeatsAreTheirMeans) {
  Random random(3);
  const Times times = noisy_times(amdahl_log(0.05, 0.01), kPowersTo128, 10000, 0.02, random);
  const ModelsAnswer answer = fit_models(Mode::strong, times);
  EXPECT_NEAR(named(answer, "amdahl_log").coefficients.log2_k, 0.01, 1e-4);
}

TEST(OrderedTimes, SortsAndJoins) {
  const Times times = ordered({{8, {1.0}}, {1, {5.0, 6.0}}, {4, {}}, {8, {2.0}}}).value();
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].k, 1);
  EXPECT_EQ(times[1].seconds, (std::vector<double>{1, 2}));
}

TEST(OrderedTimes, RefusesWhatNoAnalysisCanUse) {
  const auto why = [](Times times) {
    const Result<Times> result = ordered(std::move(times));
    return result ? std::string() : result.error().message;
  };
  EXPECT_EQ(why({{2, {std::nan("")}}}), "K=2: a time of nan s; times are positive and finite");
  EXPECT_EQ(why({{2, {0.0}}}), "K=2: a time of 0.000000 s; times are positive and finite");
  EXPECT_EQ(why({{2, {-1.0}}}), "K=2: a time of -1.000000 s; times are positive and finite");
  EXPECT_EQ(why({{2, {HUGE_VAL}}}), "K=2: a time of inf s; times are positive and finite");
  EXPECT_EQ(why({{0, {1.0}}}), "K=0 is not a number of workers");
  EXPECT_EQ(why({}), "no valid run");
  EXPECT_EQ(why({{1, {}}}), "no valid run");
  EXPECT_EQ(why({{1, {1.0}, 0}}), "K=1: work per worker must be above 0");
  EXPECT_EQ(why({{1, {1.0}, 2}, {1, {1.0}, 3}}), "K=1 has two different values of work per worker");
}

TEST(Adequacy, TheBestModelDecides) {
  ModelsAnswer models;
  EXPECT_EQ(adequacy(models), Adequacy::too_few_points);
  EXPECT_EQ(adequate_model(models), nullptr);

  models.fits.resize(2);
  models.fits[1].lack_of_fit = LackOfFit{.p = 1e-9};
  EXPECT_EQ(adequacy(models), Adequacy::untested) << "no repeats: there is no test";
  EXPECT_EQ(adequate_model(models), &models.fits.front());

  models.fits[0].lack_of_fit = LackOfFit{.p = 0.01};
  EXPECT_EQ(adequacy(models), Adequacy::adequate) << "at the level itself it is not rejected";
  EXPECT_EQ(adequate_model(models), &models.fits.front());

  models.fits[0].lack_of_fit = LackOfFit{.p = 0.0099};
  EXPECT_EQ(adequacy(models), Adequacy::lack_of_fit);
  EXPECT_EQ(adequate_model(models), nullptr);

  models.fits[0].lack_of_fit.reset();
  models.fits[0].missed = 0.26;
  EXPECT_EQ(adequacy(models), Adequacy::misfit) << "a quarter off explains nothing, tested or not";
  EXPECT_EQ(adequate_model(models), nullptr);
}

TEST(Adequacy, AFitKnowsByHowMuchItMisses) {
  const ModelsAnswer exact =
      fit_models(Mode::strong, exact_times(amdahl_log(0.05, 0), kPowersTo128));
  EXPECT_LT(exact.fits.front().missed, 1e-9);
  const ModelsAnswer far = fit_models(Mode::strong, exact_times({.one = 1}, {1, 2, 4}, 2));
  EXPECT_EQ(adequacy(far), Adequacy::misfit) << "ideal alone was fitted to equal times";
  EXPECT_NE(far.notes.back().find("no model adequate: ideal misses the runs by"),
            std::string::npos);
}

TEST(Adequacy, TheIdealModelAloneNamesNoSerialFraction) {
  ModelsAnswer models;
  models.fits.resize(1);
  models.fits[0].terms = kInverseK;
  models.fits[0].serial_fraction = 0;
  EXPECT_EQ(model_of_serial_fraction(models), nullptr);
  models.fits[0].terms = kOne | kInverseK;
  EXPECT_EQ(model_of_serial_fraction(models), &models.fits.front());
  models.fits[0].lack_of_fit = LackOfFit{.p = 1e-4};
  EXPECT_EQ(model_of_serial_fraction(models), nullptr);
}

}  // namespace
}  // namespace kneepoint

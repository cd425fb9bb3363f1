// SPDX-License-Identifier: Apache-2.0
//
// Do intervals hold what they promise, and is the true model found? Simulated truth, seeded; every
// figure is printed, so that docs/methods.md can quote it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "orchestrator/analysis/knee/knees.h"
#include "orchestrator/analysis/models/prediction.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "tests/unit/analysis/model_data.h"

namespace kneepoint {
namespace {

const Coefficients kAmdahl = amdahl_log(0.05, 0), kAmdahlLog = amdahl_log(0.05, 0.01),
                   kUslTruth = usl(0.03, 0.0005);

TEST(Coverage, OfRatioIntervalsIsBetween94And98Percent) {
  constexpr int kTrials = 4000;
  struct Law {
    const char* name;
    double (*draw)(Random&);
  };
  const Law laws[] = {
      {"log-normal 2%", [](Random& r) { return std::exp(0.02 * r.normal()); }},
      {"exponential tail", [](Random& r) { return 1 - 0.02 * std::log(1 - r.uniform()); }},
      {"10% slow runs",
       [](Random& r) {
         const double slow = r.uniform() < 0.1 ? 1.15 : 1;
         return slow * std::exp(0.02 * r.normal());
       }},
  };
  for (const Law& law : laws) {
    for (const int n : {5, 7, 10, 20}) {
      Random random(1000 + n, law.name);
      int covered = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<double> above, below;
        for (int i = 0; i < n; ++i) above.push_back(3 * law.draw(random));
        for (int i = 0; i < n; ++i) below.push_back(law.draw(random));
        const Interval interval = ratio_interval(above, below).value();
        if (interval.low <= 3 && 3 <= interval.high) ++covered;
      }
      const double share = 1.0 * covered / kTrials;
      std::printf("coverage: 95%% ratio, %s, n=%d: %.3f of %d\n", law.name, n, share, kTrials);
      EXPECT_GE(share, 0.94);
      EXPECT_LE(share, 0.98);
    }
  }
}

TEST(Coverage, OfKneeIntervalsIsAtLeast94Percent) {
  constexpr int kSets = 1000;
  for (const double c : {0.0, 0.01}) {
    for (const double sigma : {0.02, 0.05}) {
      const Coefficients truth = amdahl_log(0.05, c);
      Random random(77, "knee " + std::to_string(c) + " " + std::to_string(sigma));
      const std::vector<double> floors = {0.5, 0.8};
      std::vector<int> covered(floors.size(), 0);
      for (int set = 0; set < kSets; ++set) {
        const Times times = noisy_times(truth, kPowersTo128, 5, sigma, random);
        const KneesAnswer answer =
            find_knees(Mode::strong, times,
                       {.floors = floors, .bootstrap = {.seed = random.next(), .replicates = 400}});
        for (std::size_t i = 0; i < floors.size(); ++i) {
          const double k = crossing_k(Mode::strong, truth, 1, floors[i]).value();
          const Knee& knee = answer.knees[i];
          if (*knee.low <= k && (knee.open_high || k <= *knee.high)) ++covered[i];
        }
      }
      for (std::size_t i = 0; i < floors.size(); ++i) {
        const double share = 1.0 * covered[i] / kSets;
        std::printf("coverage: 95%% knee, s=.05 c=%g floor=%g sigma=%g: %.3f of %d\n", c, floors[i],
                    sigma, share, kSets);
        EXPECT_GE(share, 0.94);
      }
    }
  }
}

TEST(Coverage, OfPredictionsAtFourTimesTheLargestKIsAtLeast88Percent) {
  constexpr int kSets = 300;
  struct Truth {
    const char* name;
    Coefficients c;
  };
  for (const Truth& truth :
       {Truth{"amdahl", kAmdahl}, {"amdahl_log", kAmdahlLog}, {"usl", kUslTruth}}) {
    for (const int largest : {16, 32, 128}) {
      for (const double sigma : {0.02, 0.05}) {
        Random random(4, truth.name + std::to_string(largest) + std::to_string(sigma));
        int curve = 0, run = 0;
        for (int set = 0; set < kSets; ++set) {
          const Times times = noisy_times(truth.c, powers_to(largest), 5, sigma, random);
          ModelsAnswer models = fit_models(Mode::strong, times);
          // 1 of 100 right models is rejected and predicts nothing here: the interval has to hold
          // for them too.
          for (ModelFit& fit : models.fits) fit.lack_of_fit.reset();
          const Prediction p =
              predict_times(times, models, {4 * largest},
                            {.bootstrap = {.seed = random.next(), .replicates = 200}})
                  .predictions.at(0);
          const double exact = truth.c.at(4 * largest);
          const double one = exact * std::exp(sigma * random.normal());
          if (p.low <= exact && exact <= p.high) ++curve;
          if (p.low <= one && one <= p.high) ++run;
        }
        std::printf(
            "coverage: 90%% prediction at 4x, %s K_max=%d sigma=%g: curve %.3f, one run %.3f of "
            "%d\n",
            truth.name, largest, sigma, 1.0 * curve / kSets, 1.0 * run / kSets, kSets);
        EXPECT_GE(1.0 * curve / kSets, 0.88);
        EXPECT_GE(1.0 * run / kSets, 0.88);
      }
    }
  }
}

TEST(Selection, FindsTheTrueModelAsOftenAsThePublishedShares) {
  constexpr int kSets = 2000;
  struct Cell {
    const char* name;
    Coefficients truth;
    int largest;
    double sigma, share;
  };
  for (const Cell& cell : {Cell{"amdahl", kAmdahl, 128, 0.02, 0.91},
                           {"amdahl_log", kAmdahlLog, 128, 0.02, 0.93},
                           {"usl", kUslTruth, 128, 0.02, 0.94},
                           {"amdahl_log", kAmdahlLog, 32, 0.02, 0.80},
                           {"amdahl_log", kAmdahlLog, 16, 0.02, 0.63},
                           {"usl", kUslTruth, 16, 0.05, 0.18}}) {
    Random random(6, cell.name + std::to_string(cell.largest));
    int found = 0;
    for (int set = 0; set < kSets; ++set) {
      const Times times = noisy_times(cell.truth, powers_to(cell.largest), 5, cell.sigma, random);
      if (fit_models(Mode::strong, times).fits.front().name == cell.name) ++found;
    }
    const double share = 1.0 * found / kSets;
    std::printf("selection: %s K_max=%d sigma=%g: %.3f of %d (expected %.2f)\n", cell.name,
                cell.largest, cell.sigma, share, kSets, cell.share);
    EXPECT_NEAR(share, cell.share, 0.05);
  }
}

}  // namespace
}  // namespace kneepoint

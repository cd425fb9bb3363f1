// SPDX-License-Identifier: Apache-2.0
//
// The whole product on the simulated backend against values that were computed elsewhere with 50
// digits: plan -> matrix -> launcher -> records -> store -> report --json.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

constexpr double kTolerance = 1e-12;

TEST(Reference, SyntheticOnTheSimulatedBackendReproducesThePublishedCurve) {
  Place place;
  const std::string plan = place.write("plan.yaml", R"(study: reference
worker: node
scale: {from: 1, to: 8, step: 1}
modes: [strong, weak]
workloads:
  - name: synthetic
    use: synthetic
    parameters: {s: 0.05, c: 0.01, seconds: 1}
iterations: {warmup: 0, count: 1}
repeat: 3
)");
  const std::string site = place.write("site.yaml", "backend: simulated\nnodes: 16\n");
  const auto ran = place.kneepoint({"run", plan, "--site", site});
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  const auto reported = place.kneepoint({"report", "reference", "--json"});
  ASSERT_EQ(reported.exit_code, 0) << reported.errors;
  const json report = json::parse(reported.output);
  const json reference = json::parse(
      std::ifstream(KP_SOURCE_DIR "/tests/golden/reference/strong_weak_s0.05_c0.01.json"));

  int compared = 0;
  ASSERT_EQ(report["cases"].size(), 1U);
  for (const auto& [mode, curve] : report["cases"][0]["modes"].items()) {
    const bool strong = mode == "strong";
    for (const json& point : curve["points"]) {
      const int k = point["k"];
      const json* row = nullptr;
      for (const json& candidate : reference["rows"]) {
        if (candidate["K"] == k) row = &candidate;
      }
      ASSERT_NE(row, nullptr) << "K=" << k;
      const double t = (*row)[strong ? "T" : "T_weak"];
      const double e = (*row)[strong ? "E" : "E_weak"];
      EXPECT_NEAR(point["time"]["median"].get<double>() / t, 1, kTolerance) << "K=" << k;
      EXPECT_NEAR(point["efficiency"]["value"].get<double>() / e, 1, kTolerance) << "K=" << k;
      if (strong) {
        EXPECT_NEAR(point["speedup"]["value"].get<double>() / (*row)["S"].get<double>(), 1,
                    kTolerance);
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 16);
}

}  // namespace
}  // namespace kneepoint

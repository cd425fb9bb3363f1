// SPDX-License-Identifier: Apache-2.0
//
// Whole studies with `profile: mpi`: the breakdown that the report shows must give back the
// efficiency that was measured. Both come from the same runs, so that load changes nothing.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

// The point of a case at K; null if it is not there.
json point_at(const json& node, const std::string& case_name, int k, bool inside = false) {
  if (node.is_object()) {
    for (const char* key : {"case", "name", "workload"}) {
      const auto name = node.find(key);
      if (name != node.end() && *name == case_name) inside = true;
    }
    if (inside && node.contains("k") && node.contains("breakdown") && node["k"] == k) return node;
  }
  if (node.is_structured()) {
    for (const json& child : node) {
      if (json found = point_at(child, case_name, k, inside); !found.is_null()) return found;
    }
  }
  return nullptr;
}

class ProfiledStudy : public testing::Test {
 protected:
  // Runs the plan and gives its report.
  json report_of(const std::string& workloads) {
    const std::string plan = place_.write("plan.yaml",
                                          "study: pop\nscale: [1, 2]\nmodes: [strong]\n"
                                          "shape: {bind: none}\nrepeat: 1\n"
                                          "iterations: {warmup: 1, count: 3}\n"
                                          "limits: {oversubscribe: true}\nworkloads:\n" +
                                              workloads);
    const auto ran = place_.kneepoint({"run", plan});
    EXPECT_EQ(ran.exit_code, 0) << ran.errors << ran.output;
    const auto told = place_.kneepoint({"report", "pop", "--json"});
    EXPECT_EQ(told.exit_code, 0) << told.errors;
    text_ = place_.kneepoint({"report", "pop"}).output;
    return json::parse(told.output, nullptr, false);
  }

  static void expect_identity(const json& report, const std::string& name) {
    const json point = point_at(report, name, 2);
    ASSERT_FALSE(point.is_null()) << name << " at K=2 is not in the report";
    const json& breakdown = point["breakdown"];
    ASSERT_FALSE(breakdown.is_null()) << name;
    ASSERT_FALSE(breakdown["accounting"].is_null()) << name;
    const double measured = point["efficiency"]["value"].get<double>();
    const double implied = breakdown["accounting"]["implied_efficiency"].get<double>();
    EXPECT_NEAR(implied / measured, 1, 0.03) << name;
    EXPECT_NEAR(breakdown["useful_mean"].get<double>() + breakdown["imbalance"].get<double>() +
                    breakdown["communication"].get<double>(),
                breakdown["wall"].get<double>(), 1e-9 * breakdown["wall"].get<double>());
    ASSERT_FALSE(point["mpi_profile"].is_null()) << name;
    EXPECT_GT(point["mpi_profile"]["operations"].size(), 0U);
  }

  Place place_;
  std::string text_;
};

TEST_F(ProfiledStudy, EfficiencyFromTheBreakdownIsTheMeasuredOne) {
  const json report = report_of(
      "  - {name: jacobi, use: jacobi3d, size: 48, profile: mpi}\n"
      "  - {name: cg, use: conjugate_gradient, size: 32, profile: mpi}\n");
  ASSERT_FALSE(report.is_discarded());
  expect_identity(report, "jacobi");
  expect_identity(report, "cg");
  EXPECT_NE(text_.find("MPI calls"), std::string::npos) << text_;
  EXPECT_NE(text_.find("MPI_Allreduce"), std::string::npos) << text_;
  const std::string told = place_.kneepoint({"explain", "r1"}).output;
  EXPECT_NE(told.find("from MPI_Init to MPI_Finalize; in MPI "), std::string::npos) << told;
  EXPECT_NE(told.find("  MPI calls of all ranks:\n"), std::string::npos) << told;
}

TEST_F(ProfiledStudy, AProgramThatKnowsNothingOfUsHasABreakdown) {
  const std::string program = std::string(KP_PROFILE_PROGRAMS) + "/kp-test-imbalanced";
  const json report = report_of("  - name: app\n    command: [\"" + program +
                                "\", \"40\"]\n    profile: mpi\n"
                                "    metrics: {time: {from: mpi}}\n");
  ASSERT_FALSE(report.is_discarded());
  expect_identity(report, "app");
  const json point = point_at(report, "app", 2);
  EXPECT_GT(point["communication_share"].get<double>(), 0);
  EXPECT_GT(point["compute_share"].get<double>(), 0);
  EXPECT_NEAR(point["breakdown"]["wall"].get<double>(), point["time"]["median"].get<double>(),
              1e-6 * point["time"]["median"].get<double>());
}

}  // namespace
}  // namespace kneepoint

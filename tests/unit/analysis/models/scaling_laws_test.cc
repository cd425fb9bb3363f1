// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/scaling_laws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/analysis/reference.h"

namespace kneepoint {
namespace {

constexpr double kNoLaw = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

nlohmann::json rows(const std::string& group) {
  return reference_rows("formulas.json", group);
}

// Every comparison is counted: a group that shrank to nothing must not pass.
class Comparisons {
 public:
  void same(double got, const nlohmann::json& want, double tolerance = 1e-12) {
    const double value = want.get<double>();
    EXPECT_NEAR(got, value, within(value, tolerance));
    ++count_;
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

TEST(ScalingLaws, AmdahlIsTheReferences) {
  const std::pair<const char*, double> groups[] = {{"amdahl_f0.05_all_K1_512", 0.05},
                                                   {"amdahl_f0.01_pow2", 0.01},
                                                   {"amdahl_f0.05_pow2", 0.05},
                                                   {"amdahl_f0.2_pow2", 0.2}};
  Comparisons compared;
  for (const auto& [group, serial] : groups) {
    for (const auto& row : rows(group)) {
      const StrongPoint p = strong_point({.serial = serial}, row["K"]).value();
      compared.same(p.time, row["T"]);
      compared.same(p.speedup, row["S"]);
      compared.same(p.efficiency, row["E"]);
    }
  }
  EXPECT_EQ(compared.count(), 3 * (512 + 3 * 13));
}

TEST(ScalingLaws, NumbersOneMayQuote) {
  const StrongPoint at_512 = strong_point({.serial = 0.05}, 512).value();
  EXPECT_NEAR(at_512.speedup, 19.2844, 5e-5);
  EXPECT_NEAR(at_512.efficiency, 0.0377, 5e-5);
  EXPECT_NEAR(at_512.ceiling_reached.value(), 0.964, 5e-4);
  const ScalingLaw law{.serial = 0.05, .log_coefficient = 0.01};
  EXPECT_NEAR(strong_point(law, 64).value().speedup, 8.010, 5e-4);
  EXPECT_NEAR(strong_point(law, 128).value().speedup, 7.848, 5e-4);
  EXPECT_NEAR(weak_point(law, 128, SerialPart::fixed).value().efficiency, 0.935, 5e-4);
}

TEST(ScalingLaws, LimitsAreTheReferences) {
  const nlohmann::json limits = read_reference("formulas.json").at("amdahl_limits");
  int compared = 0;
  for (const auto& [serial, row] : limits.items()) {
    const auto ceiling = amdahl_ceiling(std::stod(serial)).value();
    ASSERT_TRUE(ceiling);
    EXPECT_NEAR(ceiling->speedup, row["Smax"], 1e-12 * 100);
    EXPECT_NEAR(ceiling->k_half, row["K_half_max"], 1e-12 * 100);
    ++compared;
  }
  EXPECT_EQ(compared, 4);
  EXPECT_FALSE(amdahl_ceiling(0).value()) << "nothing serial, no ceiling";
}

TEST(ScalingLaws, StrongAndWeakWithALogarithmAreTheReferences) {
  const ScalingLaw law{.serial = 0.05, .log_coefficient = 0.01};
  Comparisons compared;
  for (const auto& row : rows("strong_weak_s0.05_c0.01_all_K1_128")) {
    const double k = row["K"];
    const StrongPoint p = strong_point(law, k).value();
    compared.same(p.time, row["T"]);
    compared.same(p.speedup, row["S"]);
    compared.same(p.efficiency, row["E"]);
    compared.same(p.serial, row["serial"]);
    compared.same(p.parallel, row["compute"]);
    compared.same(p.communication, row["comm"]);
    compared.same(p.communication / p.time, row["comm_frac"]);
    compared.same(p.speedup * p.efficiency, row["power_SE"]);
    compared.same(k * p.time, row["cost_KT"]);
    compared.same(k * p.time * p.time, row["EDP_KT2"]);
    ASSERT_EQ(p.karp_flatt.has_value(), k > 1);
    if (p.karp_flatt) {
      compared.same(*p.karp_flatt, row["karp_flatt"]);
      compared.same(serial_share(1 / p.speedup, k, 1), row["karp_flatt"]);
    }
    const WeakPoint fixed = weak_point(law, k, SerialPart::fixed).value();
    compared.same(fixed.time, row["T_weak"]);
    compared.same(fixed.efficiency, row["E_weak"]);
    compared.same(fixed.throughput_speedup, row["X_weak"]);
    compared.same(fixed.scaled_speedup, row["S_gustafson"]);
    compared.same(scaled_speedup(0.05, k, fixed.time).value(), row["S_gustafson"]);
    const WeakPoint grows = weak_point(law, k, SerialPart::grows).value();
    compared.same(grows.time, row["T_weak_growing"]);
    compared.same(grows.efficiency, row["E_weak_growing"]);
  }
  EXPECT_EQ(compared.count(), 128 * 17 + 127 * 2);
}

TEST(ScalingLaws, FastestKIsTheReferences) {
  Comparisons compared;
  for (const auto& row : rows("argmin_T")) {
    const ScalingLaw law{.serial = row["s"], .log_coefficient = row["c"]};
    const auto best = fastest_k(law).value();
    ASSERT_TRUE(best);
    compared.same(best->k, row["K_continuous"], 1e-9);
    EXPECT_EQ(best->k_integer, row["K_integer"]);
    EXPECT_EQ(best->k_power_of_two, row["K_pow2"]);
    compared.same(strong_point(law, best->k).value().time, row["T_at_K_continuous"]);
    const StrongPoint whole = strong_point(law, static_cast<double>(best->k_integer)).value();
    compared.same(whole.time, row["T_integer"]);
    compared.same(whole.speedup, row["S_integer"]);
    compared.same(whole.efficiency, row["E_integer"]);
    const double power = static_cast<double>(best->k_power_of_two);
    const double time = strong_point(law, power).value().time;
    compared.same(time, row["T_pow2"]);
    for (const auto& other : row["runner_up_pow2"]) {
      compared.same(strong_point(law, other[0]).value().time / time, other[1]);
    }
  }
  EXPECT_EQ(compared.count(), 9 * 8);
}

TEST(ScalingLaws, FastestKAtItsEdges) {
  EXPECT_FALSE(fastest_k({.serial = 0.05}).value()) << "Amdahl's T falls for ever";
  EXPECT_EQ(fastest_k({.serial = 1}).value()->k_integer, 1);
  const Optimum one = *fastest_k({.serial = 0.5, .log_coefficient = 2}).value();
  EXPECT_EQ(one.k, 1);
  EXPECT_EQ(one.k_integer, 1);
  EXPECT_EQ(one.k_power_of_two, 1);
  EXPECT_FALSE(fastest_k({.serial = 0.1, .log_coefficient = 1e-300}).value()) << "past 2^53";
  const Optimum both =
      *fastest_k({.serial = 0.1, .log_coefficient = 0.01, .linear = 0.001}).value();
  const auto time = [](double k) {
    return strong_point({.serial = 0.1, .log_coefficient = 0.01, .linear = 0.001}, k).value().time;
  };
  EXPECT_LT(time(both.k), time(both.k * 1.001));
  EXPECT_LT(time(both.k), time(both.k * 0.999));
}

TEST(ScalingLaws, UniversalScalabilityIsTheReferences) {
  Comparisons compared;
  for (const auto& group : rows("usl")) {
    const ScalingLaw law{.serial = group["alpha"], .linear = group["beta"]};
    const auto best = fastest_k(law).value();
    ASSERT_EQ(best.has_value(), !group["Nmax"].is_null());
    if (best) {
      compared.same(best->k, group["Nmax"], 1e-9);
      compared.same(strong_point(law, best->k).value().speedup, group["Smax"], 1e-9);
    }
    if (law.serial > 0) {
      compared.same(amdahl_ceiling(law.serial).value()->speedup, group["Nopt"]);
    }
    for (const auto& row : group["rows"]) {
      const StrongPoint p = strong_point(law, row["K"]).value();
      compared.same(p.speedup, row["S"]);
      compared.same(p.efficiency, row["E"]);
    }
  }
  EXPECT_GE(compared.count(), 4 * 10 * 2);
}

TEST(ScalingLaws, GustafsonKarpFlattAndRelativeBaselinesAreTheReferences) {
  Comparisons compared;
  for (const auto& row : rows("gustafson")) {
    compared.same(scaled_speedup(row["s"], row["K"]).value(), row["S"]);
  }
  EXPECT_EQ(compared.count(), 30);
  for (const auto& row : rows("karp_flatt_examples")) {
    compared.same(serial_share(1 / row["S"].get<double>(), row["K"], 1), row["e"]);
  }
  EXPECT_EQ(compared.count(), 44);
  int relative = 0;
  for (const auto& row : rows("relative_baseline_amdahl_s0.05")) {
    const ScalingLaw law{.serial = row["s"]};
    const StrongPoint base = strong_point(law, row["K0"]).value();
    const StrongPoint at = strong_point(law, row["K"]).value();
    const double k0 = row["K0"], k = row["K"], inverse = at.time / base.time;
    compared.same(at.efficiency, row["E_abs"]);
    compared.same(serial_share(inverse, k / k0, 1), row["karp_flatt_rel"]);
    compared.same(serial_share(inverse, k / k0, k0), row["s_recovered"]);
    ++relative;
  }
  EXPECT_EQ(relative, 12);
}

TEST(ScalingLaws, LargestSerialFraction) {
  EXPECT_NEAR(largest_serial_fraction(2, 0.8).value().value(), 0.25, 1e-12);
  EXPECT_NEAR(largest_serial_fraction(8, 0.8).value().value(), 0.25 / 7, 1e-12);
  EXPECT_NEAR(largest_serial_fraction(64, 0.8).value().value(), 0.25 / 63, 1e-12);
  EXPECT_NEAR(largest_serial_fraction(512, 0.8).value().value(), 0.25 / 511, 1e-12);
  EXPECT_EQ(largest_serial_fraction(1, 0.8).value(), 1.0) << "one worker is always efficient";
  EXPECT_EQ(largest_serial_fraction(2, 0.4).value(), 1.0);
  const double s = largest_serial_fraction(4, 0.8, 0.01).value().value();
  EXPECT_NEAR(strong_point({.serial = s, .log_coefficient = 0.01}, 4).value().efficiency, 0.8,
              1e-12);
  EXPECT_FALSE(largest_serial_fraction(512, 0.8, 0.01).value())
      << "communication alone is too much";
}

TEST(ScalingLaws, RefusesWhatHasNoAnswer) {
  for (const double bad : {kNoLaw, kInfinity, 0.0, -1.0, 0.5}) {
    EXPECT_FALSE(strong_point({.serial = 0.05}, bad));
    EXPECT_FALSE(weak_point({.serial = 0.05}, bad, SerialPart::fixed));
    EXPECT_FALSE(largest_serial_fraction(bad, 0.8));
  }
  for (const double bad : {kNoLaw, kInfinity, -0.1, 1.1}) {
    EXPECT_FALSE(strong_point({.serial = bad}, 2));
    EXPECT_FALSE(amdahl_ceiling(bad));
    EXPECT_FALSE(fastest_k({.serial = bad}));
    EXPECT_FALSE(scaled_speedup(bad, 2));
  }
  for (const double bad : {kNoLaw, kInfinity, -0.1}) {
    EXPECT_FALSE(strong_point({.log_coefficient = bad}, 2));
    EXPECT_FALSE(strong_point({.linear = bad}, 2));
    EXPECT_FALSE(largest_serial_fraction(2, 0.8, bad));
  }
  EXPECT_FALSE(largest_serial_fraction(2, 1)) << "only s = 0 and no communication holds E = 1";
  EXPECT_EQ(strong_point({.serial = 0.05}, 0).error().message,
            "K is 0; it must be at least 1 (and at most 2^53)");
  EXPECT_EQ(strong_point({.serial = kNoLaw}, 2).error().message,
            "the serial fraction is nan; it must be between 0 and 1");
}

}  // namespace
}  // namespace kneepoint

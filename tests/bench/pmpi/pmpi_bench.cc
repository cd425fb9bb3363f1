// SPDX-License-Identifier: Apache-2.0
//
// What the libraries inside a program cost: of a call, of conjugate_gradient at two ranks by 20
// interleaved pairs with and without the profile, of a pair of probe calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "agents/wire/record.h"
#include "tests/bench/child.h"

namespace kneepoint::bench {
namespace {

const std::string kBin = KP_BIN_DIR;
const std::string kPrograms = KP_BENCH_PROGRAMS;
constexpr int kPairs = 20;

std::vector<std::string> mpi_environment() {
  return {"OMPI_ALLOW_RUN_AS_ROOT=1",
          "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
          "OMPI_MCA_btl=self,vader",
          "OMPI_MCA_mpi_yield_when_idle=1",
          "OMPI_MCA_btl_vader_single_copy_mechanism=none",
          "OMP_NUM_THREADS=1"};
}

std::vector<std::string> with_profile(std::vector<std::string> environment,
                                      const std::string& folder) {
  environment.push_back("LD_PRELOAD=" + kBin + "/libkneepoint-pmpi.so");
  environment.push_back("KNEEPOINT_PROFILE=" + folder);
  return environment;
}

double number_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word + " ");
  return at == std::string::npos ? NAN : std::atof(text.c_str() + at + word.size() + 1);
}

double call_cost(bool profiled, const std::string& folder) {
  double best = INFINITY;
  for (int i = 0; i < 5; ++i) {
    const ChildEnd end =
        run_child({kPrograms + "/kp-test-call_cost"},
                  profiled ? with_profile(mpi_environment(), folder) : mpi_environment());
    EXPECT_EQ(end.exit_code, 0) << end.output;
    best = std::min(best, number_after(end.output, "call"));
  }
  return best;
}

// T of conjugate_gradient: the sum of its timed iterations.
double cg_seconds(const std::string& records, std::vector<std::string> environment) {
  std::filesystem::remove(records);
  environment.push_back("KNEEPOINT_RECORDS=" + records);
  const ChildEnd end =
      run_child({"/usr/bin/env", "mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2",
                 kBin + "/kp-conjugate_gradient", "--size", "64", "--iterations", "6"},
                environment);
  EXPECT_EQ(end.exit_code, 0) << end.output;
  std::ifstream file(records);
  std::string text = to_line(0, record::Begin{"r1-a1", 1});
  int seq = 1;
  for (std::string line; std::getline(file, line);) {
    if (const auto stamped = record::stamp_line(seq, line)) {
      text += *stamped;
      ++seq;
    }
  }
  double sum = 0;
  for (const record::Sample& sample : record::parse(text).samples) {
    if (!sample.warmup) sum += static_cast<double>(sample.max_ns) * 1e-9;
  }
  return sum;
}

std::int64_t profiled_calls(const std::string& folder) {
  std::ifstream file(folder + "/ranks.txt");
  std::int64_t sum = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string call, name, kind;
    std::int64_t calls = 0;
    if (words >> call >> name >> kind >> calls && call == "call") sum += calls;
  }
  return sum;
}

TEST(PmpiBench, ACallCostsUnder100NanosecondsAndCgUnderOnePercent) {
  const std::string folder = fresh_folder("pmpi");
  const double without = call_cost(false, folder + "/p");
  const double with = call_cost(true, folder + "/p");
  const double cost = with - without;
  std::printf("a call: %.1f ns without, %.1f ns with, %.1f ns more\n", without, with, cost);
  EXPECT_LT(cost, 100);

  std::vector<double> ratios;
  double seconds = INFINITY;
  for (int pair = 0; pair < kPairs; ++pair) {
    double t[2] = {};
    for (const int which : {pair % 2, 1 - pair % 2}) {
      t[which] = cg_seconds(
          folder + "/r.ndjson",
          which == 1 ? with_profile(mpi_environment(), folder + "/cg") : mpi_environment());
    }
    ASSERT_GT(t[0], 0);
    ratios.push_back(std::log(t[1] / t[0]));
    seconds = std::min(seconds, t[0]);
  }
  const std::int64_t calls = profiled_calls(folder + "/cg") / 2;  // of a rank
  ASSERT_GT(calls, 0);
  const double share = static_cast<double>(calls) * cost * 1e-9 / seconds;
  std::printf("conjugate_gradient, 2 ranks: %lld calls a rank, %.3f s, calls x cost %.4f%% of T\n",
              static_cast<long long>(calls), seconds, share * 100);
  EXPECT_LT(share, 0.01);

  // Mean of the logarithms with Student's t at 19 degrees of freedom, 95%.
  double mean = 0, square = 0;
  for (const double r : ratios) mean += r / kPairs;
  for (const double r : ratios) square += (r - mean) * (r - mean) / (kPairs - 1);
  const double half = 2.093 * std::sqrt(square / kPairs);
  std::printf("ratio with/without over %d pairs: %.4f [%.4f, %.4f]\n", kPairs, std::exp(mean),
              std::exp(mean - half), std::exp(mean + half));
  EXPECT_LE(std::exp(mean - half), 1.01);
}

TEST(PmpiBench, APairOfProbeCallsCostsUnder100Nanoseconds) {
  const std::string folder = fresh_folder("probe");
  for (const bool agent : {false, true}) {
    double iteration = INFINITY, region = INFINITY;
    for (int i = 0; i < 3; ++i) {
      const ChildEnd end =
          run_child({kPrograms + "/kp-test-probe_cost"},
                    {"KNEEPOINT_PROBE=" + (agent ? folder + "/probe" : std::string())});
      ASSERT_EQ(end.exit_code, 0) << end.output;
      ASSERT_EQ(number_after(end.output, "enabled"), agent ? 1 : 0);
      iteration = std::min(iteration, number_after(end.output, "iteration"));
      region = std::min(region, number_after(end.output, "region"));
    }
    std::printf("%s agent: iteration %.1f ns, region %.1f ns a pair\n", agent ? "with" : "without",
                iteration, region);
    EXPECT_LT(iteration, 100);
    EXPECT_LT(region, 100);
  }
}

}  // namespace
}  // namespace kneepoint::bench

// SPDX-License-Identifier: Apache-2.0
//
// Programs that know nothing of us, under the agent with `profile: mpi`.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

#include "tests/fakes/present.h"
#include "tests/integration/profile/agent_run.h"

namespace kneepoint::profile {
namespace {

const std::string kPrograms = KP_PROFILE_PROGRAMS;

std::int64_t calls(const record::Records& records, const std::string& name) {
  const record::Operation* one = operation(records, name);
  return one != nullptr ? one->calls : 0;
}

std::int64_t bytes(const record::Records& records, const std::string& name) {
  const record::Operation* one = operation(records, name);
  return one != nullptr ? one->bytes : -1;
}

struct OwnTimes {
  double inside = 0, elapsed = 0, around = 0, waited = 0;
};

// Of each rank, as own_timers.h prints them.
std::map<int, OwnTimes> own_times(const std::string& output) {
  std::map<int, OwnTimes> all;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    int rank = 0;
    OwnTimes own;
    if (std::sscanf(line.c_str(), "times %d %lf elapsed %lf around %lf waited %lf", &rank,
                    &own.inside, &own.elapsed, &own.around, &own.waited) == 5) {
      all[rank] = own;
    }
  }
  return all;
}

struct Case {
  const char* program;
  int ranks;
};

class Shares : public testing::TestWithParam<Case> {};

// A rank may lose its CPU between the clocks of both. So the profile's window is held between the
// two that the program measured inside and around it, and time in calls against what the program
// saw of them.
TEST_P(Shares, AgreeWithTheProgramsOwnTimers) {
  const AgentRun run =
      run_agent({kPrograms + "/" + GetParam().program}, {.ranks = GetParam().ranks});
  const auto ranks = static_cast<std::size_t>(GetParam().ranks);
  ASSERT_EQ(run.problem, "");
  ASSERT_TRUE(run.records.end) << run.errors;
  ASSERT_EQ(end_of(run.records).outcome, "succeeded") << end_of(run.records).detail << run.errors;
  EXPECT_EQ(fact(run.records, "profile"), "mpi");
  const auto own = own_times(run.output);
  ASSERT_EQ(own.size(), ranks) << run.output;
  ASSERT_EQ(run.records.profile.size(), ranks);
  ASSERT_EQ(run.records.ranks.size(), ranks);
  constexpr double kSecond = 1e-9, kClocks = 0.001;  // two clocks' rates agree to that
  for (const record::RankProfile& rank : run.records.profile) {
    ASSERT_TRUE(own.contains(rank.rank));
    EXPECT_TRUE(rank.complete);
    const OwnTimes& seen = own.at(rank.rank);
    const double window = kSecond * static_cast<double>(rank.window_ns);
    EXPECT_GE(window, seen.elapsed * (1 - kClocks));
    EXPECT_LE(window, seen.around * (1 + kClocks));
    const double inside = kSecond * static_cast<double>(rank.communication_ns());
    EXPECT_LE(inside, seen.inside * (1 + kClocks));
    EXPECT_GE(inside, seen.inside - 0.02 * seen.elapsed - seen.waited);
  }
  // The same, as the report will have it.
  for (const record::RankTotal& rank : run.records.ranks) {
    const record::RankProfile& profile = run.records.profile.at(rank.rank);
    EXPECT_EQ(rank.communication_ns, profile.communication_ns());
    EXPECT_LE(rank.communication_ns + rank.compute_ns, profile.window_ns);
    EXPECT_GT(rank.compute_ns, 0);
    EXPECT_FALSE(rank.host.empty());
    EXPECT_FALSE(rank.cpus.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Profile, Shares,
    testing::Values(Case{"kp-test-halo", 1}, Case{"kp-test-halo", 2}, Case{"kp-test-halo", 4},
                    Case{"kp-test-reduce_loop", 1}, Case{"kp-test-reduce_loop", 2},
                    Case{"kp-test-reduce_loop", 4}, Case{"kp-test-imbalanced", 1},
                    Case{"kp-test-imbalanced", 2}, Case{"kp-test-imbalanced", 4}),
    [](const auto& one) {
      std::string name = one.param.program + std::string("_") + std::to_string(one.param.ranks);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

AgentRun ends(const std::string& way, int ranks = 2) {
  return run_agent({kPrograms + "/kp-test-many_ends", way}, {.ranks = ranks});
}

TEST(Profile, CountsCallsAndBytesOnceEach) {
  const AgentRun run = ends("each");
  ASSERT_EQ(run.problem, "");
  ASSERT_EQ(end_of(run.records).outcome, "succeeded") << end_of(run.records).detail << run.errors;
  const record::Records& r = run.records;
  EXPECT_EQ(calls(r, "MPI_Allreduce"), 2 * 3);
  EXPECT_EQ(bytes(r, "MPI_Allreduce"), 2 * 3 * 8);
  EXPECT_EQ(bytes(r, "MPI_Bcast"), 4);
  EXPECT_EQ(bytes(r, "MPI_Iallreduce"), 2 * 4);
  EXPECT_EQ(bytes(r, "MPI_Allgather"), 2 * 4);
  EXPECT_EQ(calls(r, "MPI_Send"), 2);
  EXPECT_EQ(bytes(r, "MPI_Send"), 0);
  EXPECT_EQ(calls(r, "MPI_Start"), 2);
  EXPECT_EQ(calls(r, "MPI_Wait"), 2 * 2);
  EXPECT_EQ(bytes(r, "MPI_Put"), 2 * 4);
  EXPECT_EQ(calls(r, "MPI_Win_fence"), 2 * 2);
  EXPECT_EQ(calls(r, "MPI_Comm_split"), 2);
  EXPECT_EQ(calls(r, "MPI_Comm_dup"), 0) << "our own communicator is not the program's";
  ASSERT_NE(operation(r, "MPI_Win_fence"), nullptr);
  EXPECT_EQ(operation(r, "MPI_Win_fence")->kind, "one_sided");
}

TEST(Profile, MpiIoIsNeitherComputingNorCommunication) {
  const std::string file = testing::TempDir() + "kp-profile-io-" + std::to_string(getpid());
  const AgentRun run = run_agent({kPrograms + "/kp-test-many_ends", "file", file}, {.ranks = 2});
  std::remove(file.c_str());
  ASSERT_EQ(end_of(run.records).outcome, "succeeded") << end_of(run.records).detail << run.errors;
  EXPECT_EQ(calls(run.records, "MPI_File_write_at_all"), 2);
  EXPECT_EQ(bytes(run.records, "MPI_File_write_at_all"), 2 * 8);
  EXPECT_EQ(operation(run.records, "MPI_File_open")->kind, "other");
  EXPECT_EQ(calls(run.records, "MPI_Allreduce"), 2 * 3) << "MPI-IO's own calls are not counted";
  for (const record::RankProfile& rank : run.records.profile) EXPECT_GT(rank.other_ns, 0);
}

TEST(Profile, ThreadsAreCountedAndTheSplitIsOfTheFirst) {
  const AgentRun run = ends("threads");
  ASSERT_EQ(end_of(run.records).outcome, "succeeded") << end_of(run.records).detail << run.errors;
  EXPECT_EQ(calls(run.records, "MPI_Sendrecv"), 2 * 4 * 10);
  EXPECT_EQ(bytes(run.records, "MPI_Sendrecv"), 2 * 4 * 10);
  for (const record::RankProfile& rank : run.records.profile) {
    EXPECT_GE(rank.threads, 2);  // blocks are used again by later threads
    EXPECT_LE(rank.threads, 5);
    EXPECT_GT(rank.other_threads_ns, 0);
    EXPECT_EQ(rank.point_to_point_ns, 0);
    EXPECT_GT(rank.collective_ns, 0);
  }
}

TEST(Profile, BytesOfPersistentRequestsCountEachTimeTheyAreStarted) {
  const AgentRun run = ends("persistent");
  ASSERT_EQ(end_of(run.records).outcome, "succeeded") << end_of(run.records).detail << run.errors;
  EXPECT_EQ(calls(run.records, "MPI_Startall"), 2 * 3);
  EXPECT_EQ(bytes(run.records, "MPI_Startall"), 2 * (3 * 40 + 8));
  EXPECT_EQ(calls(run.records, "MPI_Start"), 2 * 400);
  EXPECT_EQ(bytes(run.records, "MPI_Start"), 2 * 100 * 4);
}

TEST(Profile, PcontrolChoosesTheWindow) {
  const AgentRun run = ends("window");
  ASSERT_EQ(end_of(run.records).outcome, "succeeded") << end_of(run.records).detail << run.errors;
  EXPECT_EQ(calls(run.records, "MPI_Allreduce"), 2 * 2);
}

TEST(Profile, AbortLeavesWhatWasGathered) {
  const AgentRun run = ends("abort");
  ASSERT_TRUE(run.records.end);
  EXPECT_EQ(end_of(run.records).outcome, "failed");
  ASSERT_FALSE(run.records.profile.empty()) << run.errors;
  EXPECT_EQ(run.records.profile[0].rank, 0);
  EXPECT_FALSE(run.records.profile[0].complete);
  EXPECT_GE(calls(run.records, "MPI_Allreduce"), 3);
  EXPECT_NE(fact(run.records, "profile").find("ended before MPI_Finalize"), std::string::npos)
      << fact(run.records, "profile");
}

TEST(Profile, ExitWithoutFinalizeLeavesASummary) {
  const AgentRun run = ends("exit", 1);
  ASSERT_EQ(run.records.profile.size(), 1U) << run.errors;
  EXPECT_FALSE(run.records.profile[0].complete);
  EXPECT_EQ(calls(run.records, "MPI_Allreduce"), 3);
}

TEST(Profile, SigtermAndACrashLeaveASummary) {
  for (const char* way : {"terminate", "crash"}) {
    const AgentRun run = ends(way, 1);
    ASSERT_TRUE(run.records.end);
    EXPECT_EQ(end_of(run.records).outcome, "failed");
    EXPECT_EQ(end_of(run.records).reason, "killed_by_signal") << way;
    ASSERT_EQ(run.records.profile.size(), 1U) << way << run.errors;
    EXPECT_EQ(calls(run.records, "MPI_Allreduce"), 3) << way;
  }
}

TEST(Profile, AForkedChildDoesNotReport) {
  const AgentRun run = ends("fork", 1);
  ASSERT_EQ(run.records.profile.size(), 1U) << run.errors;
  EXPECT_TRUE(run.records.profile[0].complete);
}

TEST(Profile, FortranIsCountedOnce) {
  for (const char* program : {"kp-test-old_fortran", "kp-test-new_fortran"}) {
#ifndef KP_HAS_FORTRAN
    GTEST_SKIP() << "no Fortran compiler that fits MPI's modules";
#endif
    const std::string file = testing::TempDir() + "kp-profile-view-" + std::to_string(getpid());
    const AgentRun run = run_agent({kPrograms + "/" + program, file}, {.ranks = 2});
    ASSERT_TRUE(run.records.end) << run.errors;
    ASSERT_EQ(end_of(run.records).outcome, "succeeded")
        << program << end_of(run.records).detail << run.errors;
    const record::Records& r = run.records;
    EXPECT_EQ(calls(r, "MPI_Allreduce"), 2 * 6) << program;
    EXPECT_EQ(bytes(r, "MPI_Allreduce"), 2 * (5 * 8 + 16)) << program;
    EXPECT_EQ(calls(r, "MPI_Isend"), 2) << program;
    EXPECT_EQ(bytes(r, "MPI_Isend"), 2 * 8) << program;
    EXPECT_EQ(calls(r, "MPI_Start"), 2) << program;
    EXPECT_EQ(bytes(r, "MPI_Start"), 2 * 16) << program;
    EXPECT_EQ(calls(r, "MPI_Recv"), 4) << program;
    EXPECT_EQ(calls(r, "MPI_Wait"), 4) << program;
    EXPECT_EQ(calls(r, "MPI_File_open"), 2) << program;  // with texts, whose lengths come last
    EXPECT_EQ(calls(r, "MPI_File_set_view"), 2) << program;
    EXPECT_EQ(r.profile.size(), 2U) << program;
  }
}

TEST(Profile, WithoutItNothingIsLoaded) {
  const AgentRun run =
      run_agent({kPrograms + "/kp-test-many_ends", "finalize"}, {.ranks = 1, .profile = "none"});
  ASSERT_TRUE(run.records.end);
  EXPECT_TRUE(run.records.profile.empty());
  EXPECT_TRUE(run.records.operations.empty());
  EXPECT_EQ(end_of(run.records).reason, "no_time");
}

TEST(Profile, AProgramWithoutMpiIsToldApart) {
  const AgentRun run = run_agent({"true"}, {.ranks = 1});
  ASSERT_TRUE(run.records.end);
  EXPECT_EQ(end_of(run.records).reason, "no_time");
  EXPECT_NE(end_of(run.records).detail.find("no rank reported"), std::string::npos)
      << end_of(run.records).detail;
}

}  // namespace
}  // namespace kneepoint::profile

// SPDX-License-Identifier: Apache-2.0
#include "agents/agent/supervise/profile.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/temporary_folder.h"

namespace kneepoint::agent {
namespace {

std::string profile_text(int rank, int complete = 1) {
  return "kneepoint-profile 1\nrank " + std::to_string(rank) +
         " 2\nhost n1\ncpus 0-1\nwindow 1000\ncomplete " + std::to_string(complete) +
         "\nthreads 1\nother_threads 0\nin collective 200\nin point_to_point 50\nin wait 100\n"
         "in one_sided 0\nin other 25\ncall MPI_Allreduce collective 3 24 200\n"
         "call MPI_Isend point_to_point 2 16 50\ncall MPI_Waitall wait 2 0 100\n"
         "call MPI_File_open other 1 0 25\nend\n";
}

StepSpec step_with(const std::string& profile, const std::string& time_from) {
  StepSpec step;
  step.ranks = 2;
  step.profile = profile;
  step.run_dir = "/runs/r1-a1";
  if (!time_from.empty()) step.metrics.push_back({"time", "", "s", time_from});
  return step;
}

TEST(RankReport, IsReadAsItWasWritten) {
  Reports reports;
  read_reports(profile_text(0) + profile_text(1), reports);
  EXPECT_EQ(reports.unreadable, 0);
  ASSERT_EQ(reports.profiles.size(), 2U);
  const RankProfileReport& one = reports.profiles.at(1);
  EXPECT_EQ(one.ranks, 2);
  EXPECT_EQ(one.host, "n1");
  EXPECT_EQ(one.cpus, "0-1");
  EXPECT_EQ(one.times.window_ns, 1000);
  EXPECT_EQ(one.times.communication_ns(), 350);
  EXPECT_EQ(one.times.other_ns, 25);
  ASSERT_EQ(one.calls.size(), 4U);
  EXPECT_EQ(one.calls[0].name, "MPI_Allreduce");
  EXPECT_EQ(one.calls[0].bytes, 24);
}

TEST(RankReport, CutAtAnyByteIsNoReportOrTheWholeOne) {
  const std::string text = profile_text(0);
  for (std::size_t n = 0; n < text.size(); ++n) {
    Reports reports;
    read_reports(std::string_view(text).substr(0, n), reports);
    EXPECT_TRUE(reports.profiles.empty()) << n;
  }
}

TEST(RankReport, WhatDoesNotReadIsLeftOutAndCounted) {
  for (const char* bad : {"call rm_rf collective 1 2 3", "call MPI_Send wild 1 2 3",
                          "call MPI_Send wait -1 2 3", "window 99999999999999999999", "wild 1"}) {
    Reports reports;
    read_reports("kneepoint-profile 1\n" + std::string(bad) + "\nend\n" + profile_text(1), reports);
    EXPECT_EQ(reports.unreadable, 1) << bad;
    EXPECT_EQ(reports.profiles.size(), 1U) << bad;
  }
}

TEST(RankReport, OfAllRanksComesBeforeThatOfOne) {
  const TemporaryFolder folder;
  std::string later = profile_text(0, 0);
  folder.append("rank-0.txt", later);
  folder.append("ranks.txt", profile_text(0) + profile_text(1));
  folder.append("rank-1.new", "half");
  const Reports reports = collect_reports(folder.path(), folder / "missing");
  ASSERT_EQ(reports.profiles.size(), 2U);
  EXPECT_TRUE(reports.profiles.at(0).times.complete);
}

TEST(Derive, TotalsOfRanksAndOperationsOverRanks) {
  Reports reports;
  read_reports(profile_text(0) + profile_text(1), reports);
  const Derived out = derive(step_with("mpi", "mpi"), reports, {}, true);
  ASSERT_EQ(out.ranks.size(), 2U);
  EXPECT_EQ(out.ranks[0].communication_ns, 350);
  EXPECT_EQ(out.ranks[0].compute_ns, 625) << "MPI-IO is neither";
  EXPECT_EQ(out.ranks[0].host, "n1");
  ASSERT_EQ(out.operations.size(), 4U);
  EXPECT_EQ(out.operations[0].name, "MPI_Allreduce") << "by time";
  EXPECT_EQ(out.operations[0].calls, 6);
  EXPECT_EQ(out.operations[0].time_ns, 400);
  EXPECT_EQ(out.operations[0].max_ns, 200);
  ASSERT_EQ(out.metrics.size(), 1U);
  EXPECT_EQ(out.metrics[0].name, "time");
  EXPECT_DOUBLE_EQ(out.metrics[0].value, 1e-6);
  EXPECT_EQ(out.state, "mpi");
  EXPECT_EQ(out.problem, "");
}

TEST(Derive, WhatTheWorkloadReportsGoesFirst) {
  Reports reports;
  read_reports(profile_text(0) + profile_text(1), reports);
  record::Records known;
  known.ranks.push_back({0, "n1", "0", 5, 5, 1});
  EXPECT_TRUE(derive(step_with("mpi", ""), reports, known, true).ranks.empty());
}

TEST(Derive, AnUnfinishedProgramHasNoTime) {
  Reports reports;
  read_reports(profile_text(0, 0), reports);
  const Derived out = derive(step_with("mpi", "mpi"), reports, {}, true);
  EXPECT_TRUE(out.metrics.empty());
  EXPECT_EQ(out.state, "mpi, 1 of 2 ranks, ended before MPI_Finalize");
  EXPECT_NE(out.problem.find("ended before MPI_Finalize"), std::string::npos);
}

TEST(Derive, SaysWhyThereIsNoProfile) {
  EXPECT_EQ(derive(step_with("mpi", ""), {}, {}, false).state,
            "none: libkneepoint-pmpi.so is not installed with the agent");
  EXPECT_TRUE(derive(step_with("mpi", ""), {}, {}, true).state.starts_with("none: no rank"));
  EXPECT_EQ(derive(step_with("none", ""), {}, {}, false).state, "");
}

TEST(Derive, IterationsOfAllRanksBecomeSamples) {
  Reports reports;
  read_reports(
      "kneepoint-probe 1\nrank 0\niterations 3\ni 100 40\ni 200 50\ni 300 60\n"
      "region solve 2 500000000\nmetric cells 64 -\nend\n"
      "kneepoint-probe 1\nrank 1\niterations 2\ni 110 10\ni 190 20\n"
      "region solve 2 1500000000\nmetric cells 65 -\nmetric time 3 s\nend\n",
      reports);
  EXPECT_EQ(reports.unreadable, 0);
  const Derived out = derive(step_with("mpi", "probe"), reports, {}, true);
  ASSERT_EQ(out.samples.size(), 2U) << "only those that every rank marked";
  EXPECT_EQ(out.samples[0].iteration, 1);
  EXPECT_EQ(out.samples[0].max_ns, 110);
  EXPECT_EQ(out.samples[0].min_ns, 100);
  EXPECT_EQ(out.samples[0].mean_ns, 105);
  EXPECT_EQ(out.samples[0].communication_ns, 25);
  EXPECT_EQ(out.samples[0].compute_ns, 80);
  ASSERT_EQ(out.metrics.size(), 3U);
  EXPECT_EQ(out.metrics[0].name, "cells");
  EXPECT_DOUBLE_EQ(out.metrics[0].value, 64) << "of the lowest rank";
  EXPECT_EQ(out.metrics[1].name, "region.solve");
  EXPECT_DOUBLE_EQ(out.metrics[1].value, 1.0);
  EXPECT_EQ(out.metrics[2].name, "region.solve.max");
  EXPECT_DOUBLE_EQ(out.metrics[2].value, 1.5);
  EXPECT_EQ(out.problem, "");
}

TEST(Derive, WithoutAProfileNobodyKnowsTheSplit) {
  Reports reports;
  read_reports("kneepoint-probe 1\nrank 0\niterations 1\ni 100 -1\nend\n", reports);
  const Derived out = derive(step_with("none", "probe"), reports, {}, false);
  ASSERT_EQ(out.samples.size(), 1U);
  EXPECT_EQ(out.samples[0].other_ns, 100);
  EXPECT_EQ(out.samples[0].compute_ns, 0);
}

TEST(Derive, TotalsAreOfTheMarkedIterationsWhereThereAreAny) {
  Reports reports;
  read_reports(
      profile_text(0) + "kneepoint-probe 1\nrank 0\niterations 2\ni 100 40\ni 100 60\nend\n",
      reports);
  const Derived out = derive(step_with("mpi", "probe"), reports, {}, true);
  ASSERT_EQ(out.ranks.size(), 1U);
  EXPECT_EQ(out.ranks[0].communication_ns, 100);
  EXPECT_EQ(out.ranks[0].compute_ns, 100);
}

TEST(ProfileEnvironment, PreloadsBeforeWhatIsPreloadedAlready) {
  Environment additions = {{"LD_PRELOAD", "/x/other.so"}};
  add_profile_variables(step_with("mpi", ""), "/b/libkneepoint-pmpi.so", additions);
  const Environment expected = {{"KNEEPOINT_PROBE", "/runs/r1-a1/probe"},
                                {"KNEEPOINT_PROFILE", "/runs/r1-a1/profile"},
                                {"LD_PRELOAD", "/b/libkneepoint-pmpi.so:/x/other.so"}};
  EXPECT_EQ(additions, expected);
}

TEST(ProfileEnvironment, MpirunIsToldWhatToHandOnToOtherNodes) {
  StepSpec step = step_with("mpi", "");
  step.argv = {"/usr/bin/mpirun", "-n", "2", "app"};
  EXPECT_EQ(with_passed_variables(step, true), step.argv) << "one node inherits";
  step.nodes = 2;
  const std::vector<std::string> expected = {"/usr/bin/mpirun",
                                             "-x",
                                             "KNEEPOINT_PROBE",
                                             "-x",
                                             "KNEEPOINT_PROFILE",
                                             "-x",
                                             "LD_PRELOAD",
                                             "-n",
                                             "2",
                                             "app"};
  EXPECT_EQ(with_passed_variables(step, true), expected);
  step.nodes = 0;
  step.argv = {"mpirun", "--host", "a:1,b:1", "app"};
  EXPECT_EQ(
      with_passed_variables(step, false),
      (std::vector<std::string>{"mpirun", "-x", "KNEEPOINT_PROBE", "--host", "a:1,b:1", "app"}));
  step.nodes = 2;
  step.argv = {"srun", "app"};
  EXPECT_EQ(with_passed_variables(step, true), step.argv);
}

}  // namespace
}  // namespace kneepoint::agent

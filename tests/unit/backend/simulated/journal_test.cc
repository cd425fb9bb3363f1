// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/backend/simulated/cluster.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kneepoint::simulated {
namespace {

SimulatedJob job_of(const std::string& name, double seconds) {
  SimulatedJob job;
  job.name = name;
  job.nodes = 2;
  job.wait = 3 * kSecond;
  job.limit = kHour;
  SimulatedStep step;
  step.attempt = name + "-a1";
  step.seconds = seconds;
  step.lasts = from_seconds(seconds);
  step.nodes = 2;
  step.ranks = 8;
  step.ranks_per_node = 4;
  step.threads_per_rank = 2;
  job.steps = {step};
  return job;
}

TEST(SimulatedJournal, ASubmissionIsOneLineWithAllThatWillBecomeOfIt) {
  EXPECT_EQ(header_line(4), "{\"v\":1,\"nodes\":4}\n");
  EXPECT_EQ(submit_line(job_of("kp-1", 0.1)),
            "{\"s\":\"kp-1\",\"n\":2,\"w\":3000000000,\"l\":3600000000000,"
            "\"steps\":[[\"kp-1-a1\",0.1,\"ok\",100000000,2,8,4,2]]}\n");
  EXPECT_EQ(clock_line(17), "{\"t\":17}\n");
  EXPECT_EQ(cancel_line("kp-1"), "{\"x\":\"kp-1\"}\n");
}

TEST(SimulatedJournal, ReplaysToTheSameCluster) {
  Cluster cluster(4);
  std::string text = header_line(4);
  for (int i = 0; i < 5; ++i) {
    const auto job = job_of("kp-" + std::to_string(i), 1.0 / 3 + i);
    text += submit_line(job);
    cluster.submit(job);
    if (cluster.advance()) text += clock_line(cluster.now());
  }
  cluster.cancel("kp-4");
  text += cancel_line("kp-4");
  const auto replayed = replay(text, 99, "j");
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(replayed->cluster.nodes(), 4) << "the size it was made with";
  EXPECT_EQ(replayed->cluster.now(), cluster.now());
  for (int i = 0; i < 5; ++i) {
    const auto* was = cluster.find("kp-" + std::to_string(i));
    const auto* is = replayed->cluster.find("kp-" + std::to_string(i));
    ASSERT_NE(is, nullptr);
    EXPECT_EQ(is->state, was->state);
    EXPECT_EQ(is->submitted, was->submitted);
    EXPECT_EQ(is->started, was->started);
    EXPECT_EQ(is->ended, was->ended);
    EXPECT_EQ(is->reason, was->reason);
    EXPECT_EQ(is->steps[0].seconds, was->steps[0].seconds) << "to the last bit";
  }
}

TEST(SimulatedJournal, ALastLineCutShortAnywhereIsDropped) {
  const std::string whole = header_line(4) + submit_line(job_of("kp-1", 1));
  const std::string next = submit_line(job_of("kp-2", 1));
  for (std::size_t cut = 0; cut < next.size(); ++cut) {
    const auto replayed = replay(whole + next.substr(0, cut), 4, "j");
    ASSERT_TRUE(replayed) << cut;
    EXPECT_EQ(replayed->good_bytes, whole.size());
    EXPECT_NE(replayed->cluster.find("kp-1"), nullptr);
    EXPECT_EQ(replayed->cluster.find("kp-2"), nullptr);
  }
}

TEST(SimulatedJournal, DamageInTheMiddleIsNamedByItsLine) {
  for (const std::string& damage :
       {std::string("{\"s\":\"kp\n"), std::string("\n"), std::string("{\"q\":1}\n"),
        std::string("[]\n"), submit_line(job_of("kp-1", 1))}) {
    const auto replayed =
        replay(header_line(4) + submit_line(job_of("kp-1", 1)) + damage + clock_line(5), 4, "x/j");
    ASSERT_FALSE(replayed) << damage;
    EXPECT_EQ(replayed.error().code, ErrorCode::corrupt);
    EXPECT_EQ(replayed.error().message.find("x/j:3: "), 0u) << replayed.error().message;
    EXPECT_NE(replayed.error().message.find("`run --new`"), std::string::npos);
  }
  EXPECT_FALSE(replay("{\"v\":2,\"nodes\":4}\n", 4, "j"));
}

TEST(SimulatedJournal, OpeningCutsTheTornLineAndGoesOnAfterIt) {
  std::string folder = testing::TempDir() + "kp_journal_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/deep/simulated.journal";
  {
    auto opened = open_journal(path, 4);
    ASSERT_TRUE(opened) << opened.error().message;
    ASSERT_TRUE(opened->journal.append(submit_line(job_of("kp-1", 1))));
  }
  std::ofstream(path, std::ios::app) << "{\"s\":\"kp-2\",\"n\":";
  {
    auto opened = open_journal(path, 4);
    ASSERT_TRUE(opened) << opened.error().message;
    ASSERT_TRUE(opened->journal.append(submit_line(job_of("kp-3", 1))));
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(),
            header_line(4) + submit_line(job_of("kp-1", 1)) + submit_line(job_of("kp-3", 1)));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kneepoint::simulated

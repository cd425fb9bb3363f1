// SPDX-License-Identifier: Apache-2.0
//
// The forms that Slurm from 21.08 to 25.x is taken to have for the same facts, through the same
// parsers. Only those of 22.05.8 are recordings; the READMEs beside the files say so of each.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "orchestrator/backend/slurm/rest_text.h"
#include "orchestrator/backend/slurm/text.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kThen = 1'794'853'819 * kSecond;

std::string golden(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(KP_SOURCE_DIR "/tests/golden/" + name).rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

std::map<std::string, SlurmJob> by_name(const std::vector<SlurmJob>& jobs) {
  std::map<std::string, SlurmJob> named;
  for (const SlurmJob& job : jobs) named[job.name] = job;
  return named;
}

TEST(SlurmVersions, SqueueIsReadAlike) {
  for (const std::string version : {"22.05.8", "25.05"}) {
    SCOPED_TRACE(version);
    auto jobs = by_name(parse_squeue(golden("slurm_text/" + version + "-squeue.txt")));
    EXPECT_EQ(jobs.at("kp-ok").state.word, "COMPLETED");
    EXPECT_EQ(jobs.at("kp-ok").ended, kThen + kSecond);
    EXPECT_EQ(jobs.at("kp-ok").reason, "");
    EXPECT_EQ(jobs.at("kp-bad").state.word, "FAILED");
    EXPECT_EQ(jobs.at("kp-run").state.word, "RUNNING");
    EXPECT_EQ(jobs.at("kp-run").nodes, "n[1-2]");
    EXPECT_EQ(jobs.at("kp-held").state.word, "PENDING");
    EXPECT_EQ(jobs.at("kp-held").reason, "JobHeldUser");
    EXPECT_EQ(jobs.at("kp-held").nodes, "");
    EXPECT_EQ(jobs.at("kp-held").started, 0);
  }
  auto newer = by_name(parse_squeue(golden("slurm_text/25.05-squeue.txt")));
  EXPECT_EQ(newer.at("kp-oom").state.word, "OUT_OF_MEMORY");
  EXPECT_EQ(newer.at("kp-cleaning").state.word, "COMPLETED");
  EXPECT_TRUE(newer.at("kp-cleaning").completing);
}

TEST(SlurmVersions, SacctIsReadAlike) {
  for (const std::string version : {"22.05.8", "25.05"}) {
    SCOPED_TRACE(version);
    auto jobs = by_name(parse_sacct(golden("slurm_text/" + version + "-sacct.txt")));
    EXPECT_EQ(jobs.at("kp-ok").state.word, "COMPLETED");
    EXPECT_EQ(jobs.at("kp-gone").state.word, "CANCELLED");
    EXPECT_NE(jobs.at("kp-gone").ended_by, "");
  }
  auto recorded = by_name(parse_sacct(golden("slurm_text/22.05.8-sacct.txt")));
  EXPECT_EQ(recorded.at("kp-bad").exit_code, 7);
  EXPECT_EQ(recorded.at("kp-sig").signal, 9);
  EXPECT_EQ(recorded.at("kp-run").ended, 0);
  auto newer = by_name(parse_sacct(golden("slurm_text/25.05-sacct.txt")));
  EXPECT_EQ(newer.at("kp-oom").signal, 125);
  EXPECT_EQ(newer.at("kp-node").reason, "NodeDown");
  EXPECT_EQ(newer.at("kp-never").started, 0);
  EXPECT_EQ(newer.at("kp-never").nodes, "");
}

TEST(SlurmVersions, ClustersAreReadAlike) {
  const SlurmCluster recorded = parse_cluster(golden("slurm_text/22.05.8-config.txt"),
                                              golden("slurm_text/22.05.8-sinfo.txt"), "");
  EXPECT_EQ(recorded.version, "22.05.8");
  EXPECT_TRUE(recorded.has_accounting);
  EXPECT_EQ(recorded.partition, "batch");
  EXPECT_EQ(recorded.nodes, 8);
  EXPECT_EQ(recorded.nodes_up, 8) << "planned and mixed nodes run things";
  EXPECT_EQ(recorded.most_nodes, 0);
  EXPECT_EQ(recorded.time_limit, 24 * kHour);
  const SlurmCluster newer = parse_cluster(golden("slurm_text/25.05-config.txt"),
                                           golden("slurm_text/25.05-sinfo.txt"), "");
  EXPECT_EQ(newer.version, "25.05.3");
  EXPECT_FALSE(newer.has_accounting);
  EXPECT_EQ(newer.nodes, 8);
  EXPECT_EQ(newer.nodes_up, 6) << "powered down nodes come when they are wanted";
  EXPECT_EQ(newer.gpus_per_node, 8);
  EXPECT_EQ(newer.most_nodes, 256);
  EXPECT_EQ(newer.time_limit, 7 * 24 * kHour);
  const SlurmCluster unlimited = parse_cluster("", golden("slurm_text/25.05-sinfo.txt"), "long");
  EXPECT_EQ(unlimited.time_limit, 0);
  EXPECT_EQ(unlimited.most_nodes, 0);
  EXPECT_FALSE(parse_cluster(golden("slurm_text/21.08-config.txt"), "", "").has_accounting);
}

class RestVersions : public testing::TestWithParam<int> {
 protected:
  static std::string file(const char* what) {
    return golden("slurm_rest/v0.0." + std::to_string(GetParam()) + "-" + what + ".json");
  }
};

TEST_P(RestVersions, JobsAreReadAlike) {
  const auto read = parse_rest_jobs(file("answers"), "root");
  ASSERT_TRUE(read);
  auto jobs = by_name(*read);
  ASSERT_EQ(jobs.size(), 4U);
  EXPECT_EQ(jobs["kp-run"].id, "6");
  EXPECT_EQ(jobs["kp-run"].state.word, "RUNNING");
  EXPECT_EQ(jobs["kp-run"].nodes, "n[1-2]");
  EXPECT_EQ(jobs["kp-run"].directory, "/tmp");
  EXPECT_EQ(jobs["kp-run"].submitted, kThen);
  EXPECT_EQ(jobs["kp-run"].started, kThen);
  EXPECT_EQ(jobs["kp-run"].ended, 0);
  EXPECT_EQ(jobs["kp-held"].state.word, "PENDING");
  EXPECT_EQ(jobs["kp-held"].reason, "JobHeldUser");
  EXPECT_EQ(jobs["kp-held"].started, 0);
  EXPECT_EQ(jobs["kp-bad"].state.word, "FAILED");
  EXPECT_TRUE(jobs["kp-bad"].completing);
  EXPECT_EQ(jobs["kp-bad"].exit_code, 7);
  EXPECT_EQ(jobs["kp-bad"].signal, 0);
  EXPECT_EQ(jobs["kp-bad"].ended, kThen + kSecond);
  EXPECT_FALSE(jobs["kp-sig"].completing);
  EXPECT_EQ(jobs["kp-sig"].exit_code, 0);
  EXPECT_EQ(jobs["kp-sig"].signal, 9);
}

TEST_P(RestVersions, HistoryIsReadAlike) {
  const auto read = parse_rest_history(file("history"));
  ASSERT_TRUE(read);
  auto jobs = by_name(*read);
  EXPECT_EQ(jobs["kp-bad"].state.word, "FAILED");
  EXPECT_EQ(jobs["kp-bad"].exit_code, 7);
  EXPECT_EQ(jobs["kp-gone"].state.word, "CANCELLED");
  EXPECT_EQ(jobs["kp-gone"].ended_by, "root");
  EXPECT_EQ(jobs["kp-gone"].ended, kThen + kSecond);
  EXPECT_EQ(jobs["kp-next"].state.word, "PENDING");
  EXPECT_EQ(jobs["kp-next"].nodes, "");
}

TEST_P(RestVersions, ClustersAreReadAlike) {
  const std::string body = file("answers");
  const auto partitions = parse_rest_partitions(body);
  const SlurmCluster cluster = rest_cluster(parse_rest_version(body), partitions, body, "batch");
  EXPECT_NE(cluster.version, "");
  EXPECT_EQ(cluster.partition, "batch");
  EXPECT_EQ(cluster.nodes, 8);
  EXPECT_EQ(cluster.most_nodes, 0);
  EXPECT_EQ(cluster.time_limit, 24 * kHour);
  EXPECT_EQ(cluster.nodes_up, 2) << "of the four that are listed";
  EXPECT_EQ(cluster.cores_per_node, 4);
  EXPECT_EQ(cluster.gpus_per_node, 4);
  // Which one is the default is told up to v0.0.38 only, whether it is up not by v0.0.39.
  EXPECT_EQ(rest_cluster("", partitions, body, "").partition, GetParam() < 39 ? "batch" : "");
  EXPECT_EQ(partitions.at(0).state, GetParam() == 39 ? "" : "UP");
  const SlurmCluster small = rest_cluster("", partitions, body, "small");
  EXPECT_EQ(small.nodes, 1);
  EXPECT_EQ(small.most_nodes, 1);
  EXPECT_EQ(small.time_limit, 10 * kMinute);
  EXPECT_EQ(parse_rest_down_nodes(body, "n[1-4]"), (std::vector<std::string>{"n3", "n4"}));
  SlurmSubmission job;
  SlurmSite site;
  site.partition = "batch";
  EXPECT_EQ(why_refused(job, site, partitions, {}), "");
  job.nodes = 9;
  EXPECT_NE(why_refused(job, site, partitions, {}).find("at most 8 nodes"), std::string::npos);
  job.nodes = 1;
  job.limit = 25 * kHour;
  EXPECT_NE(why_refused(job, site, partitions, {}).find("lower limits.timeout"), std::string::npos);
}

TEST_P(RestVersions, ErrorsAreReadAlike) {
  const RestErrors errors = parse_rest_errors(file("answers"));
  ASSERT_EQ(errors.words.size(), 1U);
  EXPECT_TRUE(errors.words[0].starts_with("Invalid partition name specified")) << errors.words[0];
}

INSTANTIATE_TEST_SUITE_P(Api, RestVersions, testing::Values(37, 39, 40, 41, 42, 43));

}  // namespace
}  // namespace kneepoint

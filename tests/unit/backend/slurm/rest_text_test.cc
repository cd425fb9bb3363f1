// SPDX-License-Identifier: Apache-2.0
//
// slurmrestd's words. The v0.0.38 answers in tests/golden/slurm_rest are recordings of Slurm
// 22.05.8; its README says what the others are.
#include "orchestrator/backend/slurm/rest_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace kneepoint {
namespace {

std::string recorded(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(KP_SOURCE_DIR "/tests/golden/slurm_rest/" + name).rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

SlurmSubmission job() {
  SlurmSubmission job;
  job.name = "kp-0a1b2c3d-1-1-a1";
  job.directory = "/w/s";
  job.script = "#!/bin/bash\nexec agent\n";
  job.output_path = "/w/s/out";
  job.nodes = 2;
  job.tasks = 8;
  job.tasks_per_node = 4;
  job.cpus_per_task = 2;
  job.limit = 61 * kSecond;
  return job;
}

TEST(SlurmRestText, TheNewestApiThatBothKnowIsTaken) {
  RestApi api = parse_rest_api(R"({"paths":{"\/slurm\/v0.0.37\/jobs":{},"\/slurm\/v0.0.38\/ping":{},
      "\/slurmdb\/v0.0.37\/jobs":{}}})");
  EXPECT_EQ(api.slurm, 38);
  EXPECT_EQ(api.slurmdb, 37);
  api = parse_rest_api(R"({"paths":{"/slurm/v0.0.40/jobs/":{},"/slurm/v0.0.99/jobs/":{}}})");
  EXPECT_EQ(api.slurm, 40) << "one from the future is left alone";
  EXPECT_EQ(api.slurmdb, 0);
  EXPECT_EQ(parse_rest_api(R"({"paths":{"/slurm/v0.0.35/jobs":{}}})").slurm, 0);
  EXPECT_EQ(parse_rest_api("").slurm, 0);
  EXPECT_EQ(parse_api_word("v0.0.39"), 39);
  for (const char* word : {"", "39", "v0.0.", "v0.0.39x", "v0.1.39"}) {
    EXPECT_EQ(parse_api_word(word), 0) << word;
  }
}

TEST(SlurmRestText, ASubmissionOfTheOlderApis) {
  SlurmSite site;
  site.partition = "batch";
  site.account = "perf";
  EXPECT_EQ(rest_submission(job(), site, 38),
            R"({"script":"#!/bin/bash\nexec agent\n","job":{"name":"kp-0a1b2c3d-1-1-a1",)"
            R"("current_working_directory":"/w/s","standard_output":"/w/s/out",)"
            R"("environment":{"PATH":"/usr/local/bin:/usr/bin:/bin"},"nodes":"2","tasks":8,)"
            R"("tasks_per_node":4,"cpus_per_task":2,"time_limit":2,"requeue":false,)"
            R"("exclusive":"exclusive","partition":"batch","account":"perf"}})");
}

TEST(SlurmRestText, ASubmissionOfTheNewerApis) {
  SlurmSite site;
  site.qos = "long";
  site.gpu_type = "a100";
  SlurmSubmission with = job();
  with.gpus_per_node = 4;
  with.exclude = {"n3", "n7"};
  EXPECT_EQ(rest_submission(with, site, 40),
            R"({"job":{"script":"#!/bin/bash\nexec agent\n","name":"kp-0a1b2c3d-1-1-a1",)"
            R"("current_working_directory":"/w/s","standard_output":"/w/s/out",)"
            R"("environment":["PATH=/usr/local/bin:/usr/bin:/bin"],"minimum_nodes":2,)"
            R"("maximum_nodes":2,"tasks":8,"tasks_per_node":4,"cpus_per_task":2,)"
            R"("tres_per_node":"gres/gpu:a100:4","time_limit":2,"requeue":false,)"
            R"("shared":["none"],"qos":"long","excluded_nodes":["n3","n7"]}})");
}

TEST(SlurmRestText, AnOvercommittedJobAsksForOneCpuANode) {
  SlurmSubmission many = job();
  many.overcommit = true;
  const std::string text = rest_submission(many, {}, 38);
  EXPECT_NE(text.find(R"("tasks":2,"tasks_per_node":1,"cpus_per_task":1)"), std::string::npos)
      << text;
}

TEST(SlurmRestText, WhatTheApiHasNoWordsForIsSaid) {
  SlurmSite site;
  EXPECT_TRUE(check_rest_site(site));
  site.options = {"--switches=1"};
  EXPECT_NE(check_rest_site(site).error().message.find("transport: commands"), std::string::npos);
  SlurmSubmission with = job();
  with.exclude = {"n3"};
  for (const int api : {38, 39}) {
    const bool said = rest_submission(with, {}, api).find("n3") != std::string::npos;
    EXPECT_EQ(said, rest_excludes_nodes(api)) << api;
  }
  EXPECT_TRUE(rest_excludes_nodes(39));
}

TEST(SlurmRestText, ErrorsAreReadWhateverTheStatus) {
  const RestErrors refused = parse_rest_errors(
      R"({"errors":[{"error_code":2000,"error":"Invalid partition name specified"}]})");
  ASSERT_EQ(refused.words.size(), 1U);
  EXPECT_EQ(refused.words[0], "Invalid partition name specified");
  const RestErrors unknown =
      parse_rest_errors(R"({"errors":[{"description":"Unknown key \"zork\"","source":"hsearch_r"},)"
                        R"({"error_code":9001,"error":"Failure during parsing"}]})");
  EXPECT_EQ(unknown.words[0], "Unknown key \"zork\"");
  const RestErrors token = parse_rest_errors(
      R"({"errors":[{"description":"Failed while looking for jobs","error_number":-1,)"
      R"("error":"Unspecified error","source":"slurm_load_jobs"}],"jobs":[]})");
  EXPECT_EQ(token.words.at(0), "Failed while looking for jobs");
  EXPECT_FALSE(parse_rest_errors("Authentication failure").is_json);
  EXPECT_TRUE(parse_rest_errors(R"({"errors":[]})").words.empty());
}

TEST(SlurmRestText, AJobIdIsThereOrNot) {
  EXPECT_EQ(parse_rest_job_id(R"({"errors":[{"error_code":2042}],"job_id":3,"step_id":"BATCH"})"),
            "3");
  EXPECT_EQ(parse_rest_job_id(R"({"result":{"job_id":17},"job_id":{"set":false,"number":0}})"),
            "17");
  for (const char* body :
       {"", "{}", R"({"job_id":0})", R"({"job_id":null})", "[1]", "{\"job_id\""}) {
    EXPECT_EQ(parse_rest_job_id(body), "") << body;
  }
}

TEST(SlurmRestText, RecordedJobsAreReadWithTheirStatesAndTimes) {
  const auto jobs = parse_rest_jobs(recorded("v0.0.38-jobs.json"), "root");
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 2U);
  const SlurmJob& running = jobs->at(0);
  EXPECT_EQ(running.id, "11");
  EXPECT_EQ(running.name, "kp-run");
  EXPECT_EQ(running.directory, "/tmp");
  EXPECT_EQ(running.state.word, "RUNNING");
  EXPECT_EQ(running.nodes, "n[1-2]");
  EXPECT_EQ(running.reason, "");
  EXPECT_GT(running.started, running.submitted - kSecond);
  EXPECT_EQ(running.ended, 0) << "the time it would be ended at is not its end";
  const SlurmJob& waiting = jobs->at(1);
  EXPECT_EQ(waiting.state.word, "PENDING");
  EXPECT_EQ(waiting.started, 0);
  EXPECT_NE(waiting.reason, "");
  EXPECT_EQ(parse_rest_jobs(recorded("v0.0.38-jobs.json"), "somebody")->size(), 0U);
}

TEST(SlurmRestText, RecordedHistoryIsRead) {
  const auto jobs = parse_rest_history(recorded("v0.0.38-history.json"));
  ASSERT_TRUE(jobs);
  ASSERT_GE(jobs->size(), 3U);
  bool cancelled = false;
  for (const SlurmJob& one : *jobs) {
    EXPECT_FALSE(one.name.empty());
    EXPECT_GT(one.submitted, 0);
    if (one.state.word == "CANCELLED") {
      cancelled = true;
      EXPECT_EQ(one.ended_by, "root");
    }
  }
  EXPECT_TRUE(cancelled);
}

TEST(SlurmRestText, ExitCodesOfAllForms) {
  const auto old =
      parse_rest_jobs(R"({"jobs":[{"job_id":8,"job_state":"FAILED","exit_code":1792,"nodes":"n1"},)"
                      R"({"job_id":9,"job_state":"FAILED","exit_code":9,"nodes":"n1"}]})",
                      "");
  EXPECT_EQ(old->at(0).exit_code, 7);
  EXPECT_EQ(old->at(0).signal, 0);
  EXPECT_EQ(old->at(1).exit_code, 0);
  EXPECT_EQ(old->at(1).signal, 9);
  // v0.0.39: the same status, in a structure.
  const auto between =
      parse_rest_jobs(R"({"jobs":[{"job_id":8,"job_state":"FAILED","nodes":"n1",)"
                      R"("exit_code":{"set":true,"infinite":false,"number":1792}},)"
                      R"({"job_id":9,"job_state":"FAILED","nodes":"n1",)"
                      R"("exit_code":{"set":true,"infinite":false,"number":9}}]})",
                      "");
  EXPECT_EQ(between->at(0).exit_code, 7);
  EXPECT_EQ(between->at(0).signal, 0);
  EXPECT_EQ(between->at(1).exit_code, 0);
  EXPECT_EQ(between->at(1).signal, 9);
  const auto later = parse_rest_jobs(
      R"({"jobs":[{"job_id":8,"job_state":["FAILED","COMPLETING"],"nodes":"n1","exit_code":)"
      R"({"status":["ERROR"],"return_code":{"set":true,"infinite":false,"number":7},)"
      R"("signal":{"id":{"set":true,"infinite":false,"number":9},"name":"KILL"}},)"
      R"("submit_time":{"set":true,"infinite":false,"number":1700000000},)"
      R"("start_time":{"set":false,"infinite":false,"number":0},"end_time":5}]})",
      "");
  EXPECT_EQ(later->at(0).state.word, "FAILED");
  EXPECT_TRUE(later->at(0).completing);
  EXPECT_EQ(later->at(0).exit_code, 7);
  EXPECT_EQ(later->at(0).signal, 9);
  EXPECT_EQ(later->at(0).submitted, 1'700'000'000 * kSecond);
  EXPECT_EQ(later->at(0).started, 0);
}

TEST(SlurmRestText, AnAnswerWithoutItsListIsNotAnEmptyOne) {
  for (const char* body :
       {"", "{}", "[]", "{\"jobs\":3}", "Authentication failure", "{\"jobs\":["}) {
    EXPECT_FALSE(parse_rest_jobs(body, "")) << body;
    EXPECT_FALSE(parse_rest_history(body)) << body;
  }
  EXPECT_EQ(parse_rest_jobs(R"({"jobs":[{}, 7, {"job_id":1}]})", "")->size(), 0U);
}

TEST(SlurmRestText, PartitionsAndNodesMakeTheClusterOfTheSite) {
  const auto partitions = parse_rest_partitions(recorded("v0.0.38-partitions.json"));
  ASSERT_EQ(partitions.size(), 2U);
  EXPECT_EQ(partitions[0].name, "batch");
  EXPECT_TRUE(partitions[0].is_default);
  EXPECT_EQ(partitions[0].nodes, 4);
  EXPECT_EQ(partitions[0].most_nodes, 0);
  EXPECT_EQ(partitions[0].most_time, 24 * kHour);
  EXPECT_EQ(partitions[1].most_nodes, 1);
  const SlurmCluster cluster =
      rest_cluster("22.05.8", partitions, recorded("v0.0.38-nodes.json"), "");
  EXPECT_EQ(cluster.partition, "batch");
  EXPECT_EQ(cluster.nodes, 4);
  EXPECT_EQ(cluster.nodes_up, 2) << "of the two that were kept of the recording";
  EXPECT_EQ(cluster.cores_per_node, 4);
  EXPECT_EQ(rest_cluster("", partitions, "", "small").nodes, 1);
  EXPECT_EQ(rest_cluster("", partitions, "", "nope").partition, "nope");
  EXPECT_EQ(rest_cluster("", partitions, "", "nope").nodes, 0);
}

TEST(SlurmRestText, NewerPartitionsAreReadToo) {
  const auto partitions = parse_rest_partitions(
      R"({"partitions":[{"name":"gpu","nodes":{"total":12,"configured":"g[1-12]"},)"
      R"("partition":{"state":["UP"]},"maximums":{"nodes":{"set":true,"infinite":false,"number":8},)"
      R"("time":{"set":true,"infinite":true,"number":0}},"qos":{"allowed":"a,b"},)"
      R"("accounts":{"allowed":""}}]})");
  ASSERT_EQ(partitions.size(), 1U);
  EXPECT_EQ(partitions[0].state, "UP");
  EXPECT_TRUE(partitions[0].is_default) << "there is no other";
  EXPECT_EQ(partitions[0].nodes, 12);
  EXPECT_EQ(partitions[0].most_nodes, 8);
  EXPECT_EQ(partitions[0].most_time, 0);
  EXPECT_EQ(partitions[0].allowed_qos, "a,b");
}

TEST(SlurmRestText, ARehearsalFindsWhatThePartitionWouldRefuse) {
  const auto partitions = parse_rest_partitions(recorded("v0.0.38-partitions.json"));
  SlurmSite site;
  SlurmSubmission asked = job();
  EXPECT_EQ(why_refused(asked, site, partitions, {}), "");
  asked.nodes = 9;
  EXPECT_NE(why_refused(asked, site, partitions, {}).find("at most 4 nodes"), std::string::npos);
  asked = job();
  asked.limit = 25 * kHour;
  EXPECT_NE(why_refused(asked, site, partitions, {}).find("lower limits.timeout"),
            std::string::npos);
  asked = job();
  site.partition = "nope";
  const std::string unknown = why_refused(asked, site, partitions, {});
  EXPECT_NE(unknown.find("no partition 'nope'"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("batch, small"), std::string::npos) << unknown;
  site.partition = "small";
  EXPECT_NE(why_refused(asked, site, partitions, {}).find("at most 1 nodes"), std::string::npos);
  site.partition = "";
  site.qos = "fast";
  SlurmAccounting accounting;
  accounting.associations = {{"perf", "", "", true, {}}};
  accounting.qos = {{"normal", {}}};
  EXPECT_NE(why_refused(asked, site, partitions, accounting).find("no QOS 'fast'"),
            std::string::npos);
  accounting.qos.push_back({"fast", {1, 0}});
  EXPECT_NE(
      why_refused(asked, site, partitions, accounting).find("QOS 'fast' allows a job 1 nodes"),
      std::string::npos);
  asked.nodes = 1;
  EXPECT_EQ(why_refused(asked, site, partitions, accounting), "");
}

TEST(SlurmRestText, NodesThatAreDownAreFoundAmongThoseAsked) {
  const std::string body =
      R"({"nodes":[{"name":"n1","state":"idle","state_flags":[]},)"
      R"({"name":"n2","state":"down","state_flags":["NOT_RESPONDING"]},)"
      R"({"name":"n3","state":["IDLE","DRAIN"]},{"name":"n9","state":"down"}]})";
  EXPECT_EQ(parse_rest_down_nodes(body, "n[1-4]"), (std::vector<std::string>{"n2", "n3"}));
  EXPECT_TRUE(parse_rest_down_nodes("", "n1").empty());
}

TEST(SlurmRestText, ATokenTellsWhenItEndsAndWhoseItIs) {
  // {"exp":1794840866,"iat":1794840865,"sun":"root"}
  const TokenClaims claims = parse_token(
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
      "eyJleHAiOjE3OTQ4NDA4NjYsImlhdCI6MTc5NDg0MDg2NSwic3VuIjoicm9vdCJ9.c2ln");
  EXPECT_EQ(claims.expires, 1'794'840'866 * kSecond);
  EXPECT_EQ(claims.user, "root");
  for (const char* token : {"", "daemon", "a.b.c", "a.!!.c", ".."}) {
    EXPECT_EQ(parse_token(token).expires, 0) << token;
    EXPECT_EQ(parse_token(token).user, "") << token;
  }
}

}  // namespace
}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// `size` through the real program: the vendor's story from an imported table, the forms of its
// answer, and what it says to what it can't use.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class SizeCommand : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = place_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  json answer(std::vector<std::string> words, int exit_code = 0) const {
    words.insert(words.begin(), "size");
    words.emplace_back("--json");
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, exit_code) << ended.errors;
    EXPECT_EQ(ended.output.find("nan"), std::string::npos);
    return json::parse(ended.output);
  }

  void refused(const std::string& mix, const std::string& why) const {
    const auto ended = place_.kneepoint({"size", write("bad.yaml", mix)});
    EXPECT_EQ(ended.exit_code, 2) << why;
    EXPECT_NE(ended.errors.find(why), std::string::npos) << ended.errors;
  }

  void import_vendor() const {
    ASSERT_EQ(place_
                  .kneepoint({"import", KP_SOURCE_DIR "/plans/tables/vendor-180x.csv", "--study",
                              "vendor"})
                  .exit_code,
              0);
  }

  const Place place_;
  const std::string shipped_ = KP_SOURCE_DIR "/plans/mixes/vendor.yaml";
  const std::string head_ = "mix: m\nworker: gpu\nworkers: 256\nworkloads:\n";
  const std::string retraining_ =
      "  - {name: retraining, mode: strong, study: vendor, baseline: 100h, per_day: 2, deadline: "
      "3.2h}\n";
};

TEST_F(SizeCommand, TheVendorsStrongJobsGetSixtyFourGpus) {
  import_vendor();
  const std::string mix = write(
      "mix.yaml", head_ + retraining_ +
                      "  - {name: pretraining, mode: weak, study: vendor, baseline: 10h, "
                      "result_workers: 256, per_day: 1, arrivals: periodic, deadline: 30h}\n");
  const json best = answer({mix})["recommended"];
  ASSERT_FALSE(best.is_null());
  EXPECT_EQ(best["feasible"], true);
  EXPECT_EQ(best["partitions"][0]["name"], "retraining");
  EXPECT_EQ(best["partitions"][0]["workers"], 64);
  EXPECT_EQ(best["partitions"][0]["max_nodes_per_job"], 64);
  EXPECT_EQ(best["workloads"][0]["k"], 64);
  EXPECT_EQ(best["workloads"][0]["mode"], "strong");
  // The weak ones take 128: the same tokens at 64 would take too long.
  EXPECT_EQ(best["workloads"][1]["mode"], "weak");
  EXPECT_EQ(best["workloads"][1]["k"], 128);
  // Most jobs are in time, not only the average one.
  EXPECT_EQ(best["workloads"][0]["in_time_wanted"], 0.95);
  EXPECT_LE(best["workloads"][0]["late_share"].get<double>(), 0.05);
}

TEST_F(SizeCommand, TheShippedMixIsAnsweredInWords) {
  const auto ended = place_.kneepoint({"size", shipped_});
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  for (const char* words :
       {"These prices are EXAMPLES", "Cut 256 GPUs into 2 partitions: run retraining at K=64 in 64",
        "pretraining at K=192 in 192", "Every deadline is kept by at least 90%",
        "Side by side:", "one shared partition", "What if:", "Assumed: jobs come independently"}) {
    EXPECT_NE(ended.output.find(words), std::string::npos) << words << "\n" << ended.output;
  }
}

TEST_F(SizeCommand, TheShareOfJobsInTimeDecidesThePartition) {
  const auto sized = [&](const std::string& share) {
    return answer({write("mix.yaml", "mix: m\nworker: node\nworkers: 8\npay: held\n" + share +
                                         "workloads:\n  - {name: a, mode: strong, times: {1: 1h}, "
                                         "per_hour: 0.5, deadline: 2h}\n")})["recommended"];
  };
  // One node: P(wait > 1 h) = 1 - 0.5 e^0.5 = 0.18, an M/D/1 queue at load 0.5.
  const json most = sized(""), many = sized("in_time: 75%\n");
  EXPECT_EQ(most["nodes"], 2);
  EXPECT_LE(most["workloads"][0]["late_share"].get<double>(), 0.05);
  EXPECT_EQ(many["nodes"], 1);
  EXPECT_NEAR(many["workloads"][0]["late_share"].get<double>(), 0.176, 0.03);
  const auto words = place_.kneepoint({"size", place_.path() + "/mix.yaml"});
  EXPECT_NE(words.output.find("by at least 75% of its jobs, wait and run together"),
            std::string::npos)
      << words.output;
  refused("mix: m\nworker: node\nworkers: 8\nin_time: 30%\nworkloads: []\n",
          "in_time: expected a share of the jobs from 50% to 99%");
}

TEST_F(SizeCommand, HeldNodesAreNotMeasuredByABoundForTimeUsed) {
  const std::string mix =
      write("mix.yaml",
            "mix: m\nworker: node\nworkers: 8\npay: held\nworkloads:\n  - {name: a, mode: strong, "
            "times: {1: 1h}, per_hour: 0.5}\n");
  const auto held = place_.kneepoint({"size", mix});
  ASSERT_EQ(held.exit_code, 0) << held.errors;
  std::string line = held.output;  // as one line
  for (char& c : line) c = c == '\n' ? ' ' : c;
  EXPECT_NE(
      line.find("By time used alone the same results would cost 0.50 node-hour an hour at the "
                "least; the rest is for nodes that wait."),
      std::string::npos)
      << line;
  EXPECT_EQ(line.find("above what any cut could cost"), std::string::npos) << line;
}

TEST_F(SizeCommand, FailedRunsOfAStudyAreSaid) {
  const std::string plan =
      write("plan.yaml",
            "study: shaky\nworker: node\nscale: [1, 2, 4]\nmodes: [strong]\n"
            "workloads: [{name: syn, use: synthetic}]\nrepeat: 5\nlimits: {retries: 0}\n");
  const std::string site =
      write("site.yaml",
            "backend: simulated\nname: sim\nsimulated: {nodes: 8, failure_rate: 0.6, seed: 3}\n");
  ASSERT_EQ(place_.kneepoint({"run", plan, "--site", site}).exit_code, 4);
  const std::string mix = write(
      "mix.yaml",
      "mix: m\nworker: node\nworkers: 8\nworkloads:\n  - {name: a, mode: strong, study: shaky, "
      "per_hour: 5}\n");
  const json notes = answer({mix})["notes"];
  ASSERT_EQ(notes.size(), 1u) << notes;
  const std::string said = notes[0];
  EXPECT_EQ(said.rfind("a: ", 0), 0u) << said;
  EXPECT_NE(said.find(" failed; jobs are taken to succeed, in the time of those that did"),
            std::string::npos)
      << said;
}

TEST_F(SizeCommand, ConfigurationIsPrintedAndWritten) {
  const auto slurm = place_.kneepoint({"size", shipped_, "--slurm"});
  ASSERT_EQ(slurm.exit_code, 0) << slurm.errors;
  EXPECT_NE(slurm.output.find("PartitionName=retraining Nodes=node[1-8] MaxNodes=8 "),
            std::string::npos)
      << slurm.output;
  EXPECT_NE(slurm.output.find("PartitionName=pretraining Nodes=node[9-32] MaxNodes=24 "),
            std::string::npos);
  const auto quotas = place_.kneepoint({"size", shipped_, "--kubernetes"});
  ASSERT_EQ(quotas.exit_code, 0) << quotas.errors;
  EXPECT_NE(quotas.output.find("\"requests.nvidia.com/gpu\": \"64\""), std::string::npos);
  EXPECT_EQ(place_.kneepoint({"size", shipped_, "--slurm", "--kubernetes"}).exit_code, 2);
  const std::string folder = place_.path() + "/configs";
  ASSERT_EQ(place_.kneepoint({"size", shipped_, "--output-dir", folder}).exit_code, 0);
  for (const char* name : {"partitions.conf", "quotas.yaml", "size.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder + "/" + name)) << name;
  }
}

TEST_F(SizeCommand, WhatIfOnLoadAndPrice) {
  const json plain = answer({shipped_});
  const json cheap = answer({shipped_, "--price", "0.5"});
  EXPECT_NEAR(cheap["recommended"]["hour_micros"].get<double>(),
              plain["recommended"]["hour_micros"].get<double>() / 2, 5);
  EXPECT_EQ(plain["what_if"].size(), 3u);
  const json much = answer({shipped_, "--load", "10"}, 1);
  EXPECT_TRUE(much["recommended"].is_null());
  EXPECT_NE(much["why"].get<std::string>().find("overload"), std::string::npos);
  EXPECT_GT(much["nodes_needed"].get<int>(), 32);
  EXPECT_TRUE(much["others"][0]["wait_seconds"].is_null());
  const auto words = place_.kneepoint({"size", shipped_, "--load", "10"});
  EXPECT_EQ(words.exit_code, 1);
  EXPECT_NE(words.output.find("No cut does it: overload"), std::string::npos) << words.output;
}

TEST_F(SizeCommand, ADeadlineThatNoKKeepsIsAnAnswer) {
  const std::string mix = write("mix.yaml",
                                "mix: m\nworker: node\nworkers: 8\nworkloads:\n  - {name: a, mode: "
                                "strong, times: {1: 1h, 4: 20m}, per_day: 1, deadline: 10m}\n");
  const json none = answer({mix}, 1);
  EXPECT_NE(none["why"].get<std::string>().find("the fastest, K=4, takes 20 min"),
            std::string::npos)
      << none["why"];
}

TEST_F(SizeCommand, ABudgetBuysNodesAndModelledKAreMarked) {
  write("prices.yaml", "currency: EUR\nitems:\n  node: {per_node_hour: 2}\n  job: {per_job: 1}\n");
  const std::string rest =
      "workloads:\n  - {name: a, mode: strong, model: {t1: 10h, s: 0.05}, per_day: 4, deadline: "
      "4h}\n";
  const std::string mix = write("mix.yaml",
                                "mix: m\nworker: node\nbudget: {amount: 480, per: day}\n"
                                "prices: {book: prices.yaml, item: node}\n" +
                                    rest);
  const json best = answer({mix});
  EXPECT_EQ(best["nodes"], 10);
  EXPECT_EQ(best["pay"], "held");
  EXPECT_EQ(best["recommended"]["workloads"][0]["modelled"], true);
  EXPECT_EQ(best["recommended"]["hour_micros"],
            best["recommended"]["nodes"].get<int>() * 2'000'000);
  refused(
      "mix: m\nworker: node\nbudget: {amount: 1, per: day}\n"
      "prices: {book: prices.yaml, item: node}\n" +
          rest,
      "budget: buys no node: one costs 2.00 EUR an hour");
  refused(
      "mix: m\nworker: node\nbudget: {amount: 9}\nprices: {book: prices.yaml, item: job}\n" + rest,
      "has no price for an hour of a node");
  refused("mix: m\nworker: node\nworkers: 8\nprices: {book: prices.yaml}\n" + rest,
          "prices.item: missing; ");
  refused("mix: m\nworker: node\nworkers: 8\nprices: {book: none.yaml}\n" + rest, "none.yaml");
}

TEST_F(SizeCommand, StudiesAndTheirKAreLookedUp) {
  import_vendor();
  refused(head_ + "  - {name: a, mode: strong, study: nowhere, per_day: 1}\n", "workload 'a': ");
  refused(head_ + "  - {name: a, mode: strong, study: vendor, per_day: 1}\n",
          "holds speedups without times; say how long its smallest K takes");
  refused(head_ + "  - {name: a, mode: strong, study: vendor, baseline: 1h, k: [96], per_day: 1}\n",
          "K=96 was not measured; there are K=1, 2, 4, 8, 16, 32, 64, 128, 256");
  refused(head_ + "  - {name: a, mode: weak, study: vendor, case: x, baseline: 1h, per_day: 1}\n",
          "no weak curve of case 'x'; vendor-");
  refused(
      "mix: m\nworker: node\nworkers: 4\nworkloads:\n  - {name: a, mode: weak, study: vendor, "
      "baseline: 1h, per_day: 1}\n",
      "counts K in gpus, and this mix in nodes");
  const std::string mix =
      write("mix.yaml", head_ +
                            "  - {name: a, mode: strong, study: vendor, baseline: 100h, k: [96], "
                            "per_day: 1}\n");
  const json modelled = answer({mix, "--modelled"});
  EXPECT_EQ(modelled["recommended"]["workloads"][0]["k"], 96);
  EXPECT_EQ(modelled["recommended"]["workloads"][0]["modelled"], true);
}

TEST_F(SizeCommand, BadFilesAreNamedWithTheirPlace) {
  refused("mix: m\nworker: node\nworkers: 8\nworklods: []\n",
          "bad.yaml:4:1: worklods: unknown key; did you mean 'workloads'?");
  const auto ended = place_.kneepoint({"size", shipped_, "--load", "-1"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.errors.find("--load"), std::string::npos) << ended.errors;
}

}  // namespace
}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// What samplers of other nodes say and how it is put together: one entry for each node, and what
// our own programs used there is nobody else's.
#include "agents/agent/noise/remote_noise.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "agents/agent/pod/pod.h"

namespace kneepoint::agent {
namespace {

NodeNoise noise(const std::string& node, std::optional<CoreUse> use) {
  return {node, {{"noise.samples", "3"}, {"noise.gpu1.throttled_by", "power cap, heat"}}, use};
}

std::string fact_in(const Facts& facts, const std::string& name) {
  for (const auto& [known, value] : facts) {
    if (known == name) return value;
  }
  return "none";
}

TEST(SamplerReader, TakesWhatWasWrittenInPiecesOfAnySizeAndMixed) {
  const std::string one = sampler_text(noise("n2", CoreUse{1.5, 1.25}));
  const std::string two = sampler_text(noise("n3", CoreUse{0.5, {}}));
  std::string mixed = "ready n2\nready n3\n";
  std::size_t a = 0, b = 0;
  while (a < one.size() || b < two.size()) {  // whole lines of both in turn
    for (auto [text, at] : {std::pair{&one, &a}, std::pair{&two, &b}}) {
      if (*at >= text->size()) continue;
      const std::size_t end = text->find('\n', *at) + 1;
      mixed += text->substr(*at, end - *at);
      *at = end;
    }
  }
  for (const std::size_t size : {1U, 7U, 1000U}) {
    SamplerReader reader;
    for (std::size_t at = 0; at < mixed.size(); at += size) reader.take(mixed.substr(at, size));
    EXPECT_EQ(reader.ready(), 2U);
    ASSERT_EQ(reader.ended().size(), 2U);
    EXPECT_EQ(reader.ended()[0].node, "n2");
    EXPECT_EQ(reader.ended()[0].facts, noise("n2", {}).facts);
    EXPECT_DOUBLE_EQ(reader.ended()[0].use->own.value_or(0), 1.25);
    EXPECT_FALSE(reader.ended()[1].use->own.has_value());
  }
}

TEST(SamplerReader, OneThatWasCutOffHasNotEnded) {
  SamplerReader reader;
  reader.take("ready n2\nfact n2 noise.samples 3\nfact n2 cpu.model x\ngarbage\n\nend n");
  EXPECT_TRUE(reader.ended().empty());
  reader.take("2\n");
  ASSERT_EQ(reader.ended().size(), 1U);
  EXPECT_EQ(reader.ended()[0].facts.size(), 1U);  // only of noise
  reader.take(std::string(100'000, 'x'));
  reader.take("\nready n9\n");
  EXPECT_EQ(reader.ready(), 2U);
}

TEST(NoiseByNode, OthersAreWhoIsLeftWhenAllOfOursAreTakenOff) {
  const auto nodes =
      by_node({noise("n1", CoreUse{3.0, 1.0}), noise("n2", CoreUse{1.0, {}}),
               noise("n1", CoreUse{3.0, 1.5}), noise("n3", {}), noise("n4", CoreUse{1.0, 1.2})});
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].first, "n1");
  EXPECT_EQ(fact_in(nodes[0].second, "noise.others"), "0.5");  // two pods on one node
  EXPECT_EQ(fact_in(nodes[1].second, "noise.others"), "none");
  EXPECT_EQ(fact_in(nodes[2].second, "noise.others"), "none");
  EXPECT_EQ(fact_in(nodes[3].second, "noise.others"), "0");
  EXPECT_TRUE(by_node({NodeNoise{"n1", {}, CoreUse{1, 1}}}).empty());  // not sampled
}

TEST(RemoteNoise, KnowsTheOtherNodesOfAStepAndTheStepThatSamplesThem) {
  ::unsetenv(kLinkVariable);
  StepSpec step;
  step.nodes = 3;
  step.ranks = 6;
  step.threads_per_rank = 2;
  step.noise_sample_ns = kSecond;
  EXPECT_EQ(busy_cpus(step), 4);
  EXPECT_EQ(busy_cpus(StepSpec{}), 1);
  EXPECT_NE(other_nodes(step, "n1").problem, "");
  step.node_names = "n[1-3]";
  const OtherNodes others = other_nodes(step, "n1");
  EXPECT_EQ(others.names, (std::vector<std::string>{"n2", "n3"}));
  const auto argv = sampling_step(others.names, "/x/kneepoint-agent", step);
  EXPECT_EQ(argv[0], "srun");
  EXPECT_EQ(argv[1], "--overlap");
  EXPECT_NE(std::find(argv.begin(), argv.end(), "--nodelist=n2,n3"), argv.end());
  EXPECT_NE(std::find(argv.begin(), argv.end(), "--ntasks=2"), argv.end());
  EXPECT_EQ(std::vector<std::string>(argv.end() - 5, argv.end()),
            (std::vector<std::string>{"/x/kneepoint-agent", "sample", "1000", "4", "eof"}));
  step.nodes = 1;
  EXPECT_TRUE(other_nodes(step, "n1").names.empty());
}

TEST(RemoteNoise, InPodsTheOthersAreThePodsOfTheStep) {
  ::setenv(kLinkVariable, "/tmp/none", 1);
  ::setenv(kJobVariable, "kp-job", 1);
  StepSpec step;
  step.nodes = 3;
  EXPECT_EQ(other_nodes(step, "x").names,
            (std::vector<std::string>{pod_host("kp-job", false, 1), pod_host("kp-job", false, 2)}));
  ::unsetenv(kLinkVariable);
  ::unsetenv(kJobVariable);
}

}  // namespace
}  // namespace kneepoint::agent

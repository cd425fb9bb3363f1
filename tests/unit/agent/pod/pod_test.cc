// SPDX-License-Identifier: Apache-2.0
//
// Which pod it is and how the others are called: of an Indexed Job, and of an MPIJob.
#include "agents/agent/pod/pod.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kneepoint::agent {
namespace {

class PodEnvironment : public testing::Test {
 protected:
  void SetUp() override {
    set("KNEEPOINT_PODS", "3");
    set("KNEEPOINT_JOB", "j");
    set("KNEEPOINT_KEY", "00112233445566778899aabbccddeeff");
    set("KNEEPOINT_ALLOCATION_0", "e30=");
  }
  void TearDown() override {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }
  void set(const std::string& name, const std::string& value) {
    names_.push_back(name);
    setenv(name.c_str(), value.c_str(), 1);
  }

  std::vector<std::string> names_;
};

TEST_F(PodEnvironment, AnIndexedJobsPodHasItsIndexFromKubernetes) {
  set("JOB_COMPLETION_INDEX", "2");
  const auto settings = take_pod_settings();
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->index, 2);
  EXPECT_EQ(settings->own_name(), "j-2.j");
  EXPECT_EQ(settings->pod_name(0), "j-0.j");
}

TEST_F(PodEnvironment, AnMpiJobsLauncherIsPodZero) {
  for (const char* name : {"j-launcher-x7kqz", "j-launcherx7kqz"}) {  // cut where it is too long
    SetUp();
    set("KNEEPOINT_POD", name);
    const auto settings = take_pod_settings();
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->index, 0);
    EXPECT_EQ(settings->allocation, "{}");
    EXPECT_EQ(settings->own_name(), "j-launcher.j");
    EXPECT_EQ(settings->pod_name(1), "j-worker-0.j");
    EXPECT_EQ(settings->pod_name(2), "j-worker-1.j");
  }
}

TEST_F(PodEnvironment, AnMpiJobsWorkersFollowAndNeedNoSteps) {
  set("KNEEPOINT_POD", "j-worker-1");
  unsetenv("KNEEPOINT_ALLOCATION_0");
  const auto settings = take_pod_settings();
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->index, 2);
  EXPECT_EQ(settings->own_name(), "j-worker-1.j");
}

TEST_F(PodEnvironment, APodThatIsNoneOfTheMpiJobIsRefused) {
  for (const char* name : {"j-worker-2", "k-worker-0", "j-worker-", "j"}) {
    SetUp();
    set("KNEEPOINT_POD", name);
    const auto settings = take_pod_settings();
    ASSERT_FALSE(settings) << name;
    EXPECT_NE(settings.error().message.find("none of the 3 pods of MPIJob 'j'"), std::string::npos)
        << settings.error().message;
  }
}

TEST(PodSettings, HostNamesOfAnMpiJobMeanItsPods) {
  EXPECT_EQ(pod_index("j-launcher", "j"), 0);
  EXPECT_EQ(pod_index("j-launcher.j.ns.svc", "j"), 0);
  EXPECT_EQ(pod_index("j-worker-0.j", "j"), 1);
  EXPECT_EQ(pod_index("j-worker-11", "j"), 12);
  EXPECT_EQ(pod_index("j-worker-.j", "j"), -1);
  EXPECT_EQ(pod_index("j-launcher2", "j"), -1);
}

}  // namespace
}  // namespace kneepoint::agent

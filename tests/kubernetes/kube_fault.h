// SPDX-License-Identifier: Apache-2.0
//
// A study whose pods wait for a file named `go`, so that whatever befalls them strikes while they
// live. Each test asserts how often every attempt was executed, what `explain` tells, and that
// nothing is left over.
#pragma once

#include <gtest/gtest.h>

#include <map>

#include "tests/kubernetes/kube_place.h"

namespace kneepoint {

class KubeFault : public testing::Test {
 protected:
  void SetUp() override {
    if (!place.lab.missing().empty()) GTEST_SKIP() << place.lab.missing();
    site_ = place.site();
  }

  // A study of so many runs that wait, so many of them at once; 0: all.
  void start(int runs, int at_once = 0) {
    const std::string plan = place.waiting_plan("faulty", runs, "timeout: 10m, retries: 2");
    const int concurrent = at_once > 0 ? at_once : runs;
    command_ = {"run", plan, "--site", site_, "--concurrent", std::to_string(concurrent)};
    pid_ = place.start(command_);
  }
  void start_and_wait(int runs) {
    start(runs);
    ASSERT_TRUE(testing_support::comes_true(
        [&] { return place.executions().size() == static_cast<std::size_t>(runs); }, 120));
  }
  testing_support::Place::Ended finish() const { return place.finish(pid_); }
  testing_support::Place::Ended run_again() const { return place.run(command_); }
  // All went well in spite of it.
  void finish_well(const std::map<std::string, int>& expected) {
    const auto ended = finish();
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    EXPECT_EQ(place.executions(), expected);
    EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
  }

  std::string state(std::size_t number = 1, int run = 1) const {
    return place.attempt(number, run).value("state", "");
  }
  std::string detail(std::size_t number = 1) const {
    return place.attempt(number).value("detail", "");
  }
  std::string errors() const { return place.read("err"); }
  // Its name there; "": there is none.
  std::string job_of(int run) const {
    const std::string allocation = place.attempt(1, run).value("allocation", "");
    for (const nlohmann::json& job : place.lab.items(place.lab.jobs())) {
      const nlohmann::json& metadata = job.at("metadata");
      if (metadata.at("annotations").value("kneepoint.io/allocation", "") == allocation) {
        return metadata.at("name").get<std::string>();
      }
    }
    return "";
  }

  testing_support::KubePlace place;
  std::string site_;
  std::vector<std::string> command_;
  pid_t pid_ = 0;
};

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// One job of a study, and a Slurm that tells of it what a test says; time only moves as a test
// says.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "orchestrator/backend/slurm/watch.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_slurm.h"

namespace kneepoint {

inline constexpr const char* kEnd = "{\"type\":\"end\"}\n";

class SlurmWatchTest : public ::testing::Test {
 protected:
  SlurmWatchTest() {
    std::string folder = testing::TempDir() + "kp_watch_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    job_.ref = {"kp-1", folder_, "7", clock_.wall()};
    job_.path = folder_ + "/kp-1.json";
    job_.steps = {{"r1-a1", folder_ + "/r1-a1"}};
    job_.changed = clock_.steady();
    std::ofstream(job_.path) << "{}";
  }
  ~SlurmWatchTest() override { std::filesystem::remove_all(folder_); }

  SlurmJob told(const std::string& state) const {
    SlurmJob job;
    job.id = job_.ref.id;
    job.name = job_.ref.name;
    job.directory = folder_;
    job.state = state;
    job.submitted = job_.ref.submitted_ns;
    if (state == "PENDING") return job;
    job.started = job.submitted + kSecond;
    job.nodes = "n1";
    if (state != "RUNNING" && state != "SUSPENDED") job.ended = job.started + kSecond;
    return job;
  }

  // A look that was not put off, and its answer.
  Observation look() {
    EXPECT_TRUE(watch_.look(kHour));
    std::vector<SlurmAllocation*> missing;
    if (watch_.needs_accounting(job_)) missing.push_back(&job_);
    EXPECT_TRUE(watch_.ask_accounting(missing, kHour));
    return watch_.observe(job_, kHour);
  }
  Observation look_after(Nanoseconds passed) {
    clock_.advance(passed);
    return look();
  }
  void begins() const {
    std::filesystem::create_directory(folder_ + "/r1-a1");
    std::ofstream(folder_ + "/r1-a1/records.ndjson") << "{\"type\":\"begin\"}\n";
  }
  void ends() const { std::ofstream(folder_ + "/r1-a1/records.ndjson", std::ios::app) << kEnd; }

  std::string folder_;
  FakeClock clock_;
  FakeSlurm slurm_;
  SlurmCluster cluster_;
  SlurmAllocation job_;
  SlurmWatch watch_{slurm_, cluster_, clock_};
};

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// What handing 200 runs over to slurmrestd costs: bare requests, a controller with its intent on
// disk, allocation files and look-ups, and one packed allocation of 200 steps. Rounds are
// interleaved and their median counts: of nine, or of more where nine could not settle it. The jobs
// wait behind one that holds the whole cluster, and are cancelled at the end.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/backend/slurm/transport.h"
#include "orchestrator/io/subprocess.h"
#include "tests/bench/slurm/durable_submission.h"

namespace kneepoint {
namespace {

constexpr int kJobs = 200;
constexpr int kRounds = 9;
constexpr int kMostRounds = 27;  // if the median of nine is above the limit: noise, or too slow?
constexpr double kMostRatio = 1.5;

class RestSubmission : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "kp_bench_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    ::setenv("SLURM_CONF", KP_SLURM_FOLDER "/plain/etc/slurm.conf", 1);
    site_.backend = BackendKind::slurm;
    site_.slurm.transport = "rest";
    std::ifstream(KP_SLURM_FOLDER "/plain/rest.url") >> site_.slurm.rest.url;
    SpawnOptions options;
    options.argv = {"scontrol", "token", "lifespan=7200"};
    const auto made = run_captured(options, kMinute);
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_NE(made->output.find('='), std::string::npos) << made->errors;
    std::ofstream(folder_ + "/token") << made->output.substr(made->output.find('=') + 1);
    site_.slurm.rest.token_file = folder_ + "/token";
    const LauncherContext context{site_, system_clock(), poller_, "/bin/true"};
    transport_ = make_slurm_rest(context);
    const auto cluster = transport_->cluster(soon());
    ASSERT_TRUE(cluster) << cluster.error().message;
    SlurmSubmission all = bare("kp-bench-holds-all");
    all.nodes = all.tasks = cluster->nodes;
    all.script = "#!/bin/sh\nsleep 900\n";
    ASSERT_TRUE(transport_->submit({&all, 1}, soon()).at(0));
    auto launcher = make_launcher(context);
    ASSERT_TRUE(launcher) << launcher.error().message;
    launcher_ = std::move(launcher).value();
  }

  void TearDown() override {
    if (transport_ != nullptr) {
      const auto jobs = transport_->list(soon());
      std::vector<std::string> ids;
      if (jobs) {
        for (const SlurmJob& job : *jobs) {
          const bool over = job.state.word != "PENDING" && job.state.word != "RUNNING";
          if (!over && job.name.starts_with("kp-bench")) ids.push_back(job.id);
        }
      }
      for (const auto& answer : transport_->cancel(ids, soon())) EXPECT_TRUE(answer);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  static Deadline soon() { return system_clock().steady() + 10 * kMinute; }

  SlurmSubmission bare(const std::string& name) const {
    SlurmSubmission job;
    job.name = name;
    job.directory = folder_;
    job.script = "#!/bin/sh\nexec /bin/true\n";
    job.output_path = "/dev/null";
    job.limit = 5 * kMinute;
    return job;
  }

  AllocationRequest request(const std::string& name, int steps) const {
    AllocationRequest request;
    request.name = name;
    request.directory = folder_ + "/study";
    for (int i = 0; i < steps; ++i) {
      Step step;
      step.attempt = name + "-s" + std::to_string(i);
      step.run_dir = request.directory + "/" + step.attempt;
      step.command.argv = {"/bin/true"};
      step.limit = kMinute;
      request.limit += step.limit;
      request.steps.push_back(step);
    }
    return request;
  }

  std::string folder_;
  Site site_;
  Poller poller_;
  std::unique_ptr<SlurmTransport> transport_;
  std::unique_ptr<Launcher> launcher_;
};

TEST_F(RestSubmission, TakesAtMostOneAndAHalfTimesBareRequestsAndPackedAFifth) {
  DurableSubmission durable(folder_, kJobs);
  std::vector<double> ratios, packed_ratios;
  const auto goes_on = [&](int round) {
    return round < kRounds || (round < kMostRounds && median(ratios) > kMostRatio);
  };
  for (int round = 0; goes_on(round); ++round) {
    const std::string name = "kp-bench-" + std::to_string(round) + "-";
    std::vector<SlurmSubmission> jobs;
    std::vector<AllocationRequest> requests;
    for (int i = 0; i < kJobs; ++i) {
      jobs.push_back(bare(name + "bare-" + std::to_string(i)));
      requests.push_back(request(name + std::to_string(i), 1));
    }
    const Nanoseconds before = system_clock().steady();
    for (const auto& answer : transport_->submit(jobs, soon())) {
      EXPECT_TRUE(answer) << answer.error().message;
    }
    const double plain = to_seconds(system_clock().steady() - before);
    std::vector<JobRef> made;
    const double through = durable.hand_over(*launcher_, requests, made);
    const double packed = durable.hand_over(*launcher_, {request(name + "all", kJobs)}, made);
    std::printf(
        "bench: %d runs: bare requests %.3f s, launcher %.3f s (%.2fx), packed %.3f s (%.3fx)\n",
        kJobs, plain, through, through / plain, packed, packed / plain);
    ratios.push_back(through / plain);
    packed_ratios.push_back(packed / plain);
  }
  std::printf("bench: median of %zu: launcher %.2fx, packed %.3fx\n", ratios.size(), median(ratios),
              median(packed_ratios));
  EXPECT_LE(median(ratios), kMostRatio);
  EXPECT_LE(median(packed_ratios), 0.2);
}

}  // namespace
}  // namespace kneepoint

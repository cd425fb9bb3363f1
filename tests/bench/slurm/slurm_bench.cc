// SPDX-License-Identifier: Apache-2.0
//
// Held jobs on a real cluster. Submission as a controller does it (intent on disk, folder, script,
// allocation file and Slurm's own submit time included), one job per run and packed, against a loop
// of bare sbatch for the same runs; and looks at 5,000 queued jobs. Rounds are interleaved, so that
// what else the machine does hits all alike, and the median of five counts.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/io/subprocess.h"
#include "tests/bench/slurm/durable_submission.h"

namespace kneepoint {
namespace {

constexpr int kJobs = 200;
constexpr int kQueued = 5'000;
constexpr int kRounds = 5;
constexpr double kMostRatio = 1.5;
constexpr double kMostPackedRatio = 0.2;
constexpr double kMostCpuSeconds = 0.050;

double own_cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class SlurmBench : public testing::Test {
 protected:
  SlurmBench() {
    ::setenv("SLURM_CONF", KP_SLURM_FOLDER "/plain/etc/slurm.conf", 1);
    std::string folder = testing::TempDir() + "kp_bench_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    site_.backend = BackendKind::slurm;
    site_.slurm.options = {"--hold"};
    auto made = make_launcher({site_, system_clock(), poller_, KP_BIN_DIR "/kneepoint-agent"});
    EXPECT_TRUE(made) << made.error().message;
    if (made) launcher_ = std::move(made).value();
  }
  ~SlurmBench() override {
    for (std::size_t i = 0; i < ids_.size(); i += 1000) {
      SpawnOptions options;
      options.argv = {"scancel"};
      const auto end = ids_.begin() + static_cast<std::ptrdiff_t>(std::min(ids_.size(), i + 1000));
      options.argv.insert(options.argv.end(), ids_.begin() + static_cast<std::ptrdiff_t>(i), end);
      const auto ended = run_captured(options, 5 * kMinute);
      EXPECT_TRUE(ended) << ended.error().message;
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  AllocationRequest request(const std::string& name, int steps) const {
    AllocationRequest request;
    request.name = "kp-" + name;
    request.directory = folder_ + "/study";
    for (int i = 0; i < steps; ++i) {
      Step step;
      step.attempt = request.name + "-s" + std::to_string(i);
      step.run_dir = request.directory + "/" + step.attempt;
      step.command.argv = {"true"};
      step.limit = kMinute;
      request.limit += step.limit;
      request.steps.push_back(step);
    }
    return request;
  }

  std::vector<AllocationRequest> requests(const std::string& name, int count) const {
    std::vector<AllocationRequest> all;
    for (int i = 0; i < count; ++i) all.push_back(request(name + "-" + std::to_string(i), 1));
    return all;
  }

  double bare(int count) {
    const std::string script = folder_ + "/bare.sh";
    std::ofstream(script) << "#!/bin/sh\nexec true\n";
    const Nanoseconds before = system_clock().steady();
    for (int i = 0; i < count; ++i) {
      SpawnOptions options;
      options.argv = {"sbatch",
                      "--parsable",
                      "--hold",
                      "--job-name=bare-" + std::to_string(i),
                      "--output=/dev/null",
                      script};
      const auto ended = run_captured(options, kMinute);
      if (!ended || ended->exit_code != 0) {
        ADD_FAILURE() << (ended ? ended->errors : ended.error().message);
        continue;
      }
      ids_.push_back(ended->output.substr(0, ended->output.find_first_of(";\n")));
    }
    return to_seconds(system_clock().steady() - before);
  }

  std::vector<JobRef> submit(const std::vector<AllocationRequest>& all) {
    std::vector<JobRef> jobs;
    for (const auto& answer : launcher_->submit(all, system_clock().steady() + 20 * kMinute)) {
      if (!answer) {
        ADD_FAILURE() << answer.error().message;
        continue;
      }
      jobs.push_back(*answer);
      ids_.push_back(answer->id);
    }
    return jobs;
  }

  std::string folder_;
  std::vector<std::string> ids_;  // to be cancelled
  Site site_;
  Poller poller_;
  std::unique_ptr<Launcher> launcher_;
};

TEST_F(SlurmBench, SubmissionTakesAtMostOneAndAHalfTimesBareSbatchAndPackedAFifth) {
  DurableSubmission durable(folder_, kJobs);
  std::vector<double> ratios, packed_ratios;
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = "b" + std::to_string(round);
    const double plain = bare(kJobs);
    std::vector<JobRef> jobs;
    const double ours = durable.hand_over(*launcher_, requests(name, kJobs), jobs);
    EXPECT_EQ(jobs.size(), static_cast<std::size_t>(kJobs));
    const double packed = durable.hand_over(*launcher_, {request(name + "-all", kJobs)}, jobs);
    for (const JobRef& job : jobs) ids_.push_back(job.id);
    std::printf(
        "bench: %d runs: bare sbatch %.3f s, launcher %.3f s (%.2fx), packed %.3f s (%.3fx)\n",
        kJobs, plain, ours, ours / plain, packed, packed / plain);
    ratios.push_back(ours / plain);
    packed_ratios.push_back(packed / plain);
  }
  std::printf("bench: median of %d: launcher %.2fx, packed %.3fx\n", kRounds, median(ratios),
              median(packed_ratios));
  EXPECT_LE(median(ratios), kMostRatio);
  EXPECT_LE(median(packed_ratios), kMostPackedRatio);
}

TEST_F(SlurmBench, FiveThousandQueuedJobsAreOneQueryAndLittleCpu) {
  const std::vector<JobRef> jobs = submit(requests("q", kQueued));
  ASSERT_EQ(jobs.size(), static_cast<std::size_t>(kQueued));
  // Every squeue is counted on its way.
  const std::string bin = folder_ + "/bin";
  std::filesystem::create_directory(bin);
  std::ofstream(bin + "/squeue") << "#!/bin/sh\necho asked >>" << folder_
                                 << "/asked\nexec /usr/bin/squeue \"$@\"\n";
  ::chmod((bin + "/squeue").c_str(), 0755);
  ::setenv("PATH", (bin + ":" + std::getenv("PATH")).c_str(), 1);
  std::vector<double> cpu;
  constexpr int kLooks = 5;
  for (int look = 0; look < kLooks; ++look) {
    ASSERT_TRUE(poller_.wait(1200 * kMillisecond));  // the next tick
    const double before = own_cpu_seconds();
    const auto seen = launcher_->observe(jobs, system_clock().steady() + kMinute);
    const double used = own_cpu_seconds() - before;
    ASSERT_TRUE(seen) << seen.error().message;
    ASSERT_EQ(seen->size(), jobs.size());
    EXPECT_EQ(seen->back().state, AllocationState::queued) << seen->back().detail;
    std::printf("bench: %d jobs: %.1f ms of own CPU\n", kQueued, used * 1e3);
    cpu.push_back(used);
  }
  std::printf("bench: median of %d: %.1f ms\n", kLooks, median(cpu) * 1e3);
  EXPECT_LE(median(cpu), kMostCpuSeconds);
  int asked = 0;
  std::ifstream lines(folder_ + "/asked");
  for (std::string line; std::getline(lines, line);) ++asked;
  EXPECT_EQ(asked, kLooks) << "one query per tick";
}

}  // namespace
}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Jobs on a real API server without a node. Submission as a controller does it (intent on disk,
// allocation file, Job, Service) against a loop that posts the same objects over one connection and
// keeps nothing; rounds are interleaved, so that what else the machine does hits both alike, and
// the median of the ratios counts. Then a thousand runs of one study, watched by the real program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/io/http_client.h"
#include "tests/bench/slurm/durable_submission.h"
#include "tests/fakes/cluster_place.h"
#include "tests/kubernetes/kube_lab.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::comes_true;

constexpr int kJobs = 1'000;
constexpr int kRounds = 25;  // an odd number
constexpr int kJobsOfARound = kJobs / kRounds;
constexpr double kMostRatio = 1.2;
constexpr double kMostBytes = 100e6;
constexpr char kSomeUid[] = "00000000-0000-4000-8000-000000000000";

class KubeBench : public testing::Test {
 protected:
  void SetUp() override {
    if (!lab_.missing().empty()) GTEST_SKIP() << lab_.missing();
  }

  // How many there are of a kind; -1: no answer.
  int count(const std::string& path) const {
    const auto answer = lab_.call("GET", path + "?limit=1");
    if (answer.status != 200) return -1;
    const json& metadata = answer.body.at("metadata");
    return static_cast<int>(answer.body.at("items").size()) +
           metadata.value("remainingItemCount", 0);
  }

  // The sum of the API server's own counters of this name that have all of these labels.
  double metric(const std::string& name, const std::vector<std::string>& labels) const {
    std::istringstream lines(lab_.text("/metrics"));
    double sum = 0;
    bool any = false;
    for (std::string line; std::getline(lines, line);) {
      any = any || line.starts_with("apiserver_request_total{");
      bool fits = line.starts_with(name + "{");
      for (const std::string& label : labels) fits = fits && testing_support::has(line, label);
      if (fits) sum += std::stod(line.substr(line.rfind(' ')));
    }
    EXPECT_TRUE(any) << "the API server told nothing of itself";
    return sum;
  }

  testing_support::KubeLab lab_{"bench", false};
  testing_support::ClusterPlace place_;
};

class KubeSubmission : public KubeBench {
 protected:
  void SetUp() override {
    KubeBench::SetUp();
    if (IsSkipped()) return;
    lab_.describe(site_, place_.path());
    auto made = make_launcher({site_, system_clock(), poller_, "/nowhere"});
    ASSERT_TRUE(made) << made.error().message;
    launcher_ = std::move(*made);
    HttpTarget target;
    target.url = lab_.server();
    target.ca_file = lab_.folder() + "/pki/ca.crt";
    target.client_certificate = lab_.folder() + "/pki/admin.crt";
    target.client_key = lab_.folder() + "/pki/admin.key";
    auto bare = HttpClient::make(target, system_clock());
    ASSERT_TRUE(bare) << bare.error().message;
    bare_ = std::move(*bare);
    // Nobody makes pods meanwhile: only what is measured is at work.
    for (const char* part : {"kube-controller-manager", "kube-scheduler"}) {
      ASSERT_EQ(lab_.cluster("stop", {part}), 0);
    }
  }
  void TearDown() override {
    if (IsSkipped()) return;
    for (const char* part : {"kube-controller-manager", "kube-scheduler"}) {
      EXPECT_EQ(lab_.cluster("start", {part}), 0);
    }
  }

  std::vector<AllocationRequest> requests(const std::string& name) const {
    std::vector<AllocationRequest> all;
    for (int i = 0; i < kJobsOfARound; ++i) {
      AllocationRequest request;
      request.name = "kp-" + name + "-" + std::to_string(i);
      request.directory = place_.path() + "/study";
      Step step;
      step.attempt = "r" + std::to_string(i) + "-a1";
      step.run_dir = request.directory + "/" + request.name;
      step.command.argv = {"true"};
      step.limit = request.limit = kMinute;
      request.steps.push_back(step);
      all.push_back(request);
    }
    return all;
  }

  void post(const std::string& path, const std::string& body) {
    HttpRequest request;
    request.method = "POST";
    request.path = path;
    request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}};
    request.body = body;
    const auto answer = bare_->call(request, system_clock().steady() + kMinute);
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_EQ(answer->status, 201) << answer->body;
  }

  double bare(const std::string& name) {
    std::vector<std::pair<std::string, std::string>> objects;
    for (const AllocationRequest& request : requests(name)) {
      const KubeManifest manifest = kube_manifest(request, site_, std::string(64, 'a'));
      objects.emplace_back(manifest.job, kube_service(manifest.name, request.directory, kSomeUid));
    }
    const Nanoseconds before = system_clock().steady();
    for (const auto& [job, service] : objects) {
      post(lab_.jobs(), job);
      post(lab_.core("services"), service);
    }
    return to_seconds(system_clock().steady() - before);
  }

  Site site_;
  Poller poller_;
  std::unique_ptr<Launcher> launcher_;
  std::unique_ptr<HttpClient> bare_;
};

TEST_F(KubeSubmission, TakesAtMostOneAndAFifthOfBarePostsForAThousandJobs) {
  DurableSubmission durable(place_.path(), kJobsOfARound);
  std::vector<double> ratios;
  double plain_sum = 0;
  double ours_sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string number = std::to_string(round);
    std::vector<JobRef> jobs;
    double plain = 0;
    if (round % 2 == 0) plain = bare("b" + number);
    const double ours = durable.hand_over(*launcher_, requests("l" + number), jobs);
    if (round % 2 == 1) plain = bare("b" + number);
    ASSERT_EQ(jobs.size(), static_cast<std::size_t>(kJobsOfARound));
    ratios.push_back(ours / plain);
    plain_sum += plain;
    ours_sum += ours;
  }
  std::printf("bench: %d jobs: bare POSTs %.2f s, launcher %.2f s (%.2fx); median of %d: %.2fx\n",
              kJobs, plain_sum, ours_sum, ours_sum / plain_sum, kRounds, median(ratios));
  EXPECT_EQ(count(lab_.jobs()), 2 * kJobs);
  EXPECT_EQ(count(lab_.core("services")), 2 * kJobs);
  EXPECT_LE(median(ratios), kMostRatio);
}

TEST_F(KubeBench, AThousandJobsAreOneWatchAndLittleMemory) {
  const std::string site =
      place_.write("site.yaml", lab_.site_text(place_.path(), "  pending_limit: 2h\n"));
  const std::string plan = place_.waiting_plan("thousand", kJobs, "timeout: 1h");
  const pid_t controller =
      place_.start({"run", plan, "--site", site, "--concurrent", std::to_string(kJobs)});
  const Nanoseconds before_jobs = system_clock().steady();
  EXPECT_TRUE(comes_true([&] { return count(lab_.jobs()) == kJobs; }, 600)) << place_.read("err");
  std::printf("bench: %d jobs of one study were there after %.1f s\n", kJobs,
              to_seconds(system_clock().steady() - before_jobs));
  // The others come while we look, at the pace of the Job controller.
  EXPECT_TRUE(comes_true([&] { return count(lab_.core("pods")) >= kJobs / 4; }, 600));
  const auto asked = [&](const std::string& resource) {
    return metric("apiserver_request_total",
                  {"resource=\"" + resource + "\"", "scope=\"namespace\"", "verb=\"LIST\""});
  };
  const double before = asked("jobs") + asked("pods");
  EXPECT_FALSE(place_.ended_within(controller, 10'000'000)) << place_.read("err");
  // It looks twice a second, and each look would be two lists of two pages. Namespaces that are
  // being removed are listed too, by others; and a watch may end and begin anew.
  EXPECT_LE(asked("jobs") + asked("pods"), before + 20) << "it lists what it watches";
  for (const std::string resource : {"jobs", "pods"}) {
    const auto watches = [&] {
      return metric("apiserver_longrunning_requests",
                    {"resource=\"" + resource + "\"", "scope=\"namespace\"", "verb=\"WATCH\""});
    };
    EXPECT_TRUE(comes_true([&] { return watches() == 1; }, 60)) << resource << ": " << watches();
  }
  const Nanoseconds watched = system_clock().steady();
  EXPECT_EQ(place_.ask({"cancel", "thousand"}).exit_code, 0);
  const auto ended = place_.finish(controller);
  std::printf("bench: controller of %d jobs: %.1f MB at most; cancelled in %.1f s\n", kJobs,
              static_cast<double>(ended.peak_kb) * 1.024e-3,
              to_seconds(system_clock().steady() - watched));
  EXPECT_LT(static_cast<double>(ended.peak_kb) * 1024, kMostBytes);
  EXPECT_EQ(count(lab_.jobs()), 0) << ended.errors;
}

}  // namespace
}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Many Jobs at once, of one controller or of two.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/backend/launcher.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/http_server.h"

namespace kneepoint {
namespace {

using nlohmann::json;

// An API server that keeps whatever is posted, by name.
class ManyJobs : public testing::Test {
 protected:
  ManyJobs() {
    for (const char* machine : {"one", "two"}) {
      std::string folder = testing::TempDir() + "kp_many_jobs_XXXXXX";
      EXPECT_NE(::mkdtemp(folder.data()), nullptr);
      folders_[machine] = folder;
    }
    site_.backend = BackendKind::kubernetes;
    site_.kubernetes.image = "perf:1";
    site_.kubernetes.access.server = server_.url();
  }
  ~ManyJobs() override {
    for (const auto& [machine, folder] : folders_) std::filesystem::remove_all(folder);
  }

  std::unique_ptr<Launcher> launcher() {
    auto made = make_launcher({site_, clock_, poller_, "/nowhere"});
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : nullptr;
  }
  static std::vector<AllocationRequest> requests(const std::string& directory, int count) {
    std::vector<AllocationRequest> all;
    for (int i = 0; i < count; ++i) {
      AllocationRequest request;
      request.name = "kp-0a1b2c3d-1-" + std::to_string(i) + "-a1";
      request.directory = directory;
      Step step;
      step.attempt = "r" + std::to_string(i) + "-a1";
      step.run_dir = directory + "/" + step.attempt;
      step.command.argv = {"true"};
      request.steps.push_back(step);
      all.push_back(request);
    }
    return all;
  }
  Deadline soon() const { return clock_.steady() + kMinute; }

  std::string answer(const FakeHttpRequest& asked) {
    if (asked.path.find("watch=1") != std::string::npos) return FakeHttpServer::reply(500, "{}");
    if (asked.method == "DELETE") return remove(asked);
    if (asked.method != "POST") return get(asked.path);
    json object = json::parse(asked.body);
    const std::string name = object["metadata"]["name"].get<std::string>();
    auto& kept = object["kind"] == "Job" ? jobs_ : services_;
    if (const auto refused = refused_.find(object["kind"].get<std::string>());
        refused != refused_.end()) {
      return FakeHttpServer::reply(refused->second, R"({"kind":"Status","message":"no"})");
    }
    if (name.find("-13-a1-") != std::string::npos && object["kind"] == "Job") {
      return FakeHttpServer::reply(422, R"({"kind":"Status","code":422,"message":"bad luck"})");
    }
    if (kept.contains(name)) return FakeHttpServer::reply(409, R"({"reason":"AlreadyExists"})");
    object["metadata"]["uid"] = "uid-" + name;
    object["metadata"]["creationTimestamp"] = "2027-01-15T08:00:00Z";
    kept[name] = object;
    return FakeHttpServer::reply(201, object.dump());
  }
  std::string remove(const FakeHttpRequest& asked) {
    const std::string name = asked.path.substr(asked.path.rfind('/') + 1);
    EXPECT_EQ(json::parse(asked.body)["preconditions"]["uid"], "uid-" + name);
    return FakeHttpServer::reply(jobs_.erase(name) > 0 ? 200 : 404, "{}");
  }
  std::string get(const std::string& path) const {
    const std::size_t query = path.find('?');
    if (query == std::string::npos) {
      const auto& kept = path.find("/services/") == std::string::npos ? jobs_ : services_;
      const auto found = kept.find(path.substr(path.rfind('/') + 1));
      if (found == kept.end()) return FakeHttpServer::reply(404, "{}");
      return FakeHttpServer::reply(200, found->second.dump());
    }
    json items = json::array();
    const bool is_jobs = path.find("/jobs?") != std::string::npos;
    for (const auto& [name, job] : jobs_) {
      const std::string ours = job["metadata"]["labels"][kKubeControllerLabel].get<std::string>();
      if (is_jobs && path.find(ours) != std::string::npos) items.push_back(job);
    }
    return FakeHttpServer::reply(200, json{{"kind", is_jobs ? "JobList" : "PodList"},
                                           {"metadata", {{"resourceVersion", "1"}}},
                                           {"items", items}}
                                          .dump());
  }

  std::map<std::string, json> jobs_, services_;  // used by one answer at a time
  std::map<std::string, int> refused_;           // kinds that can't be made, and the status
  FakeHttpServer server_{[this](const FakeHttpRequest& asked) { return answer(asked); }};
  FakeClock clock_;
  Poller poller_;
  Site site_;
  std::map<std::string, std::string> folders_;
};

TEST_F(ManyJobs, AreSubmittedAndCancelledTogetherEachWithItsOwnAnswer) {
  const auto all = requests(folders_["one"] + "/work/study", 100);
  auto ours = launcher();
  ASSERT_TRUE(ours);
  auto answers = ours->submit(all, soon());
  ASSERT_EQ(answers.size(), all.size());
  std::vector<JobRef> refs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 13) {
      ASSERT_FALSE(answers[i]);
      EXPECT_EQ(answers[i].error().message,
                "submit kp-0a1b2c3d-1-13-a1: create jobs in namespace default: refused (422): bad "
                "luck");
      continue;
    }
    ASSERT_TRUE(answers[i]) << answers[i].error().message;
    EXPECT_EQ(answers[i]->name, all[i].name);
    EXPECT_NE(answers[i]->id.find(all[i].name + "-"), std::string::npos) << answers[i]->id;
    refs.push_back(*answers[i]);
  }
  EXPECT_EQ(jobs_.size(), 99U);
  EXPECT_EQ(services_.size(), 99U);
  for (const auto& [name, service] : services_) {
    EXPECT_EQ(service["metadata"]["ownerReferences"][0]["uid"], "uid-" + name);
  }
  // Killed before it could write that down.
  services_.erase(services_.begin());
  auto next = launcher();
  ASSERT_TRUE(next);
  answers = next->submit(all, soon());
  EXPECT_EQ(jobs_.size(), 99U);
  EXPECT_EQ(services_.size(), 99U) << "a Job without its Service gets one";
  for (const auto& cancelled : next->cancel(refs, soon())) EXPECT_TRUE(cancelled);
  EXPECT_TRUE(jobs_.empty());
}

TEST_F(ManyJobs, WithoutTheRightToServicesNoJobStaysUnlessWeHadIt) {
  const auto all = requests(folders_["one"] + "/work/study", 2);
  auto ours = launcher();
  ASSERT_TRUE(ours);
  const auto submit = [&](std::size_t which) {
    return ours->submit(std::span(&all[which], 1), soon()).front();
  };
  refused_ = {{"Service", 403}};
  const auto first = submit(0);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, ErrorCode::permission) << first.error().message;
  EXPECT_TRUE(jobs_.empty()) << "a site without the right is left as it was";
  refused_.clear();
  ASSERT_TRUE(submit(0));
  // Taken away in mid-study: given back, the same Job has its Service.
  refused_ = {{"Service", 403}};
  const auto second = submit(1);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::permission) << second.error().message;
  EXPECT_EQ(jobs_.size(), 2U);
  refused_.clear();
  const auto again = submit(1);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(jobs_.size(), 2U);
  EXPECT_EQ(services_.size(), 2U);
}

TEST_F(ManyJobs, ANamespaceThatIsGoneIsTheSitesTroubleAndNotTheRuns) {
  auto ours = launcher();
  ASSERT_TRUE(ours);
  refused_ = {{"Job", 404}};
  const auto answers = ours->submit(requests(folders_["one"] + "/work/study", 1), soon());
  ASSERT_FALSE(answers.front());
  EXPECT_EQ(answers.front().error().code, ErrorCode::unavailable);
  EXPECT_FALSE(answers.front().error().retryable) << "at the start of a study it ends it";
  EXPECT_EQ(answers.front().error().message,
            "submit kp-0a1b2c3d-1-0-a1: create jobs in namespace default: not there (404): no");
}

TEST_F(ManyJobs, OfTwoMachinesWithTheSamePathsAreTwoControllersJobs) {
  // What both call the same: a link that leads to another disk.
  const std::string path = folders_["one"] + "/here";
  std::vector<std::vector<JobRef>> refs;
  for (const char* machine : {"one", "two"}) {
    const std::string disk = folders_[machine] + "/disk";
    std::filesystem::create_directory(disk);
    std::filesystem::remove(path);
    std::filesystem::create_directory_symlink(disk, path);
    auto controller = launcher();
    ASSERT_TRUE(controller);
    refs.emplace_back();
    for (const auto& answer : controller->submit(requests(path + "/study", 3), soon())) {
      ASSERT_TRUE(answer) << answer.error().message;
      refs.back().push_back(*answer);
    }
  }
  EXPECT_EQ(jobs_.size(), 6U) << "neither took the other's for its own";
  auto second = launcher();
  ASSERT_TRUE(second);
  for (const auto& cancelled : second->cancel(refs[1], soon())) EXPECT_TRUE(cancelled);
  EXPECT_EQ(jobs_.size(), 3U) << "the first one's are left alone";
}

}  // namespace
}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The real agent and its pusher against an endpoint of the test's own: by allocation file, and in a
// pod. What arrives is byte for byte what lies in the run directory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "agents/wire/frame.h"
#include "agents/wire/record.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/server/push/endpoint.h"
#include "orchestrator/store/push_spool.h"
#include "tests/fakes/patience.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

class PushAgentTest : public ::testing::Test {
 protected:
  PushAgentTest() {
    std::string name = (fs::temp_directory_path() / "kp-push-agent-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    auto opened = PushEndpoint::open(PushSite{}, folder_ + "/push", "study", system_clock());
    EXPECT_TRUE(opened) << opened.error().message;
    if (opened) endpoint_ = std::move(*opened);
  }
  ~PushAgentTest() override {
    endpoint_.reset();
    fs::remove_all(folder_);
  }

  std::string allocation(const std::vector<std::string>& scripts, const PushTarget& push) const {
    JsonWriter w;
    w.begin_object().key("v").value(1).key("name").value("kp-1").key("push").begin_object();
    w.key("url").value(push.url).key("token").value(push.token).key("ca").value(push.ca);
    w.end_object().key("steps").begin_array();
    int number = 0;
    for (const std::string& script : scripts) {
      const std::string attempt = "r" + std::to_string(++number) + "-a1";
      w.begin_object().key("attempt").value(attempt).key("run_dir").value(runs() + "/" + attempt);
      w.key("argv").begin_array().value("/bin/sh").value("-c").value(script).end_array();
      w.end_object();
    }
    w.end_array().end_object();
    return w.text();
  }

  std::string runs() const { return folder_ + "/work/runs"; }

  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // kneepoint-agent WORDS... with these variables; its exit code.
  int agent(const std::vector<std::string>& words,
            const std::vector<std::pair<std::string, std::string>>& variables = {}) const {
    const pid_t pid = fork();
    if (pid == 0) {
      for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
      setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
      dup2(open((folder_ + "/out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
      dup2(open((folder_ + "/err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
      std::vector<char*> argv = {const_cast<char*>("kneepoint-agent")};
      for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
      argv.push_back(nullptr);
      execv(KP_BIN_DIR "/kneepoint-agent", argv.data());
      _exit(126);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  int run(const std::vector<std::string>& scripts, const PushTarget& push) const {
    fs::create_directories(runs());
    std::ofstream(folder_ + "/allocation.json") << allocation(scripts, push);
    return agent({"run", folder_ + "/allocation.json"});
  }

  // What arrived for an attempt, each line once, by seq.
  std::string arrived(const std::string& attempt) const {
    SpoolReader reader(push_spool(folder_ + "/push", "study"));
    std::string text;
    const auto pushes = reader.take(64 << 20);
    for (const Push& push : pushes.value()) {
      EXPECT_EQ(push.allocation, "kp-1");
      if (push.attempt == attempt) text += push.lines;
    }
    return text;
  }

  // On a busy machine the agent may end before its pusher does.
  static void wait_until(const std::function<bool()>& is_so) {
    const Nanoseconds until = system_clock().steady() + kPatience;
    while (!is_so() && system_clock().steady() < until) poll(nullptr, 0, 10);
  }

  std::string folder_;
  std::unique_ptr<PushEndpoint> endpoint_;
};

TEST_F(PushAgentTest, EveryStepArrivesWholeAlsoWhenTheAgentEndsAtOnce) {
  ASSERT_EQ(run({"echo one", "echo two"}, endpoint_->target("kp-1")), 0) << read(folder_ + "/err");
  for (const char* attempt : {"r1-a1", "r2-a1"}) {
    const std::string records = read(runs() + "/" + attempt + "/records.ndjson");
    EXPECT_FALSE(records.empty());
    wait_until([&] { return arrived(attempt).size() >= records.size(); });
    EXPECT_EQ(arrived(attempt), records) << read(folder_ + "/err");
  }
}

TEST_F(PushAgentTest, ALongerStepArrivesInPieces) {
  const std::string gate = folder_ + "/gate";
  std::thread opener([&] {
    wait_until([&] { return endpoint_->stats().pushes > 0; });
    std::ofstream(gate) << "open";
  });
  const int code =
      run({"while [ ! -e " + gate + " ]; do sleep 0.05; done"}, endpoint_->target("kp-1"));
  opener.join();
  ASSERT_EQ(code, 0);
  const std::string records = read(runs() + "/r1-a1/records.ndjson");
  wait_until([&] { return arrived("r1-a1").size() >= records.size(); });
  EXPECT_EQ(arrived("r1-a1"), records) << read(folder_ + "/err");
  wait_until([&] { return endpoint_->stats().pushes >= 2; });  // counted once they are answered
  EXPECT_GE(endpoint_->stats().pushes, 2U);
  EXPECT_EQ(endpoint_->stats().accepted, 1U) << "one connection is kept";
}

TEST_F(PushAgentTest, AWrongTokenAStrangersCertificateAndAnAbsentControllerAreSaidAndHarmless) {
  PushTarget wrong = endpoint_->target("kp-1");
  wrong.token = endpoint_->target("kp-2").token;
  PushTarget stranger = endpoint_->target("kp-1");
  stranger.ca.clear();  // what the system trusts, which we are not
  PushTarget absent = endpoint_->target("kp-1");
  absent.url = "https://127.0.0.1:1";
  for (const PushTarget& push : {wrong, stranger, absent}) {
    fs::remove_all(folder_ + "/work");
    EXPECT_EQ(run({"echo done"}, push), 0);
    EXPECT_NE(read(runs() + "/r1-a1/records.ndjson").find("\"type\":\"end\""), std::string::npos);
    wait_until([&] { return read(folder_ + "/err").find("not pushed") != std::string::npos; });
    const std::string said = read(folder_ + "/err");
    EXPECT_NE(said.find("records of r1-a1 are not pushed"), std::string::npos) << said;
    EXPECT_EQ(said.find(push.token), std::string::npos) << said;
  }
  EXPECT_EQ(arrived("r1-a1"), "");
}

TEST_F(PushAgentTest, ThePusherIsNobodysLeftoverAndEndsWithItsAgent) {
  ASSERT_EQ(run({"sleep 1.5"}, endpoint_->target("kp-1")), 0);
  const std::string records = read(runs() + "/r1-a1/records.ndjson");
  EXPECT_EQ(records.find("leftovers"), std::string::npos) << "it is no process of the workload";
  // Its connection is closed: it has ended.
  wait_until([&] { return endpoint_->stats().connections == 0; });
  EXPECT_EQ(endpoint_->stats().connections, 0U);
}

// As process 1 of a container does that reaps nobody: whatever the agent leaves comes to us.
TEST_F(PushAgentTest, NothingIsLeftForProcess1ToReap) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  PushTarget absent = endpoint_->target("kp-1");
  absent.url = "https://127.0.0.1:1";
  for (const PushTarget& push : {endpoint_->target("kp-1"), absent}) {
    fs::remove_all(folder_ + "/work");
    ASSERT_EQ(run({"sleep 1.5"}, push), 0) << read(folder_ + "/err");
    errno = 0;
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << push.url;
    EXPECT_EQ(errno, ECHILD);
    const std::string records = read(runs() + "/r1-a1/records.ndjson");
    EXPECT_NE(records.find("\"type\":\"end\""), std::string::npos) << records;
    EXPECT_EQ(records.find("leftovers"), std::string::npos) << records;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(PushAgentTest, APodPushesAndPrintsTheSameRecords) {
  const std::string text = allocation({"sleep 1.5"}, endpoint_->target("kp-1"));
  fs::create_directory(folder_ + "/work");
  ASSERT_EQ(agent({"pod"}, {{"KNEEPOINT_KEY", std::string(64, '1')},
                            {"KNEEPOINT_PODS", "1"},
                            {"KNEEPOINT_JOB", "kp-job"},
                            {"JOB_COMPLETION_INDEX", "0"},
                            {"KNEEPOINT_WORK", folder_ + "/work"},
                            {"HOME", folder_ + "/work/home"},
                            {"TMPDIR", folder_ + "/work/tmp"},
                            {"KNEEPOINT_ALLOCATION_0", base64_encoded(text)}}),
            0)
      << read(folder_ + "/err");
  const std::string records = read(runs() + "/r1-a1/records.ndjson");
  EXPECT_EQ(arrived("r1-a1"), records) << read(folder_ + "/err");
  record::FrameReader reader;
  reader.take(read(folder_ + "/out"));
  std::string printed;
  for (const auto& one : reader.appended()) {
    if (one.file == "r1-a1/records.ndjson") printed += one.bytes;
  }
  EXPECT_EQ(printed, records);
  EXPECT_EQ(record::one_of_both(printed, arrived("r1-a1")), records);
}

}  // namespace
}  // namespace kneepoint

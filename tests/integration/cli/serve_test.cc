// SPDX-License-Identifier: Apache-2.0
//
// kneepoint serve, and the script that asks it, as people and CronJobs use them: real programs,
// real studies.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "orchestrator/io/subprocess.h"
#include "tests/fakes/kneepoint_process.h"
#include "tests/fakes/patience.h"
#include "tests/fakes/web_caller.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;
using testing_support::WebCaller;
using testing_support::WebResponse;

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";

std::string plan_of(const std::string& name, const std::string& command, int repeats) {
  return "study: " + name + R"y(
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: it
    command: )y" +
         command + R"y(
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: )y" +
         std::to_string(repeats) + "\n";
}

// A server in a place of its own, and people elsewhere who talk to it.
class Serve : public ::testing::Test {
 protected:
  void SetUp() override {
    token_ = server_place_.write("token", std::string(kToken) + "\n");
    ::chmod(token_.c_str(), 0600);
    server_place_.write("echo.yaml", plan_of("echo", R"([/bin/echo, "t=0.5"])", 3));
    server_place_.write("long.yaml",
                        plan_of("long", R"([/bin/sh, -c, "sleep 0.2; echo t=0.2"])", 400));
    server_place_.write("broken.yaml", "study: 7 7\n");
    server_place_.write("site.yaml", "name: here\nbackend: local\n");
  }
  ~Serve() override { end_server(SIGTERM); }

  void serve(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"serve", "--listen", "127.0.0.1:0",       "--token-file",
                                      token_,  "--plans",  server_place_.path()};
    words.insert(words.end(), more.begin(), more.end());
    pid_ = server_place_.start(words);
    ASSERT_TRUE(server_place_.wait_until(pid_, [&] {
      return server_place_.read("out").find('\n') != std::string::npos;
    })) << server_place_.read("err");
    url_ = server_place_.read("out");
    url_.resize(url_.find_last_not_of("/\n") + 1);
    port_ = std::stoi(url_.substr(url_.rfind(':') + 1));
  }
  int end_server(int signal) {
    if (pid_ == 0) return 0;
    ::kill(std::exchange(pid_, 0), signal);
    return 0;
  }
  WebResponse ask(const std::string& method, const std::string& path,
                  const std::string& body = "") const {
    return WebCaller(port_).ask(method, path, kToken, body);
  }
  json get(const std::string& path) const {
    const WebResponse answer = ask("GET", path);
    EXPECT_EQ(answer.status, 200) << path << " " << answer.body;
    return json::parse(answer.body, nullptr, false);
  }
  std::string start(const std::string& plan) const {
    const WebResponse answer = ask("POST", "/api/v1/studies", "{\"plan\":\"" + plan + "\"}");
    EXPECT_EQ(answer.status, 202) << answer.body;
    return json::parse(answer.body, nullptr, false).value("study", "");
  }
  // Reads the stream of a study until `is_so` of its object, or its end.
  json follow(const std::string& study, const std::function<bool(const json&)>& is_so) const {
    WebCaller caller(port_);
    caller.send(WebCaller::request("GET", "/api/v1/studies/" + study + "/events", kToken, ""));
    EXPECT_EQ(caller.answer().status, 200);
    json last;
    for (;;) {
      const std::string event = caller.read_until("\n\n");
      const std::string opening = "event: study\ndata: ";
      if (event.empty() || event.starts_with("event: end")) return last;
      if (!event.starts_with(opening)) continue;
      last = json::parse(event.substr(opening.size()), nullptr, false);
      if (is_so(last)) return last;
    }
  }

  Place server_place_, place_;
  std::string token_, url_;
  pid_t pid_ = 0;
  int port_ = 0;
};

// deploy/container/start-study with these words.
Captured start_study(const std::vector<std::string>& words) {
  SpawnOptions options;
  options.argv = {"/bin/sh", KP_SOURCE_DIR "/deploy/container/start-study"};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  auto ended = run_captured(options, kStudyPatience);
  EXPECT_TRUE(ended) << ended.error().message;
  return ended ? std::move(ended).value() : Captured{};
}

// The words below `command:` in the CronJob, with our server and token.
std::vector<std::string> nightly_command(const std::string& url, const std::string& token) {
  std::ifstream file(KP_SOURCE_DIR "/deploy/kubernetes/overlays/nightly/nightly.yaml");
  std::vector<std::string> words;
  bool within = false;
  for (std::string line; std::getline(file, line);) {
    const std::size_t dash = line.find("- ");
    if (line.find("command:") != std::string::npos) {
      within = true;
    } else if (within && dash != std::string::npos && line.find_first_not_of(' ') == dash) {
      words.push_back(line.substr(dash + 2));
    } else {
      within = false;
    }
  }
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--server") words[i + 1] = url;
    if (words[i] == "--token-file") words[i + 1] = token;
  }
  return words;
}

TEST_F(Serve, TheCommandOfTheCronJobStartsAStudyAndFollowsItToItsEnd) {
  server_place_.write("plan.yaml", plan_of("nightly", R"([/bin/echo, "t=0.5"])", 3));
  serve();
  std::vector<std::string> words = nightly_command(url_, token_);
  ASSERT_GT(words.size(), 5U);
  ASSERT_EQ(words[0], "/opt/kneepoint/bin/start-study");
  words.erase(words.begin());
  const Captured night = start_study(words);
  EXPECT_EQ(night.exit_code, 0) << night.output << night.errors;
  EXPECT_NE(night.output.find("nightly-"), std::string::npos);
  EXPECT_NE(night.output.find("NO_BASELINE\n"), std::string::npos) << night.output;
  EXPECT_NE(night.errors.find("finished: 3 of 3 runs done, 0 failed"), std::string::npos)
      << night.errors;
  const auto studies = get("/api/v1/studies")["studies"];
  ASSERT_EQ(studies.size(), 1U);
  EXPECT_EQ(studies[0]["state"], "finished");
  EXPECT_EQ(studies[0]["site"], "here");
  EXPECT_FALSE(std::ifstream(place_.path() + "/kneepoint.db").good())
      << "only the controller opens a database";
  EXPECT_EQ((night.output + night.errors).find(kToken), std::string::npos);
}

TEST_F(Serve, AStudyIsFollowedLiveFromItsStartToItsEnd) {
  serve();
  const std::string study = start("echo.yaml");
  const json last = follow(study, [](const json&) { return false; });
  EXPECT_EQ(last["study"]["state"], "finished");
  EXPECT_EQ(last["study"]["running"], false);
  EXPECT_EQ(last["study"]["succeeded"], 3);
  EXPECT_EQ(last["curves"][0]["points"][0]["seconds"], 0.5);
  EXPECT_EQ(get("/api/v1/studies/" + study + "/runs")["runs"].size(), 3U);
  EXPECT_EQ(get("/api/v1/studies/" + study + "/runs/1")["finished"], true);
  EXPECT_EQ(ask("GET", "/api/v1/studies/" + study + "/runs/1/log").body, "t=0.5\n");
  EXPECT_EQ(get("/api/v1/studies/" + study + "/report.json")["study"]["id"], study);
  const std::string series = study.substr(0, study.rfind('-'));
  const json nights = get("/api/v1/series/" + series);
  EXPECT_EQ(nights["nights"][0]["verdict"], "NO_BASELINE");
  EXPECT_EQ(nights["points"][0]["seconds"][0], 0.5);
  const std::string second = start("echo.yaml");
  EXPECT_NE(second, study);
  follow(second, [](const json&) { return false; });
  // Nobody judged the first night when it was new, so that it is judged now; then somebody does.
  EXPECT_EQ(get("/api/v1/series/" + series)["nights"][0]["verdict"], "NO_BASELINE");
  EXPECT_EQ(get("/api/v1/series/" + series)["nights"][0]["judged"], "now");
  const auto judged =
      place_.kneepoint({"gate", study, "--db", server_place_.path() + "/kneepoint.db"});
  EXPECT_EQ(judged.exit_code, 0) << judged.errors;
  EXPECT_EQ(get("/api/v1/series/" + series)["nights"][0]["judged"], "then");
  const WebResponse compared = ask("GET", "/api/v1/compare?study=" + study + "&study=" + second);
  EXPECT_EQ(compared.status, 200) << compared.body;
  EXPECT_EQ(get("/api/v1/series")["series"][0]["studies"], 2);
  EXPECT_NE(ask("GET", "/metrics").body.find("kneepoint_point_seconds{series=\"" + series),
            std::string::npos);
}

TEST_F(Serve, AStudyIsCancelledAndResumedByTheTokensHolder) {
  serve();
  const std::string study = start("long.yaml");
  const auto at_work = [](const json& now) { return now["study"]["succeeded"] >= 2; };
  EXPECT_EQ(follow(study, at_work)["study"]["running"], true);
  EXPECT_EQ(ask("POST", "/api/v1/studies/" + study + "/resume").status, 409) << "it runs";
  EXPECT_EQ(ask("POST", "/api/v1/studies/" + study + "/cancel").status, 202);
  const json cancelled = follow(study, [](const json&) { return false; });
  EXPECT_EQ(cancelled["study"]["state"], "cancelled");
  EXPECT_EQ(ask("POST", "/api/v1/studies/" + study + "/cancel").status, 409) << "it is over";
  const int before = cancelled["study"]["succeeded"];
  EXPECT_EQ(ask("POST", "/api/v1/studies/" + study + "/resume").status, 202);
  const json again =
      follow(study, [&](const json& now) { return now["study"]["succeeded"] > before; });
  EXPECT_EQ(again["study"]["state"], "running");
  ask("POST", "/api/v1/studies/" + study + "/cancel");
  EXPECT_EQ(follow(study, [](const json&) { return false; })["study"]["state"], "cancelled");
}

TEST_F(Serve, AStudyWhoseControllerWasKilledIsShownAsSuchAndResumed) {
  serve();
  const std::string study = start("long.yaml");
  follow(study, [](const json& now) { return now["study"]["succeeded"] >= 2; });
  const auto status =
      place_.kneepoint({"status", study, "--json", "--db", server_place_.path() + "/kneepoint.db"});
  ::kill(json::parse(status.output)["controller"]["pid"].get<pid_t>(), SIGKILL);
  const json alone =
      follow(study, [](const json& now) { return now["study"]["running"] == false; });
  EXPECT_EQ(alone["study"]["state"], "running") << "as the dead one left it";
  end_server(SIGTERM);
  serve({"--resume"});
  const json resumed =
      follow(study, [](const json& now) { return now["study"]["running"] == true; });
  EXPECT_EQ(resumed["study"]["running"], true);
  ask("POST", "/api/v1/studies/" + study + "/cancel");
  EXPECT_EQ(follow(study, [](const json&) { return false; })["study"]["state"], "cancelled");
}

TEST_F(Serve, WhatCannotBeStartedIsRefusedInWords) {
  serve();
  for (const char* body : {R"({"plan":"none.yaml"})", R"({"plan":"echo.yaml","site":"none"})"}) {
    EXPECT_EQ(ask("POST", "/api/v1/studies", body).status, 404) << body;
  }
  const WebResponse broken = ask("POST", "/api/v1/studies", R"({"plan":"broken.yaml"})");
  EXPECT_EQ(broken.status, 400);
  EXPECT_NE(broken.body.find("broken.yaml:1:"), std::string::npos) << broken.body;
  EXPECT_EQ(get("/api/v1/studies")["studies"].size(), 0U);
  const Captured refused = start_study({"none.yaml", "--server", url_, "--token-file", token_});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("there is no plan of this name"), std::string::npos);
  const std::string wrong = place_.write("wrong", "00000000000000000000\n");
  ::chmod(wrong.c_str(), 0600);
  const Captured stranger = start_study({"echo.yaml", "--server", url_, "--token-file", wrong});
  EXPECT_EQ(stranger.exit_code, 2);
  EXPECT_NE(stranger.errors.find("the token is not the one of this server"), std::string::npos);
}

TEST_F(Serve, ThePageAndItsPolicyAreServedAndTheProgramEndsWell) {
  serve();
  const WebResponse page = WebCaller(port_).ask("GET", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.body.starts_with("<!doctype html>")) << page.body.substr(0, 100);
  EXPECT_NE(page.header("Content-Security-Policy").find("script-src"), std::string::npos);
  ::kill(pid_, SIGTERM);
  const auto ended = server_place_.wait(std::exchange(pid_, 0));
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ((ended.output + ended.errors).find(kToken), std::string::npos);
}

TEST(ServeFlags, AnAddressThatOthersReachTakesATokenAndTls) {
  const Place place;
  const std::string token = place.write("token", std::string(kToken) + "\n");
  ::chmod(token.c_str(), 0600);
  const std::string open = place.write("open", std::string(kToken) + "\n");
  ::chmod(open.c_str(), 0644);
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--listen", "0.0.0.0:0"}, "say --token-file FILE"},
      {{"--listen", "0.0.0.0:0", "--token-file", token}, "say --tls-cert FILE and --tls-key FILE"},
      {{"--listen", "0.0.0.0:0", "--behind-proxy"}, "say --token-file FILE"},
      {{"--tls-cert", "x"}, "--tls-cert and --tls-key belong together"},
      {{"--listen", "nonsense"}, "expected ADDRESS:PORT"},
      {{"--listen", "127.0.0.1:70000"}, "expected ADDRESS:PORT"},
      {{"--token-file", open}, "chmod 600"},
      {{"--plans", "/nonexistent"}, "there is no folder"},
  };
  for (const auto& [flags, sentence] : cases) {
    std::vector<std::string> words = {"serve"};
    words.insert(words.end(), flags.begin(), flags.end());
    const auto refused = place.kneepoint(words);
    EXPECT_EQ(refused.exit_code, 2) << sentence;
    EXPECT_NE(refused.errors.find(sentence), std::string::npos) << refused.errors;
    EXPECT_EQ(refused.errors.find(kToken), std::string::npos);
  }
}

TEST(ServeFlags, RunResumesOnlyTheNewestOfASeries) {
  const Place place;
  const std::string plan = place.write("p.yaml", plan_of("twice", R"([/bin/echo, "t=0.5"])", 1));
  ASSERT_EQ(place.kneepoint({"run", plan}).exit_code, 0);
  ASSERT_EQ(place.kneepoint({"run", plan, "--new"}).exit_code, 0);
  const auto studies = json::parse(place.kneepoint({"list", "--json"}).output)["studies"];
  const auto old = place.kneepoint({"run", "--resume", studies[1]["id"]});
  EXPECT_EQ(old.exit_code, 2);
  EXPECT_NE(old.errors.find("is not the newest of its series"), std::string::npos) << old.errors;
  const auto both = place.kneepoint({"run", plan, "--resume", studies[0]["id"]});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.errors.find("leave PLAN out"), std::string::npos);
  EXPECT_NE(place.kneepoint({"run"}).errors.find("PLAN is missing"), std::string::npos);
  const auto done = place.kneepoint({"run", "--resume", studies[0]["id"]});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_NE(done.errors.find("is finished"), std::string::npos);
}

}  // namespace
}  // namespace kneepoint

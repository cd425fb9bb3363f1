// SPDX-License-Identifier: Apache-2.0
//
// `gate --webhook-file` through the real program to a real HTTPS server: what arrives, what is
// tried again, and that the address is seen nowhere.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class WebhookOfGate : public testing::Test {
 protected:
  void SetUp() override {
    const std::string plan = place_.write(
        "plan.yaml",
        "study: hook\nmodes: [strong]\nscale: [1, 2]\nrepeat: 2\n"
        "workloads: [{name: app, command: [app], metrics: {time: {pattern: \"t=(.*)\"}}}]\n");
    const std::string site =
        place_.write("site.yaml", "backend: simulated\nsimulated: {default_time: 1s}\n");
    const auto run = place_.kneepoint({"run", plan, "--site", site});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    const std::string make =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
        "/CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout " +
        at("key.pem") + " -out " + at("cert.pem") + " 2>/dev/null";
    FILE* const made = ::popen(make.c_str(), "r");
    ASSERT_NE(made, nullptr);
    ASSERT_EQ(::pclose(made), 0);
  }
  void TearDown() override {
    if (server_ != nullptr) ::pclose(server_);
  }

  // Answers with these statuses first. It ends with the pipe to it.
  void start(const std::string& statuses = "") {
    const std::string port_file = at("port");
    ASSERT_EQ(::mkfifo(port_file.c_str(), 0600), 0);
    server_ = ::popen(("python3 " KP_SOURCE_DIR "/tests/fakes/webhook_server.py " + at("cert.pem") +
                       " " + at("key.pem") + " " + at("posts") + " " + statuses + " >" + port_file)
                          .c_str(),
                      "w");
    ASSERT_NE(server_, nullptr);
    std::ifstream told(port_file);
    int port = 0;
    told >> port;
    ASSERT_GT(port, 0) << "the server did not start";
    place_.write("address", "https://127.0.0.1:" + std::to_string(port) + kSecret + "\n");
  }

  Place::Ended gate(std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), {"gate", "--webhook-file", at("address"), "--log-level", "debug"});
    Place::Ended ended = place_.kneepoint(flags);
    EXPECT_EQ((ended.output + ended.errors).find("T0-secret"), std::string::npos)
        << ended.output << ended.errors;
    return ended;
  }

  std::vector<json> posts() const {
    std::vector<json> found;
    std::istringstream lines(place_.read("posts"));
    for (std::string line; std::getline(lines, line);) found.push_back(json::parse(line));
    return found;
  }

  std::string at(const std::string& name) const { return place_.path() + "/" + name; }

  const std::string kSecret = "/services/T0-secret?key=T0-secret";
  const Place place_;
  FILE* server_ = nullptr;
};

TEST_F(WebhookOfGate, TellsTheVerdictAndKeepsTheAddressToItself) {
  start();
  const auto ended = gate({"--webhook-ca", at("cert.pem")});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  const auto told = posts();
  ASSERT_EQ(told.size(), 1u) << ended.errors;
  EXPECT_EQ(told[0]["path"], kSecret);
  EXPECT_EQ(told[0]["type"], "application/json");
  const std::string text = json::parse(told[0]["body"].get<std::string>())["text"];
  EXPECT_EQ(text.rfind("*NO_BASELINE* hook-", 0), 0u) << text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place_.path())) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == "address" || name == "posts") continue;
    std::ostringstream bytes;
    bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    EXPECT_EQ(bytes.str().find("T0-secret"), std::string::npos) << entry.path();
  }
}

TEST_F(WebhookOfGate, IsTriedAgainWhenItsServerIsInTrouble) {
  start("503");
  const auto ended = gate({"--webhook-ca", at("cert.pem")});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(posts().size(), 2u);
  EXPECT_EQ(ended.errors.find("not told"), std::string::npos) << ended.errors;
}

TEST_F(WebhookOfGate, ThatIsRefusedLeavesTheVerdictAsItIs) {
  start("404");
  const auto ended = gate({"--webhook-ca", at("cert.pem")});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(posts().size(), 1u) << "a refusal is not tried again";
  EXPECT_NE(ended.errors.find("the webhook was not told: its server answered 404; the verdict "
                              "stands"),
            std::string::npos)
      << ended.errors;
  EXPECT_NE(ended.output.find("NO_BASELINE"), std::string::npos) << ended.output;
}

TEST_F(WebhookOfGate, GoesToNoServerThatCannotProveWhoItIs) {
  start();
  const auto ended = gate();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_TRUE(posts().empty());
  EXPECT_NE(ended.errors.find("can't prove who it is"), std::string::npos) << ended.errors;
}

TEST_F(WebhookOfGate, WithoutAnAddressIsRefusedBeforeAnything) {
  place_.write("address", "http://hooks.example.com/T0-secret\n");
  const auto http = gate();
  EXPECT_EQ(http.exit_code, 2);
  EXPECT_EQ(http.output, "");
  EXPECT_NE(http.errors.find("it is http"), std::string::npos) << http.errors;
  std::filesystem::remove(at("address"));
  EXPECT_EQ(gate().exit_code, 2);
}

TEST_F(WebhookOfGate, WhatElseCannotBeWrittenIsSaidAndHidesNoVerdict) {
  const auto full = place_.kneepoint({"gate", "--junit", "/dev/full", "--prometheus",
                                      at("gate.prom"), "--code-quality", at("quality.json")});
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_NE(full.output.find("NO_BASELINE"), std::string::npos) << full.output;
  EXPECT_NE(full.errors.find("write /dev/full: No space left on device; the verdict stands"),
            std::string::npos)
      << full.errors;
  EXPECT_NE(place_.read("gate.prom").find("verdict=\"NO_BASELINE\"} 1\n"), std::string::npos);
  EXPECT_EQ(json::parse(place_.read("quality.json"))[0]["severity"], "info");
}

}  // namespace
}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// HTTPS against a real server with certificates made on the spot.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "orchestrator/io/http_client.h"
#include "orchestrator/io/subprocess.h"

namespace kneepoint {
namespace {

class HttpTls : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!program_exists("openssl") || !program_exists("python3")) {
      GTEST_SKIP() << "openssl or python3 is not installed";
    }
    std::string folder = testing::TempDir() + "kp_tls_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    make_certificate("server");
    make_certificate("client");
  }
  void TearDown() override {
    if (server_ != nullptr) ::pclose(server_);
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  std::string text_of(const std::string& path) const {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::string pem(const std::string& name) const { return folder_ + "/" + name + ".pem"; }

  void make_certificate(const std::string& name, const std::string& holder = "IP:127.0.0.1") const {
    SpawnOptions options;
    options.argv = {"openssl",
                    "req",
                    "-x509",
                    "-newkey",
                    "ec",
                    "-pkeyopt",
                    "ec_paramgen_curve:prime256v1",
                    "-nodes",
                    "-days",
                    "2",
                    "-subj",
                    "/CN=127.0.0.1",
                    "-addext",
                    "subjectAltName=" + holder,
                    "-keyout",
                    pem(name + "-key"),
                    "-out",
                    pem(name)};
    const auto made = run_captured(options, 2 * kMinute);
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_EQ(made->exit_code, 0) << made->errors;
  }

  // It ends with the pipe to it.
  void start(const std::string& client_authority = "") {
    const std::string port_file = folder_ + "/port";
    ASSERT_EQ(::mkfifo(port_file.c_str(), 0600), 0);
    server_ = ::popen(("python3 " KP_SOURCE_DIR "/tests/fakes/tls_server.py " + pem("server") +
                       " " + pem("server-key") + " " + client_authority + " >" + port_file)
                          .c_str(),
                      "w");
    ASSERT_NE(server_, nullptr);
    // Opening waits for the server's end of the pipe, reading for its first line.
    int port = 0;
    FILE* const told = std::fopen(port_file.c_str(), "r");
    ASSERT_NE(told, nullptr);
    if (std::fscanf(told, "%d", &port) != 1) port = 0;
    std::fclose(told);
    ASSERT_GT(port, 0) << "the server did not start";
    target_.url = "https://127.0.0.1:" + std::to_string(port);
  }

  Result<HttpResponse> ask() const {
    auto client = HttpClient::make(target_, system_clock());
    if (!client) return client.error();
    return (*client)->call({}, system_clock().steady() + kMinute);
  }

  std::string folder_;
  FILE* server_ = nullptr;
  HttpTarget target_;
};

TEST_F(HttpTls, AServerMustProveWhoItIs) {
  start();
  const auto unknown = ask();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::permission) << unknown.error().message;
  EXPECT_NE(unknown.error().message.find("ca_file"), std::string::npos) << unknown.error().message;
  target_.ca_file = pem("server");
  const auto known = ask();
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(known->body, "secure");
}

TEST_F(HttpTls, AClientCertificateIsShownWhereItIsAsked) {
  start(pem("client"));
  target_.ca_file = pem("server");
  EXPECT_FALSE(ask()) << "without a certificate it must be refused";
  target_.client_certificate = pem("client");
  target_.client_key = pem("client-key");
  const auto answer = ask();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "secure");
}

// As a kubeconfig has them: `tls-server-name`, and certificates as data.
TEST_F(HttpTls, ACertificateMayBeForAnotherNameThanTheAddressIfThatNameIsSaid) {
  make_certificate("server", "DNS:kubernetes.default.svc");
  start(pem("client"));
  target_.ca_pem = text_of(pem("server"));
  target_.client_certificate_pem = text_of(pem("client"));
  target_.client_key_pem = text_of(pem("client-key"));
  const auto other = ask();
  ASSERT_FALSE(other) << "it is a certificate for another name";
  EXPECT_EQ(other.error().code, ErrorCode::permission) << other.error().message;
  target_.tls_server_name = "kubernetes.default.svc";
  const auto answer = ask();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "secure");
}

TEST_F(HttpTls, OnlyWhoAsksForItIsContentWithAnybody) {
  start();
  EXPECT_FALSE(ask());
  target_.insecure = true;
  const auto answer = ask();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "secure");
}

}  // namespace
}  // namespace kneepoint

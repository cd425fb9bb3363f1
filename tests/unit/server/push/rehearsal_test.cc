// SPDX-License-Identifier: Apache-2.0
//
// Trying the address of live reports: whether it can be had, in words that say what to mend. Ports
// are the kernel's choice, and nothing is left behind.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "orchestrator/server/http/certificate.h"
#include "orchestrator/server/http/sockets.h"
#include "orchestrator/server/push/endpoint.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

class PushRehearsal : public ::testing::Test {
 protected:
  PushRehearsal() {
    std::string name = (fs::temp_directory_path() / "kp-rehearsal-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~PushRehearsal() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  std::string problem() const {
    const auto tried = PushEndpoint::rehearse(site_, system_clock());
    return tried ? "" : tried.error().message;
  }

  std::string folder_;
  PushSite site_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(PushRehearsal, AFreeAddressIsToldAsAgentsWouldHearIt) {
  const auto any = PushEndpoint::rehearse(site_, system_clock());
  ASSERT_TRUE(any) << any.error().message;
  EXPECT_EQ(*any, "https://127.0.0.1:0");
  site_.address = "https://login1.example.org:8443";
  EXPECT_EQ(PushEndpoint::rehearse(site_, system_clock()).value(), site_.address);
}

TEST_F(PushRehearsal, ATakenPortIsSaid) {
  const auto taken = listen_on("127.0.0.1", 0);
  ASSERT_TRUE(taken);
  site_.listen_port = taken->port;
  const auto tried = PushEndpoint::rehearse(site_, system_clock());
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(has(tried.error().message, "listen on 127.0.0.1:" + std::to_string(taken->port) +
                                             ": Address already in use"))
      << tried.error().message;
  ::close(taken->fd);
  EXPECT_EQ(problem(), "") << "it is free again, and was not kept";
  EXPECT_EQ(problem(), "");
}

TEST_F(PushRehearsal, FilesThatAreMissingOrWrongAreNamed) {
  const Identity one = make_identity({"127.0.0.1"}, system_clock().wall()).value();
  const Identity two = make_identity({"elsewhere"}, system_clock().wall()).value();
  site_.certificate = folder_ + "/none.pem";
  site_.key = write("key.pem", one.key);
  EXPECT_TRUE(has(problem(), "none.pem")) << problem();
  site_.certificate = write("cert.pem", "no certificate at all\n");
  EXPECT_TRUE(has(problem(), "cert.pem")) << problem();
  EXPECT_TRUE(has(problem(), "the certificate")) << problem();
  write("cert.pem", one.certificate);
  EXPECT_EQ(problem(), "");
  site_.ca = folder_ + "/ca.pem";
  EXPECT_TRUE(has(problem(), "ca.pem")) << problem();
  site_.ca.clear();
  site_.key = write("other.pem", two.key);
  EXPECT_TRUE(has(problem(), "the key")) << problem();
  site_.certificate = write("two.pem", two.certificate);
  EXPECT_TRUE(has(problem(), "is not for 127.0.0.1")) << problem();
}

}  // namespace
}  // namespace kneepoint

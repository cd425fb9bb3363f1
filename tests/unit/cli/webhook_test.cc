// SPDX-License-Identifier: Apache-2.0
//
// Which addresses a webhook may have, and that none of them is ever repeated.
#include "orchestrator/cli/webhook.h"

#include <gtest/gtest.h>

namespace kneepoint::cli {
namespace {

TEST(Webhook, IsSplitIntoServerAndSecret) {
  const auto slack = parse_webhook("https://hooks.example.com/services/T0/B0/x");
  ASSERT_TRUE(slack) << slack.error().message;
  EXPECT_EQ(slack->server, "https://hooks.example.com");
  EXPECT_EQ(slack->path, "/services/T0/B0/x");
  const auto query = parse_webhook("https://chat.example.com:8443?key=a&token=b#part");
  ASSERT_TRUE(query) << query.error().message;
  EXPECT_EQ(query->server, "https://chat.example.com:8443");
  EXPECT_EQ(query->path, "/?key=a&token=b");
  EXPECT_TRUE(parse_webhook("http://127.0.0.1:9/x"));
  EXPECT_TRUE(parse_webhook("http://localhost:9/x"));
}

TEST(Webhook, ThatIsRefusedIsNotRepeated) {
  for (const char* address :
       {"http://hooks.example.com/secret-path", "hooks.example.com/secret-path",
        "ftp://hooks.example.com/secret-path", "https://user:secret-path@hooks.example.com/x",
        "https:///secret-path", "https://hooks.example.com:99999/secret-path",
        "https://hooks.example.com/secret path", "unix:///secret-path",
        "https://hooks.example.com/secret-path\nhttps://b", "secret-path"}) {
    const auto refused = parse_webhook(address);
    ASSERT_FALSE(refused) << address;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid);
    EXPECT_EQ(refused.error().message.find("secret-path"), std::string::npos) << address;
    EXPECT_EQ(refused.error().message.find("example"), std::string::npos) << address;
  }
}

}  // namespace
}  // namespace kneepoint::cli

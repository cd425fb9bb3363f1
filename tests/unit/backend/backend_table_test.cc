// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/model/site.h"

namespace kneepoint {
namespace {

TEST(BackendTable, HasOneRowForEveryKind) {
  std::set<BackendKind> kinds;
  for (const BackendRow& row : backend_table()) kinds.insert(row.kind);
  EXPECT_EQ(backend_table().size(), kinds.size());
  for (const BackendTraits& traits : backend_traits()) {
    EXPECT_EQ(kinds.count(traits.kind), traits.kind == BackendKind::imported ? 0U : 1U)
        << traits.word;
    EXPECT_EQ(parse_backend(traits.word), traits.kind);
    EXPECT_STREQ(to_string(traits.kind), traits.word);
  }
  EXPECT_EQ(backend_traits().size(), kinds.size() + 1);
  EXPECT_FALSE(parse_backend("pbs"));
}

TEST(BackendTable, SaysWhyABackendCanNotBeUsed) {
  Site site;
  site.name = "cluster";
  Poller poller;
  {
    site.backend = BackendKind::kubernetes;
    const auto launcher = make_launcher({site, system_clock(), poller, "/nowhere"});
    ASSERT_FALSE(launcher);
    EXPECT_EQ(launcher.error().code, ErrorCode::unsupported);
    EXPECT_EQ(launcher.error().message, "site 'cluster': no API server is known");
  }
}

TEST(BackendTable, MakesTheLaunchersThatItHas) {
  Site site;
  Poller poller;
  for (const BackendKind kind : {BackendKind::local, BackendKind::simulated}) {
    site.backend = kind;
    const auto launcher = make_launcher({site, system_clock(), poller, "/nowhere"});
    ASSERT_TRUE(launcher) << launcher.error().message;
    EXPECT_GE((*launcher)->capabilities().cores_per_node, 1);
  }
}

}  // namespace
}  // namespace kneepoint

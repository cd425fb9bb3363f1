// SPDX-License-Identifier: Apache-2.0
#include "agents/agent/file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

using Places = std::vector<std::string>;

TEST(OwnPlace, PartsLieBesideTheProgramOrInItsLibraryFolder) {
  EXPECT_EQ(places_of_part("/usr/bin/kneepoint-agent", "kneepoint-push"),
            (Places{"/usr/bin/kneepoint-push", "/usr/lib/kneepoint/kneepoint-push"}));
  EXPECT_EQ(places_of_part("/bin/kneepoint-agent", "x"), (Places{"/bin/x", "/lib/kneepoint/x"}));
}

TEST(OwnPlace, WithoutAFolderThereIsNoPlace) {
  EXPECT_EQ(places_of_part("", "x"), Places{});
  EXPECT_EQ(places_of_part("/kneepoint-agent", "x"), Places{"/x"});
}

TEST(OwnPlace, OnlyWhatIsThereIsFound) {
  const std::string own = own_program();
  ASSERT_TRUE(std::filesystem::exists(own)) << own;
  EXPECT_EQ(find_part(std::filesystem::path(own).filename().string()), own);
  EXPECT_EQ(find_part("kneepoint-no-such-part"), "");
}

}  // namespace
}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// The cache saves gathering, and believes nobody else's files.
#include "agents/agent/provenance/provenance.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/agent/temporary_folder.h"

namespace kneepoint::agent {
namespace {

class FactCache : public testing::Test {
 protected:
  Facts get() {
    return cached_facts(folder_.path(), "node", [this] {
      ++gathered_;
      return facts_;
    });
  }
  TemporaryFolder folder_;
  Facts facts_ = {{"cpu.model", "X"}, {"kernel", "6.1"}};
  int gathered_ = 0;
};

TEST_F(FactCache, gathers_once_and_then_reads) {
  EXPECT_EQ(get(), facts_);
  EXPECT_EQ(get(), facts_);
  EXPECT_EQ(gathered_, 1);
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "node.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(FactCache, gathers_again_when_the_kept_file_is_broken) {
  folder_.append("node.json", "half a rec");
  chmod((folder_ / "node.json").c_str(), 0600);
  EXPECT_EQ(get(), facts_);
  EXPECT_EQ(gathered_, 1);
  EXPECT_EQ(get(), facts_);
  EXPECT_EQ(gathered_, 1);  // it was replaced
}

TEST_F(FactCache, does_not_believe_a_file_that_others_can_write) {
  get();
  chmod((folder_ / "node.json").c_str(), 0666);
  get();
  EXPECT_EQ(gathered_, 2);
}

TEST_F(FactCache, does_not_follow_a_link) {
  get();
  ASSERT_EQ(rename((folder_ / "node.json").c_str(), (folder_ / "other").c_str()), 0);
  ASSERT_EQ(symlink((folder_ / "other").c_str(), (folder_ / "node.json").c_str()), 0);
  get();
  EXPECT_EQ(gathered_, 2);
}

TEST_F(FactCache, keeps_nothing_when_nothing_was_found_or_no_folder_is_safe) {
  facts_.clear();
  get();
  get();
  EXPECT_EQ(gathered_, 2);
  facts_ = {{"a", "b"}};
  EXPECT_EQ(cached_facts("", "node", [this] { return facts_; }), facts_);
}

}  // namespace
}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// The one form of tar that is written and read.
#include "orchestrator/pack/pack.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

const std::vector<TarMember> kTwo = {{"a.txt", "hello"}, {"data/b.bin", std::string(600, 'x')}};

TEST(Tar, WhatIsWrittenIsRead) {
  const std::string bytes = write_tar(kTwo);
  EXPECT_EQ(bytes.size(), 512U + 512U + 512U + 1024U + 1024U);
  EXPECT_TRUE(looks_like_tar(bytes));
  const auto read = read_tar(bytes);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].name, "a.txt");
  EXPECT_EQ((*read)[1].bytes, kTwo[1].bytes);
  EXPECT_EQ(read_tar(write_tar({}))->size(), 0U);
}

TEST(Tar, NamesThatLeaveTheFolderAreNone) {
  for (const char* good : {"a", "data/x.ndjson", "SHA256SUMS.sig"}) {
    EXPECT_TRUE(is_member_name(good)) << good;
  }
  for (const char* bad :
       {"", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "a b", "a\\b", "a\n"}) {
    EXPECT_FALSE(is_member_name(bad)) << bad;
  }
  EXPECT_FALSE(is_member_name(std::string(100, 'a')));
  std::string bytes = write_tar(kTwo);
  bytes.replace(0, 5, "../ab");
  EXPECT_NE(read_tar(bytes).error().message.find("name is not allowed"), std::string::npos);
}

TEST(Tar, OtherFormsOfTarAreRefused) {
  std::string link = write_tar(kTwo);
  link[156] = '2';  // a symbolic link
  EXPECT_FALSE(read_tar(link));
  std::string twice = write_tar({kTwo[0], kTwo[0]});
  EXPECT_NE(read_tar(twice).error().message.find("there twice"), std::string::npos);
  EXPECT_FALSE(read_tar(write_tar(kTwo) + std::string(512, '\0')));
  EXPECT_FALSE(read_tar(""));
  EXPECT_FALSE(read_tar(std::string(1 << 16, 'x')));
  std::string large = write_tar(kTwo);
  large.replace(124, 11, "77777777777");
  EXPECT_FALSE(read_tar(large));
}

TEST(Tar, MoreMembersThanAllowedAreRefused) {
  std::string bytes;
  for (std::size_t i = 0; i <= kMostTarMembers; ++i) {
    const std::string one = write_tar({{"m" + std::to_string(i), ""}});
    bytes += one.substr(0, 512);
  }
  bytes.append(1024, '\0');
  EXPECT_NE(read_tar(bytes).error().message.find("too many parts"), std::string::npos);
}

}  // namespace
}  // namespace kneepoint

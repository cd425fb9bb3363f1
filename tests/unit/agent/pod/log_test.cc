// SPDX-License-Identifier: Apache-2.0
#include "agents/agent/pod/leader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>

#include "agents/wire/record.h"
#include "tests/unit/agent/temporary_folder.h"

namespace kneepoint::agent {
namespace {

struct PodLogTest : testing::Test {
  void begin(const std::string& attempt) { mkdir((folder / attempt).c_str(), 0755); }
  // Puts the frames together; the order of the files is kept too.
  void take(PodLog& log, bool last = false) {
    reader.take(log.take(last));
    for (const auto& one : reader.appended()) {
      files[one.file] += one.bytes;
      order.push_back(one.file);
    }
    EXPECT_FALSE(reader.has_gap());
    EXPECT_EQ(reader.damaged(), 0u);
  }
  static std::string end_line() { return record::to_line(1, record::End{}); }

  TemporaryFolder folder;
  record::FrameReader reader;
  std::map<std::string, std::string> files;
  std::vector<std::string> order;
};

TEST_F(PodLogTest, WhatIsAppendedIsPrintedOnceAndAsItComes) {
  PodLog log(folder.path(), {"r1-a1"});
  take(log);
  EXPECT_TRUE(files.empty());
  begin("r1-a1");
  folder.append("r1-a1/records.ndjson", "one\n");
  folder.append("r1-a1/workload.ndjson", "not this\n");
  folder.append("r1-a1/stdout.txt", "a\nhalf a li");
  take(log);
  EXPECT_EQ(files["r1-a1/records.ndjson"], "one\n");
  EXPECT_EQ(files["r1-a1/stdout.txt"], "a\n");
  folder.append("r1-a1/stdout.txt", std::string("ne\n\x01\x02", 5));
  folder.append("r1-a1/records.ndjson", end_line());
  take(log);
  EXPECT_EQ(files["r1-a1/stdout.txt"], folder.read("r1-a1/stdout.txt"));
  EXPECT_EQ(files["r1-a1/records.ndjson"], folder.read("r1-a1/records.ndjson"));
  EXPECT_EQ(files.size(), 2u);
  EXPECT_EQ(log.take(true), "");
}

TEST_F(PodLogTest, AllOutputComesBeforeTheEndRecord) {
  PodLog log(folder.path(), {"r1-a1", "r2-a1"});
  begin("r1-a1");
  folder.append("r1-a1/stderr.txt", "no newline");
  folder.append("r1-a1/records.ndjson", end_line());
  take(log);
  EXPECT_EQ(order, (std::vector<std::string>{"r1-a1/stderr.txt", "r1-a1/records.ndjson"}));
  begin("r2-a1");
  folder.append("r2-a1/records.ndjson", "cut off");
  take(log);
  EXPECT_EQ(files.count("r2-a1/records.ndjson"), 0u);
  take(log, true);
  EXPECT_EQ(files["r2-a1/records.ndjson"], "cut off");
}

TEST_F(PodLogTest, OfMuchOutputHeadAndTailAreSentAndTheRestIsCounted) {
  PodLog log(folder.path(), {"r1-a1"}, 10, 8);
  begin("r1-a1");
  folder.append("r1-a1/stdout.txt", "0123456789abcdef");
  take(log);
  EXPECT_EQ(files["r1-a1/stdout.txt"], "0123456789");
  folder.append("r1-a1/stdout.txt", "ghijklmnopqrstuvwxyz");
  folder.append("r1-a1/records.ndjson", end_line());
  take(log);
  EXPECT_EQ(files["r1-a1/stdout.txt"], "0123456789\n[kneepoint: 18 bytes not sent]\nstuvwxyz");
}

TEST_F(PodLogTest, WhatFitsIntoHeadAndTailIsWhole) {
  PodLog log(folder.path(), {"r1-a1"}, 10, 8);
  begin("r1-a1");
  folder.append("r1-a1/stdout.txt", "0123456789abcdef");
  folder.append("r1-a1/records.ndjson", end_line());
  take(log);
  EXPECT_EQ(files["r1-a1/stdout.txt"], "0123456789abcdef");
}

TEST_F(PodLogTest, KeptFilesComeBeforeTheEnd) {
  PodLog log(folder.path(), {"r1-a1"});
  begin("r1-a1");
  std::filesystem::create_directories(folder / "r1-a1/kept/out");
  folder.append("r1-a1/kept/out/b.bin", std::string("\0\n\xff", 3));
  folder.append("r1-a1/kept/a.json", "{}\n");
  take(log);
  EXPECT_TRUE(files.empty());  // the program may still write
  folder.append("r1-a1/records.ndjson", end_line());
  take(log);
  EXPECT_EQ(files["r1-a1/kept/a.json"], "{}\n");
  EXPECT_EQ(files["r1-a1/kept/out/b.bin"], std::string("\0\n\xff", 3));
  EXPECT_EQ(order.back(), "r1-a1/records.ndjson");
}

}  // namespace
}  // namespace kneepoint::agent

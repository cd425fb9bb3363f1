// SPDX-License-Identifier: Apache-2.0
//
// records.ndjson as the agent writes it, and workload.ndjson as it follows it.
#include "agents/agent/supervise/record_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fakes/present.h"
#include "tests/unit/agent/temporary_folder.h"

namespace kneepoint::agent {
namespace {

class Recording : public testing::Test {
 protected:
  Recording() : log_(std::move(RecordLog::create(folder_ / "records.ndjson")).value()) {
    log_.add(record::Begin{"r1-a1", 1});
  }
  std::string workload() const { return folder_ / "workload.ndjson"; }

  TemporaryFolder folder_;
  RecordLog log_;
};

TEST_F(Recording, a_finished_log_is_complete_to_the_reader) {
  EXPECT_TRUE(log_.pass_on("{\"type\":\"done\",\"iterations\":0}"));
  EXPECT_FALSE(log_.pass_on("garbage"));
  ASSERT_TRUE(log_.flush().has_value());
  EXPECT_FALSE(record::parse(folder_.read("records.ndjson")).complete);
  ASSERT_TRUE(log_.finish({"succeeded", "none", 0, 0, 2, 1, false, "", 0, ""}).has_value());
  const auto records = record::parse(folder_.read("records.ndjson"));
  EXPECT_TRUE(records.problems.empty());
  EXPECT_TRUE(records.complete);
  EXPECT_EQ(kneepoint::end_of(records).count, 2);
}

TEST_F(Recording, a_log_that_exists_is_not_written_over) {
  const auto second = RecordLog::create(folder_ / "records.ndjson");
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::exists);
}

TEST_F(Recording, lines_are_passed_on_when_they_are_complete) {
  WorkloadTail tail(workload());
  tail.follow(log_, false);  // no file yet
  folder_.append("workload.ndjson", "{\"type\":\"metric\",\"name\":\"a\",\"value\":1,");
  tail.follow(log_, false);
  EXPECT_TRUE(log_.read_back().metrics.empty());
  folder_.append("workload.ndjson", "\"unit\":\"\"}\n{\"type\":\"done\",\"iterations\":0}");
  tail.follow(log_, false);
  EXPECT_EQ(log_.read_back().metrics.size(), 1u);
  EXPECT_FALSE(log_.read_back().done.has_value());
  tail.follow(log_, true);
  EXPECT_TRUE(log_.read_back().done.has_value());
  EXPECT_EQ(tail.bad_lines(), 0);
}

TEST_F(Recording, the_first_bad_line_is_quoted_and_the_good_ones_are_kept) {
  WorkloadTail tail(workload());
  folder_.append("workload.ndjson", "{\"type\":\"done\",\"iterations\":0}\nga\"rbage\nmore\n");
  tail.follow(log_, true);
  EXPECT_EQ(tail.bad_lines(), 2);
  EXPECT_EQ(tail.first_bad(), "line 2 of workload.ndjson is not a record: \"ga\\\"rbage\"");
  EXPECT_TRUE(log_.read_back().done.has_value());
  EXPECT_FALSE(tail.unreadable());
}

TEST_F(Recording, noise_is_not_read_to_its_end) {
  WorkloadTail tail(workload());
  folder_.append("workload.ndjson", std::string(500000, '\n'));
  tail.follow(log_, false);
  EXPECT_EQ(tail.bad_lines(), 1000);
  EXPECT_TRUE(tail.unreadable());
}

TEST_F(Recording, too_many_bytes_are_not_read_to_their_end) {
  WorkloadTail tail(workload());
  folder_.append("workload.ndjson", "");
  ASSERT_EQ(truncate(workload().c_str(), static_cast<off_t>(kMaxWorkloadBytes) + 1), 0);
  tail.follow(log_, false);
  EXPECT_TRUE(tail.unreadable());
  EXPECT_EQ(tail.first_bad(), "workload.ndjson is larger than 33554432 bytes");
}

TEST_F(Recording, what_is_no_plain_file_is_not_waited_for) {
  WorkloadTail tail(workload());
  ASSERT_EQ(mkfifo(workload().c_str(), 0600), 0);
  tail.follow(log_, false);
  EXPECT_TRUE(tail.unreadable());
  EXPECT_EQ(tail.first_bad(), "workload.ndjson is not a plain file that can be read");
}

}  // namespace
}  // namespace kneepoint::agent

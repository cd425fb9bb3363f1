// SPDX-License-Identifier: Apache-2.0
//
// Rank 0's records: appended, one per line.
#include "workloads/harness/reporter.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace kneepoint::workloads {
namespace {

TEST(Reporter, AppendsRecordsToTheNamedFileAndKeepsWhatWasThere) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("kp_reporter_test_" + std::to_string(::getpid()) + ".ndjson");
  std::ofstream(path) << "before\n";
  ::setenv(record::kPathVariable, path.c_str(), 1);
  {
    auto reporter = make_reporter();
    ASSERT_TRUE(reporter) << reporter.error().message;
    EXPECT_TRUE(reporter->report(record::Done{3}));
    EXPECT_TRUE(reporter->report(record::Check{true, "fine"}));
  }
  ::unsetenv(record::kPathVariable);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  EXPECT_EQ(text.str(),
            "before\n" + to_line(-1, record::Done{3}) + to_line(-1, record::Check{true, "fine"}));
}

TEST(Reporter, AFileThatCantBeOpenedIsNamedWithTheVariable) {
  ::setenv(record::kPathVariable, "/nonexistent/records.ndjson", 1);
  const auto reporter = make_reporter();
  ::unsetenv(record::kPathVariable);
  ASSERT_FALSE(reporter);
  EXPECT_NE(reporter.error().message.find("/nonexistent/records.ndjson"), std::string::npos);
  EXPECT_NE(reporter.error().message.find("KNEEPOINT_RECORDS"), std::string::npos);
}

TEST(Reporter, AFullDiskIsAnError) {
  ::setenv(record::kPathVariable, "/dev/full", 1);
  auto reporter = make_reporter();
  ::unsetenv(record::kPathVariable);
  ASSERT_TRUE(reporter);
  EXPECT_FALSE(reporter->report(record::Done{1}));
}

}  // namespace
}  // namespace kneepoint::workloads

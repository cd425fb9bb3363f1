// SPDX-License-Identifier: Apache-2.0
//
// What a job's files tell, however they were cut off.
#include "orchestrator/backend/slurm/watch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "orchestrator/backend/allocation_files.h"

namespace kneepoint {
namespace {

class SlurmFilesTest : public ::testing::Test {
 protected:
  SlurmFilesTest() {
    std::string folder = testing::TempDir() + "kp_files_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    steps_ = {{"r1-a1", folder_ + "/r1-a1"}, {"r2-a1", folder_ + "/r2-a1"}};
  }
  ~SlurmFilesTest() override { std::filesystem::remove_all(folder_); }

  void records(const std::string& attempt, const std::string& text) const {
    std::filesystem::create_directory(folder_ + "/" + attempt);
    std::ofstream(folder_ + "/" + attempt + "/records.ndjson") << text;
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  std::string folder_;
  std::vector<KnownStep> steps_;
};

TEST_F(SlurmFilesTest, AStepHasBegunOnceItsFolderIsThere) {
  EXPECT_FALSE(any_step_begun(steps_));
  std::filesystem::create_directory(folder_ + "/r2-a1");
  EXPECT_TRUE(any_step_begun(steps_));
  EXPECT_EQ(last_record_of(steps_), 0) << "but has written nothing";
}

TEST_F(SlurmFilesTest, AllHaveEndedOnceTheLastLineOfEachIsAWholeEnd) {
  const std::string whole = "{\"type\":\"begin\"}\n{\"type\":\"end\"}\n";
  EXPECT_FALSE(all_steps_ended({})) << "nothing is no end";
  records("r1-a1", whole);
  EXPECT_FALSE(all_steps_ended(steps_));
  for (const std::string& text :
       {std::string(), whole.substr(0, whole.size() - 1), std::string("{\"type\":\"begin\"}\n"),
        "{\"type\":\"end\"}\n{\"type\":\"sample\"}\n" + std::string()}) {
    records("r2-a1", text);
    EXPECT_FALSE(all_steps_ended(steps_)) << text;
  }
  records("r2-a1", whole);
  EXPECT_TRUE(all_steps_ended(steps_));
  EXPECT_GT(last_record_of(steps_), 0);
}

TEST_F(SlurmFilesTest, TheLastOutputLineIsASentence) {
  const std::string path = folder_ + "/job.out";
  EXPECT_EQ(last_output_line(path), "");
  write("job.out", "\n \n");
  EXPECT_EQ(last_output_line(path), "");
  write("job.out", "first\nkneepoint-agent: it broke\n\n");
  EXPECT_EQ(last_output_line(path), "kneepoint-agent: it broke");
  write("job.out", std::string(500, 'x'));
  EXPECT_EQ(last_output_line(path), std::string(200, 'x') + "...");
}

TEST_F(SlurmFilesTest, FailedNodesAreKeptOnceEach) {
  EXPECT_TRUE(read_failed_nodes(folder_).empty());
  ASSERT_TRUE(add_failed_nodes(folder_, {"n3", "n1"}));
  ASSERT_TRUE(add_failed_nodes(folder_, {"n1", "n7"}));
  EXPECT_EQ(read_failed_nodes(folder_), (std::vector<std::string>{"n3", "n1", "n7"}));
  ASSERT_TRUE(add_failed_nodes(folder_, {}));
  EXPECT_FALSE(add_failed_nodes(folder_ + "/nowhere", {"n1"}));
}

TEST_F(SlurmFilesTest, ASuspensionIsKeptByTheJobsName) {
  EXPECT_EQ(read_suspended(folder_, "kp-1"), 0);
  ASSERT_TRUE(note_suspended(folder_, "kp-1", 5));
  ASSERT_TRUE(note_suspended(folder_, "kp-1", 1'800'000'000 * kSecond));
  EXPECT_EQ(read_suspended(folder_, "kp-1"), 1'800'000'000 * kSecond);
  EXPECT_EQ(read_suspended(folder_, "kp-2"), 0);
  write("kp-2.suspended", "rubbish");
  EXPECT_EQ(read_suspended(folder_, "kp-2"), 0);
}

TEST_F(SlurmFilesTest, AFolderThatCanBeWrittenHasNoTrouble) {
  EXPECT_EQ(folder_trouble(folder_), "");
  EXPECT_EQ(folder_trouble(folder_ + "/nowhere"), "") << "the error of whoever needs it says more";
  EXPECT_EQ(folder_trouble("/proc"), "") << "one that counts no blocks is not full";
}

TEST_F(SlurmFilesTest, NobodySubmitsAJobOfThisName) {
  EXPECT_FALSE(is_being_submitted("kp-nobody", folder_ + "/kp-nobody.sh"));
}

}  // namespace
}  // namespace kneepoint

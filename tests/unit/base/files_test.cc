// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/base/files.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() {
    std::string pattern = testing::TempDir() + "kneepoint-files-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
  }
  ~Files() override { fs::remove_all(root_); }
  void put(const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "x";
  }
  fs::path root_;
};

TEST_F(Files, AStudysFolderIsRemovedWithAllInIt) {
  put(root_ / "runs/s-1/r1-a1/stdout.txt");
  put(root_ / "runs/s-2/r1-a1/stdout.txt");
  EXPECT_TRUE(remove_study_folder(root_ / "runs/s-1", "s-1"));
  EXPECT_FALSE(fs::exists(root_ / "runs/s-1"));
  EXPECT_TRUE(fs::exists(root_ / "runs/s-2/r1-a1/stdout.txt"));
}

TEST_F(Files, AFolderMayBeNamedWithoutASlash) {
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  const auto made = claim_folder("plain"), again = claim_folder("plain");
  fs::current_path(before);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(*made);
  EXPECT_TRUE(fs::is_directory(root_ / "plain"));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(*again);
}

TEST_F(Files, AFolderThatIsGoneAlreadyIsNoProblem) {
  EXPECT_TRUE(remove_study_folder(root_ / "runs/s-1", "s-1"));
}

TEST_F(Files, OnlyAFolderNamedAfterTheStudyIsTouched) {
  put(root_ / "precious/file");
  for (const std::string& folder :
       {(root_ / "precious").string(), std::string("s-1"), std::string(""),
        (root_ / "s-1/../precious").string(), (root_ / "precious/../s-1").string()}) {
    const auto removed = remove_study_folder(folder, "s-1");
    ASSERT_FALSE(removed) << folder;
    EXPECT_NE(removed.error().message.find("--keep-files"), std::string::npos);
  }
  EXPECT_FALSE(remove_study_folder("/", ""));
  EXPECT_TRUE(fs::exists(root_ / "precious/file"));
}

TEST_F(Files, LinksAreNotFollowed) {
  put(root_ / "precious/file");
  fs::create_directory_symlink(root_ / "precious", root_ / "s-1");
  EXPECT_FALSE(remove_study_folder(root_ / "s-1", "s-1"));
  put(root_ / "s-2/file");
  fs::create_directory_symlink(root_ / "precious", root_ / "s-2/link");
  EXPECT_TRUE(remove_study_folder(root_ / "s-2", "s-2"));
  EXPECT_FALSE(fs::exists(root_ / "s-2"));
  EXPECT_TRUE(fs::exists(root_ / "precious/file"));
}

TEST_F(Files, WritingReplacesTheWholeFileAndLeavesNothingBeside) {
  const std::string path = root_ / "report.md";
  EXPECT_TRUE(write_file(path, "a long first text"));
  EXPECT_TRUE(write_file(path, "short"));
  EXPECT_EQ(*read_file("report", path), "short");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 1);
  EXPECT_FALSE(write_file(root_ / "no/such/folder/x", "y"));
}

TEST_F(Files, WritesWholeFilesAndReadsThemBounded) {
  const std::string path = root_.string() + "/a.json";
  EXPECT_FALSE(read_file_if_there(path, 100)->has_value());
  EXPECT_EQ(changed_at(path), 0);
  const std::string big(100'000, 'x');
  ASSERT_TRUE(write_whole_file(path, big));
  EXPECT_EQ(**read_file_if_there(path, 1 << 20), big);
  EXPECT_EQ((*read_file_if_there(path, 10))->size(), 10u);
  EXPECT_FALSE(path_exists(path + ".new"));
  EXPECT_GT(changed_at(path), 0);
  ASSERT_FALSE(write_whole_file(root_.string() + "/no/such/file", "x"));
}

TEST_F(Files, WhatCannotBeReadIsNamed) {
  const auto missing = read_file("plan", root_ / "none.yaml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_NE(missing.error().message.find("plan " + (root_ / "none.yaml").string()),
            std::string::npos);
  const auto folder = read_file("plan", root_);
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("is a folder"), std::string::npos);
}

TEST_F(Files, ASlipInANameIsAnsweredWithTheNearestFile) {
  put(root_ / "quickstart.yaml");
  fs::create_directory(root_ / "nothing.yaml");
  EXPECT_NE(read_file("plan", root_ / "quickstrat.yaml")
                .error()
                .message.find("; did you mean '" + (root_ / "quickstart.yaml").string() + "'?"),
            std::string::npos);
  for (const char* far : {"other.yaml", "nothink.yaml", "no/quickstart.yaml"}) {
    const auto missing = read_file("plan", root_ / far);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message.find("did you mean"), std::string::npos) << far;
  }
}

TEST_F(Files, AnEndlessFileIsRefused) {
  const auto endless = read_file("plan", "/dev/zero");
  ASSERT_FALSE(endless);
  EXPECT_NE(endless.error().message.find("16 MiB"), std::string::npos);
}

}  // namespace
}  // namespace kneepoint

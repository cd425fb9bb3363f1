// SPDX-License-Identifier: Apache-2.0
//
// What a plan's inputs come to, what is refused, and that a study's copy is the one that was
// hashed.
#include "orchestrator/answers/loading.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "orchestrator/base/hash.h"
#include "orchestrator/engine/requests.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

struct InputFilesTest : testing::Test {
  InputFilesTest() {
    std::string name = (fs::temp_directory_path() / "kp-inputs-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    plan.path = folder + "/plan.yaml";
    plan.workloads.resize(1);
  }
  ~InputFilesTest() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(folder + "/" + name).parent_path());
    std::ofstream(folder + "/" + name, std::ios::binary) << text;
  }
  std::string find(const std::vector<std::string>& inputs) {
    plan.workloads[0].program.inputs = inputs;
    return to_string(find_inputs(plan, site));
  }
  std::string names() const {
    std::string text;
    for (const InputFile& file : plan.workloads[0].program.staged) text += file.name + " ";
    return text;
  }

  std::string folder;
  Plan plan;
  Site site;
};

TEST_F(InputFilesTest, AreFilesAndAllThatIsInFoldersRelativeToThePlan) {
  write("input.dat", "one");
  write("mesh/a", "two");
  write("mesh/deep/b", "three");
  write("../" + fs::path(folder).filename().string() + "/other", "x");
  fs::permissions(folder + "/mesh/a", fs::perms::owner_exec, fs::perm_options::add);
  EXPECT_EQ(find({"input.dat", "mesh/", folder + "/other"}), "");
  EXPECT_EQ(names(), "input.dat mesh/a mesh/deep/b other ");
  const auto& staged = plan.workloads[0].program.staged;
  EXPECT_EQ(staged[0].sha256, sha256_hex("one"));
  EXPECT_EQ(*staged[1].content, "two");
  EXPECT_TRUE(staged[1].executable);
  EXPECT_FALSE(staged[0].executable);
}

TEST_F(InputFilesTest, LinksInAFolderAreNotFollowed) {
  write("mesh/a", "two");
  fs::create_directory_symlink("/", folder + "/mesh/all");
  fs::create_symlink("/etc/passwd", folder + "/mesh/users");
  EXPECT_EQ(find({"mesh"}), "");
  EXPECT_EQ(names(), "mesh/a ");
}

TEST_F(InputFilesTest, WhatIsNotThereIsNamedWithItsKey) {
  EXPECT_EQ(find({"gone.dat"}), folder +
                                    "/plan.yaml: workloads[0].inputs[0]: 'gone.dat': no such "
                                    "file or folder: " +
                                    folder + "/gone.dat\n");
  EXPECT_NE(find({"/dev/null"}).find("neither a file nor a folder"), std::string::npos);
  write("a/x", "");
  write("b/x", "");
  EXPECT_NE(find({folder + "/a/x", folder + "/b/x"}).find("'x' comes from two of the inputs"),
            std::string::npos);
}

TEST_F(InputFilesTest, PodsGetSmallOnesOnly) {
  write("big", std::string(kMostInputBytesInPods + 1, 'x'));
  EXPECT_EQ(find({"big"}), "");
  site.backend = BackendKind::kubernetes;
  const std::string problem = find({"big"});
  EXPECT_NE(problem.find("they come to 65537 bytes, and pods get at most 65536"), std::string::npos)
      << problem;
  EXPECT_NE(problem.find("kubernetes.volumes"), std::string::npos);
}

TEST_F(InputFilesTest, AStudyKeepsItsOwnReadOnlyCopy) {
  write("input.dat", "one");
  ASSERT_EQ(find({"input.dat"}), "");
  const std::string study = folder + "/study";
  ASSERT_TRUE(stage_inputs(plan, study).has_value());
  const std::string copy = staged_path(study, plan.workloads[0].program.staged[0]);
  EXPECT_EQ(fs::file_size(copy), 3u);
  EXPECT_EQ(fs::status(copy).permissions() & fs::perms::owner_write, fs::perms::none);
  write("input.dat", "two");
  EXPECT_TRUE(stage_inputs(plan, study).has_value());  // the copy is there already
  const auto late = stage_inputs(plan, folder + "/another");
  ASSERT_FALSE(late.has_value());
  EXPECT_NE(late.error().message.find("was changed meanwhile"), std::string::npos);
}

}  // namespace
}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// What comes into a run's folder, what is kept of it, and that nothing leads out of it.
#include "agents/agent/run_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/agent/temporary_folder.h"

namespace kneepoint::agent {
namespace {

namespace fs = std::filesystem;

struct RunFolderTest : testing::Test {
  RunFolderTest() {
    step.run_dir = place / "r1-a1";
    step.argv = {"mpirun", "-n", "2", "./app"};
    step.program = "./app";
    step.keep_bytes = 1000;
    mkdir(step.run_dir.c_str(), 0755);
  }
  std::string make() {
    auto folder = make_folder(step, true);
    EXPECT_TRUE(folder.has_value()) << folder.error().message;
    return folder.value_or("");
  }
  std::string kept_text(const std::string& folder) const {
    std::string text;
    for (const KeptFile& file : keep_files(step, folder)) {
      text += file.name + (file.problem.empty() ? " kept" : ": " + file.problem) + "\n";
    }
    return text;
  }

  TemporaryFolder place;
  StepSpec step;
};

TEST_F(RunFolderTest, PathsThatLeaveItAreKnown) {
  for (const char* good : {"a", "a/b", "a..b/.c"}) EXPECT_TRUE(stays_inside(good)) << good;
  for (const char* bad : {"", "/a", "..", "a/../b", "a//b", "a/", "./a"}) {
    EXPECT_FALSE(stays_inside(bad)) << bad;
  }
}

TEST_F(RunFolderTest, InputsAreLinksOrMadeOfTheirContent) {
  place.append("mesh", "grid");
  step.inputs = {{"data/mesh", place / "mesh", "", false}, {"run.sh", "", "#!/bin/sh\n", true}};
  const std::string folder = make();
  EXPECT_EQ(folder, step.run_dir + "/work");
  EXPECT_TRUE(fs::is_symlink(folder + "/data/mesh"));
  EXPECT_EQ(place.read("r1-a1/work/data/mesh"), "grid");
  EXPECT_EQ(access((folder + "/run.sh").c_str(), X_OK), 0);
}

TEST_F(RunFolderTest, AnInputThatIsMissingOrClimbsOutIsAnError) {
  step.inputs = {{"mesh", place / "gone", "", false}};
  EXPECT_FALSE(make_folder(step, true).has_value());
  fs::remove_all(step.run_dir + "/work");
  step.inputs = {{"../mesh", "", "x", false}};
  const auto folder = make_folder(step, true);
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().message, "input '../mesh' would leave the run's folder");
}

TEST_F(RunFolderTest, ItsTextMakesTheSameFolderInAnotherPod) {
  step.inputs = {{"it's/a", "", "text\n", false}, {"run", "", "#!/bin/sh\n", true}};
  make();
  fs::remove_all(step.run_dir + "/work");
  const std::string script = step.run_dir + "/folder.sh";
  ASSERT_EQ(std::system(("/bin/sh " + script).c_str()), 0);
  ASSERT_EQ(std::system(("/bin/sh " + script).c_str()), 0);  // a second rank
  EXPECT_EQ(place.read("r1-a1/work/it's/a"), "text\n");
  EXPECT_EQ(access((step.run_dir + "/work/run").c_str(), X_OK), 0);
}

TEST_F(RunFolderTest, LinkedInputsNeedNoText) {
  place.append("mesh", "grid");
  step.inputs = {{"mesh", place / "mesh", "", false}};
  EXPECT_EQ(folder_text(step, "/w"), "");
}

TEST_F(RunFolderTest, AProgramOfTheFolderGoesBeforeOneOfTheAgentsOwn) {
  step.inputs = {{"app", "", "#!/bin/sh\n", true}};
  locate_program(step, make());
  EXPECT_EQ(step.argv[3], "./app");
  step.program = step.argv[3] = "../bin/sh";  // not there, nor where the test runs
  locate_program(step, step.run_dir + "/work");
  EXPECT_EQ(step.argv[3], "../bin/sh");
  step.program = step.argv[3] = "sh";  // by PATH: nothing to locate
  locate_program(step, step.run_dir + "/work");
  EXPECT_EQ(step.argv[3], "sh");
}

TEST_F(RunFolderTest, KeepsWhatThePatternsMatch) {
  const std::string folder = make();
  fs::create_directories(folder + "/out/deep");
  for (const char* name : {"out/a.log", "out/b.log", "out/c.txt", "out/deep/d.log", "top.log"}) {
    place.append(std::string("r1-a1/work/") + name, "1234");
  }
  step.keep = {"out/*.log", "top.log", "top.log", "*/deep/*", "gone.json", "../top.log"};
  EXPECT_EQ(kept_text(folder),
            "out/a.log kept\nout/b.log kept\ntop.log kept\nout/deep/d.log kept\n"
            "gone.json: no such file\n../top.log: it would leave the run's folder\n");
  EXPECT_EQ(place.read("r1-a1/kept/out/a.log"), "1234");
  EXPECT_TRUE(fs::exists(folder + "/out/c.txt"));
  remove_folder(folder);
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_TRUE(fs::exists(step.run_dir + "/kept/out/deep/d.log"));
}

TEST_F(RunFolderTest, KeepsNoLinkNoPipeAndNoMoreThanItMay) {
  place.append("secret", "key");
  const std::string folder = make();
  fs::create_symlink(place / "secret", folder + "/link");
  fs::create_directory_symlink(place.path(), folder + "/up");
  mkfifo((folder + "/pipe").c_str(), 0600);
  place.append("r1-a1/work/big", std::string(900, 'x'));
  place.append("r1-a1/work/more", std::string(101, 'x'));
  place.append("r1-a1/work/two words", "x");
  step.keep = {"link", "up/secret", "pipe", "big", "more", "two*"};
  EXPECT_EQ(kept_text(folder),
            "link: not a plain file\nup/secret: no such file\npipe: not a plain file\nbig kept\n"
            "more: 101 bytes would make more than the 1000 bytes that a run may keep\n"
            "two words: its name holds a blank or a control character\n");
}

TEST_F(RunFolderTest, ReadsHeadAndTailOfALongFileAndNothingThroughALink) {
  place.append("secret", "key");
  const std::string folder = make();
  fs::create_symlink(place / "secret", folder + "/link");
  place.append("r1-a1/work/long", "0123456789");
  EXPECT_EQ(read_inside(folder, "link", 100).problem, "'link' is a link out of the run's folder");
  EXPECT_EQ(read_inside(folder, "long", 100).head, "0123456789");
  const FileText text = read_inside(folder, "long", 4);
  EXPECT_EQ(text.head + "|" + text.tail, "01|89");
}

TEST_F(RunFolderTest, MpirunOnOneNodeHasASessionFolderOfItsOwnForTheTimeOfTheStep) {
  std::string path;
  {
    const SessionFolder one(step), other(step);
    path = one.path();
    EXPECT_TRUE(fs::is_directory(path));
    EXPECT_NE(path, other.path());
    Environment additions;
    one.tell(additions);
    EXPECT_EQ(additions, (Environment{{"OMPI_MCA_orte_tmpdir_base", path}}));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(RunFolderTest, NoSessionFolderInPodsWhoseDaemonsWouldShareIt) {
  setenv("KNEEPOINT_LINK", "/run/link", 1);
  const SessionFolder session(step);
  unsetenv("KNEEPOINT_LINK");
  EXPECT_EQ(session.path(), "");
}

TEST_F(RunFolderTest, NoSessionFolderForSeveralNodesAnotherStarterOrWhereOneIsNamed) {
  StepSpec wide = step, plain = step, named = step;
  wide.nodes = 2;
  plain.argv = {"./app"};
  named.env = {{"OMPI_MCA_orte_tmpdir_base", "/scratch"}};
  for (const StepSpec& each : {wide, plain, named}) {
    const SessionFolder session(each);
    EXPECT_EQ(session.path(), "");
    Environment additions;
    session.tell(additions);
    EXPECT_TRUE(additions.empty());
  }
}

}  // namespace
}  // namespace kneepoint::agent

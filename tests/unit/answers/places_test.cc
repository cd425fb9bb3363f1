// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/places.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace kneepoint {
namespace {

Environment environment(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

std::string place(const std::string& flag, std::map<std::string, std::string> variables) {
  const auto path = database_path(flag, environment(std::move(variables)), "/here");
  return path ? *path : "error: " + path.error().message;
}

TEST(Places, TheFlagComesFirst) {
  EXPECT_EQ(place("x.db", {{"KNEEPOINT_DB", "/other.db"}, {"HOME", "/home/a"}}), "/here/x.db");
}

TEST(Places, ThenTheVariable) {
  EXPECT_EQ(place("", {{"KNEEPOINT_DB", "sub/../y.db"}, {"XDG_STATE_HOME", "/state"}}),
            "/here/y.db");
}

TEST(Places, ThenTheStateFolder) {
  EXPECT_EQ(place("", {{"XDG_STATE_HOME", "/state"}, {"HOME", "/home/a"}}),
            "/state/kneepoint/kneepoint.db");
  EXPECT_EQ(place("", {{"HOME", "/home/a"}}), "/home/a/.local/state/kneepoint/kneepoint.db");
}

TEST(Places, EmptyAndRelativeVariablesCountAsUnset) {
  EXPECT_EQ(place("", {{"KNEEPOINT_DB", ""}, {"XDG_STATE_HOME", "state"}, {"HOME", "/home/a"}}),
            "/home/a/.local/state/kneepoint/kneepoint.db");
}

TEST(Places, WithoutAnyPlaceTheAnswerSaysWhatToDo) {
  const std::string answer = place("", {});
  EXPECT_NE(answer.find("error"), std::string::npos);
  EXPECT_NE(answer.find("--db FILE"), std::string::npos);
}

TEST(Places, RunDirectoriesLieBesideTheDatabaseUnlessTheSiteSaysOtherwise) {
  Site site;
  EXPECT_EQ(work_root(site, "/state/kneepoint.db", "/here"), "/state/runs");
  site.work_dir = "/shared/runs/";
  EXPECT_EQ(work_root(site, "/state/kneepoint.db", "/here"), "/shared/runs");
  site.work_dir = "runs";
  EXPECT_EQ(work_root(site, "/state/kneepoint.db", "/here"), "/here/runs");
}

TEST(Places, OfABuildTreeTheProgramsLieBesideOurOwn) {
  char name[] = "/tmp/kp-places-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  const std::string folder = name;
  std::ofstream(folder + "/kp-synthetic") << "\n";
  EXPECT_EQ(programs_folder(Site{}, folder + "/kneepoint", "/here"), folder);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(programs_folder(Site{}, "", "/here"), "");
}

TEST(Places, OfAnInstallationInTheLibraryFolderUnlessTheSiteSaysOtherwise) {
  Site site;
  EXPECT_EQ(programs_folder(site, "/opt/bin/kneepoint", "/here"), "/opt/lib/kneepoint");
  EXPECT_EQ(agent_path(site, "/opt/bin/kneepoint", "/here"), "/opt/bin/kneepoint-agent");
  site.programs = "/apps/kp";
  site.agent = "bin/agent";
  EXPECT_EQ(programs_folder(site, "/opt/bin/kneepoint", "/here"), "/apps/kp");
  EXPECT_EQ(agent_path(site, "/opt/bin/kneepoint", "/here"), "/here/bin/agent");
}

TEST(Places, OnKubernetesOurProgramsLieInTheImage) {
  Site site;
  site.backend = BackendKind::kubernetes;
  EXPECT_EQ(programs_folder(site, "/usr/bin/kneepoint", "/here"), "/opt/kneepoint/lib/kneepoint");
  site.programs = "/srv/bin";
  EXPECT_EQ(programs_folder(site, "/usr/bin/kneepoint", "/here"), "/srv/bin");
}

}  // namespace
}  // namespace kneepoint

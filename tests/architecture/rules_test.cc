// SPDX-License-Identifier: Apache-2.0
//
// The rules themselves, on strings: each must fire on what it forbids and keep quiet otherwise.
#include "tests/architecture/rules.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace kneepoint::architecture {
namespace {

Violations includes(const std::string& path, const std::string& line) {
  return check_includes({path, line + "\n"});
}

TEST(IncludeRules, AnUpwardIncludeIsAViolation) {
  const std::pair<std::string, std::string> upward[] = {
      {"orchestrator/base/clock.h", "#include \"orchestrator/model/plan.h\""},
      {"orchestrator/model/plan.h", "#include \"orchestrator/plan/yaml/problem.h\""},
      {"orchestrator/analysis/statistics/summary.cc",
       "#include \"orchestrator/store/study_store.h\""},
      {"orchestrator/report/terminal/terminal.cc", "#include \"orchestrator/store/study_store.h\""},
      {"orchestrator/plan/plan/matrix.cc", "#include \"orchestrator/backend/launcher.h\""},
      {"orchestrator/store/study_store.cc", "#include \"orchestrator/engine/engine.h\""},
      {"orchestrator/io/poller.cc", "#include \"orchestrator/model/plan.h\""},
      {"orchestrator/engine/ingest.cc", "#include \"orchestrator/cli/output.h\""},
      {"orchestrator/engine/ingest.cc", "#include \"orchestrator/backend/local_process.h\""},
      {"orchestrator/engine/ingest.cc", "#include \"orchestrator/io/subprocess.h\""},
      {"orchestrator/cli/run.cc", "#include \"workloads/harness/harness.h\""},
      {"orchestrator/backend/local/launcher.cc", "#include \"agents/agent/agent.h\""},
      {"agents/wire/record.h", "#include \"orchestrator/model/evidence.h\""},
      {"agents/wire/record.cc", "#include \"agents/agent/supervise.h\""},
      {"agents/agent/main.cc", "#include \"orchestrator/store/study_store.h\""},
      {"workloads/mpi/jacobi3d.cc", "#include \"orchestrator/engine/engine.h\""},
      {"orchestrator/report/json/json.cc",
       "#  include \"orchestrator/store/study_store.h\" // why"},
  };
  for (const auto& [path, line] : upward) {
    EXPECT_EQ(includes(path, line).size(), 1u) << path << " " << line;
  }
}

TEST(IncludeRules, TheMessageNamesFileLineAndTarget) {
  const Violations found =
      check_includes({"orchestrator/report/json/json.cc",
                      "// x\n#include \"orchestrator/store/study_store.h\"\n"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0],
            "orchestrator/report/json/json.cc:2: orchestrator/report/ may not include "
            "\"orchestrator/store/study_store.h\"");
}

TEST(IncludeRules, TheAllowedDirectionsAreQuiet) {
  const std::pair<std::string, std::string> downward[] = {
      {"orchestrator/engine/engine.h", "#include \"orchestrator/backend/launcher.h\""},
      {"orchestrator/engine/engine.h", "#include \"orchestrator/io/poller.h\""},
      {"orchestrator/engine/ingest.cc", "#include \"agents/wire/record.h\""},
      {"orchestrator/model/evidence.h", "#include \"agents/wire/record.h\""},
      {"orchestrator/backend/simulated/launcher.cc", "#include \"agents/wire/record.h\""},
      {"orchestrator/backend/simulated/journal.cc", "#include \"agents/wire/record.h\""},
      {"orchestrator/report/document.h", "#include \"orchestrator/analysis/statistics/summary.h\""},
      {"orchestrator/cli/run.cc", "#include \"orchestrator/engine/engine.h\""},
      {"orchestrator/plan/yaml/yaml.cc", "#include \"orchestrator/plan/yaml/yaml.h\""},
      {"workloads/mpi/jacobi3d.cc", "#include \"workloads/harness/harness.h\""},
      {"workloads/harness/harness.cc", "#include \"agents/wire/record.h\""},
      {"tests/unit/store/x_test.cc", "#include \"orchestrator/store/study_store.h\""},
      {"orchestrator/base/clock.cc", "#include <chrono>"},
      {"orchestrator/io/poller.cc", "#include <sys/epoll.h>"},
      {"orchestrator/io/poller.cc", "// #include \"orchestrator/engine/engine.h\""},
  };
  for (const auto& [path, line] : downward) {
    EXPECT_EQ(includes(path, line), Violations{}) << path << " " << line;
  }
}

TEST(IncludeRules, ALibraryIsSeenOnlyInItsHome) {
  const std::pair<std::string, std::string> at_home[] = {
      {"orchestrator/store/database.cc", "#include <sqlite3.h>"},
      {"orchestrator/plan/yaml/yaml.cc", "#include <yaml-cpp/yaml.h>"},
      {"orchestrator/plan/plan/formula.cc", "#include <muParser.h>"},
      {"orchestrator/base/log.cc", "#include <spdlog/spdlog.h>"},
      {"orchestrator/cli/shell/command_line.cc", "#include <CLI/CLI.hpp>"},
      {"orchestrator/analysis/statistics/distributions.cc",
       "#include <boost/math/distributions/beta.hpp>"},
      {"workloads/harness/harness.h", "#include <mpi.h>"},
      {"tests/unit/store/x_test.cc", "#include <sqlite3.h>"},
  };
  for (const auto& [path, line] : at_home) {
    EXPECT_EQ(includes(path, line), Violations{}) << path << " " << line;
  }
  const std::pair<std::string, std::string> abroad[] = {
      {"orchestrator/store/study_store.cc", "#include <sqlite3.h>"},
      {"orchestrator/store/database.h", "#include <sqlite3.h>"},
      {"orchestrator/plan/plan/reader.cc", "#include <yaml-cpp/yaml.h>"},
      {"orchestrator/plan/plan/formula.h", "#include <muParser.h>"},
      {"orchestrator/engine/reconciler.cc", "#include <spdlog/spdlog.h>"},
      {"orchestrator/engine/engine.h", "#include <CLI/CLI.hpp>"},
      {"orchestrator/cli/run.cc", "#include <CLI/CLI.hpp>"},
      {"orchestrator/engine/ingest.cc", "#include <nlohmann/json.hpp>"},
      {"agents/wire/record.h", "#include <nlohmann/json.hpp>"},
      {"orchestrator/analysis/statistics/summary.h",
       "#include <boost/math/distributions/beta.hpp>"},
      {"orchestrator/backend/local/launcher.cc", "#include <mpi.h>"},
      {"orchestrator/base/result.h", "#include <gtest/gtest.h>"},
      {"orchestrator/io/http.cc", "#include <some_new_library/client.h>"},
  };
  for (const auto& [path, line] : abroad) {
    EXPECT_EQ(includes(path, line).size(), 1u) << path << " " << line;
  }
}

TEST(IncludeRules, IncludesAreWrittenFromTheRoot) {
  EXPECT_EQ(includes("orchestrator/plan/plan/matrix.cc", "#include \"matrix.h\"").size(), 1u);
  EXPECT_EQ(includes("orchestrator/plan/plan/matrix.cc", "#include \"../model/plan.h\"").size(),
            1u);
}

TEST(FormRules, AFileOpensWithItsLicenceAndAHeaderWithItsRule) {
  const std::string spdx = "// SPDX-License-Identifier: Apache-2.0\n";
  EXPECT_EQ(check_form({"orchestrator/base/x.h", spdx + "//\n// What it is.\n"}), Violations{});
  EXPECT_EQ(check_form({"orchestrator/base/x.cc", spdx + "#include <string>\n"}), Violations{});
  EXPECT_EQ(check_form({".ci/x.py",
                        "#!/usr/bin/env python3\n# SPDX-License-Identifier: "
                        "Apache-2.0\n"}),
            Violations{});
  EXPECT_EQ(check_form({"orchestrator/base/x.cc", "int x;\n"}).size(), 1u);
  EXPECT_EQ(check_form({"orchestrator/base/x.cc", ""}).size(), 1u);
  EXPECT_EQ(check_form({"orchestrator/base/x.h", spdx + "#pragma once\n"}).size(), 1u);
}

TEST(FormRules, AFileStaysShort) {
  const auto lines = [](int count) {
    std::string text = "// SPDX-License-Identifier: Apache-2.0\n";
    for (int i = 1; i < count; ++i) text += "\n";
    return text;
  };
  EXPECT_EQ(check_form({"orchestrator/base/x.cc", lines(449)}), Violations{});
  EXPECT_EQ(check_form({"orchestrator/base/x.cc", lines(450)}).size(), 1u);
  EXPECT_EQ(check_form({"orchestrator/engine/reconciler.cc", lines(499)}), Violations{});
  EXPECT_EQ(check_form({"orchestrator/engine/reconciler.cc", lines(500)}).size(), 1u);
}

TEST(CallRules, TimeProcessesAndRandomnessHaveOneHomeEach) {
  const auto calls = [](const std::string& path, const std::string& line) {
    return check_calls({path, line + "\n"}).size();
  };
  EXPECT_EQ(calls("orchestrator/engine/retry.cc", "auto t = std::chrono::steady_clock::now();"),
            1u);
  EXPECT_EQ(calls("orchestrator/base/clock.cc", "auto t = std::chrono::steady_clock::now();"), 0u);
  EXPECT_EQ(calls("orchestrator/cli/run.cc", "const Clock& clock = system_clock();"), 0u);
  EXPECT_EQ(calls("orchestrator/backend/local/launcher.cc", "std::system(command.c_str());"), 1u);
  EXPECT_EQ(calls("orchestrator/backend/local/launcher.cc", "if (::fork() == 0) {"), 1u);
  EXPECT_EQ(calls("orchestrator/io/subprocess.cc", "posix_spawnp(&pid, a, b, c, d, e);"), 0u);
  EXPECT_EQ(calls("orchestrator/plan/plan/matrix.cc", "std::mt19937 generator(seed);"), 1u);
  EXPECT_EQ(calls("orchestrator/plan/plan/matrix.cc", "shuffle(x);  // not mt19937"), 0u);
  EXPECT_EQ(calls("orchestrator/engine/engine.cc", "usleep(10);"), 1u);
  EXPECT_EQ(calls("orchestrator/backend/local/launcher.cc", "::system(command.c_str());"), 1u);
  EXPECT_EQ(calls("orchestrator/store/journal.cc", "network_file_system(path);"), 0u);
  EXPECT_EQ(calls("workloads/mpi/jacobi3d.cc", "clock_gettime(CLOCK_MONOTONIC, &now);"), 1u);
  EXPECT_EQ(calls("tests/unit/io/poller_test.cc", "std::this_thread::sleep_for(10ms);"), 1u);
  EXPECT_EQ(calls("tests/unit/io/poller_test.cc", "if (::fork() == 0) {"), 0u);
}

TEST(CMakeRules, SourcesAreListedAndLibrariesArePrivate) {
  const auto found = [](const std::string& text) {
    return check_cmake({"orchestrator/x/CMakeLists.txt", text}).size();
  };
  EXPECT_EQ(found("file(GLOB sources *.cc)\n"), 1u);
  EXPECT_EQ(found("file(GLOB_RECURSE sources *.cc)\n"), 1u);
  EXPECT_EQ(found("add_library(kp_x STATIC a.cc b.cc)  # no GLOB\n"), 0u);
  EXPECT_EQ(found("target_link_libraries(kp_x PUBLIC kp_base\n  PRIVATE yaml-cpp)\n"), 0u);
  EXPECT_EQ(found("target_link_libraries(kp_x PUBLIC kp_base yaml-cpp)\n"), 1u);
  EXPECT_EQ(found("target_link_libraries(kp_x SQLite::SQLite3)\n"), 1u);
}

TEST(TopLevelRules, NothingIsAddedAndNothingIsMissing) {
  std::vector<std::string> names = {"CHANGELOG.md",
                                    "CMakeLists.txt",
                                    "CMakePresets.json",
                                    "CONTRIBUTING.md",
                                    "LICENSE",
                                    "README.md",
                                    "agents",
                                    "check",
                                    "deploy",
                                    "docs",
                                    "orchestrator",
                                    "plans",
                                    "quickstart",
                                    "tests",
                                    "workloads"};
  EXPECT_EQ(check_top_level(names), Violations{});
  names.push_back("scripts");
  EXPECT_EQ(check_top_level(names).size(), 1u);
  names.front() = "utils";
  EXPECT_EQ(check_top_level(names).size(), 3u);
}

}  // namespace
}  // namespace kneepoint::architecture

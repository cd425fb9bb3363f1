// SPDX-License-Identifier: Apache-2.0
//
// catalog.yaml and the programs agree: each entry has its program, and the program's --help knows
// exactly the catalog's parameters, defaults and default size.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "orchestrator/io/subprocess.h"
#include "tests/fakes/patience.h"

namespace kneepoint::workloads {
namespace {

using Defaults = std::map<std::string, std::string>;

// From "  --sweeps           sweeps in one iteration (default 20)".
Defaults defaults_of(const std::string& help, bool parameters) {
  Defaults defaults;
  std::istringstream lines(help);
  bool wanted = !parameters;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("Parameters of this one:", 0) == 0) {
      if (!parameters) break;
      wanted = true;
      continue;
    }
    if (!wanted || line.rfind("  --", 0) != 0) continue;
    const std::string name = line.substr(4, line.find(' ', 4) - 4);
    const auto at = line.rfind("(default ");
    defaults[name] = at == std::string::npos ? "" : line.substr(at + 9, line.rfind(')') - at - 9);
  }
  return defaults;
}

TEST(Catalog, AgreesWithTheHelpOfEveryProgram) {
  const YAML::Node catalog = YAML::LoadFile(KP_SOURCE_DIR "/workloads/catalog.yaml");
  ASSERT_EQ(catalog["workloads"].size(), 9U);
  for (const auto& entry : catalog["workloads"]) {
    const auto name = entry["name"].as<std::string>();
    SCOPED_TRACE(name);
    EXPECT_EQ(entry["program"].as<std::string>(), "kp-" + name);
    if (entry["needs"].IsDefined() && !std::filesystem::exists(KP_BIN_DIR "/kp-" + name)) {
      continue;  // tests/integration/nccl says so
    }
    SpawnOptions options;
    options.argv = {std::string(KP_BIN_DIR) + "/kp-" + name, "--help"};
    const auto captured = run_captured(options, kPatience);
    ASSERT_TRUE(captured) << captured.error().message;
    ASSERT_EQ(captured->exit_code, 0);

    Defaults expected;
    for (const auto& parameter : entry["parameters"]) {
      expected[parameter.first.as<std::string>()] = parameter.second.as<std::string>();
    }
    EXPECT_EQ(defaults_of(captured->output, true), expected);
    EXPECT_EQ(defaults_of(captured->output, false)["size"],
              entry["size"]["strong"].as<std::string>());
  }
}

}  // namespace
}  // namespace kneepoint::workloads

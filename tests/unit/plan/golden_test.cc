// SPDX-License-Identifier: Apache-2.0
//
// Broken plans and sites with their exact messages: NAME.yaml next to NAME.expected. A name that
// begins with "site-" is a site. With KNEEPOINT_UPDATE_GOLDEN=1 in the environment the expected
// texts are written anew; read the difference before committing it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

const std::string kFolder = "tests/golden/plans";

std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(KP_SOURCE_DIR "/" + kFolder)) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// What `check` does: read, expand on a small cluster, give every problem its place.
std::string messages_of(const std::string& name) {
  const std::string path = kFolder + "/" + name + ".yaml";
  const std::string text = read_whole(KP_SOURCE_DIR "/" + path);
  if (name.starts_with("site-")) return to_string(read_site(text, path).problems);
  const PlanRead read = read_plan(text, path, test_catalog());
  if (!read.problems.empty()) return to_string(read.problems);
  std::vector<Problem> problems = expand(read.plan, simulated_site(), {16, 64, 0}, "bin").problems;
  locate(problems, read.origins);
  return to_string(problems);
}

class BrokenFile : public testing::TestWithParam<std::string> {};

TEST_P(BrokenFile, GetsItsExactMessage) {
  const std::string messages = messages_of(GetParam());
  const std::string expected =
      std::string(KP_SOURCE_DIR "/") + kFolder + "/" + GetParam() + ".expected";
  if (std::getenv("KNEEPOINT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(expected, std::ios::binary) << messages;
  }
  EXPECT_FALSE(messages.empty()) << GetParam() << " is read without a problem";
  EXPECT_EQ(messages, read_whole(expected));
}

INSTANTIATE_TEST_SUITE_P(Golden, BrokenFile, testing::ValuesIn(golden_names()),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(BrokenFiles, AreAtLeastThirty) {
  EXPECT_GE(golden_names().size(), 30u);
}

}  // namespace
}  // namespace kneepoint

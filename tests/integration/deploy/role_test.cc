// SPDX-License-Identifier: Apache-2.0
//
// The Role that deploy/ ships holds exactly what the launcher asks the API server for.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "orchestrator/backend/kubernetes/session.h"

namespace kneepoint {
namespace {

// The words of "    verbs: [create, get]"; none when the line is about something else.
std::vector<std::string> words_of(const std::string& line, const std::string& key) {
  const std::size_t at = line.find(key + ": [");
  if (at == std::string::npos) return {};
  const std::size_t open = line.find('[', at) + 1;
  std::vector<std::string> words(1);
  for (const char c : line.substr(open, line.find(']', open) - open)) {
    if (c == ',') {
      words.emplace_back();
    } else if (c != ' ' && c != '"') {
      words.back() += c;
    }
  }
  return words;
}

// "group resource verb" for each right of a rule.
std::set<std::string> rights_in(const std::string& path) {
  std::set<std::string> rights;
  std::ifstream file(path);
  std::vector<std::string> groups, resources;
  for (std::string line; std::getline(file, line);) {
    if (const auto found = words_of(line, "apiGroups"); !found.empty()) groups = found;
    if (const auto found = words_of(line, "resources"); !found.empty()) resources = found;
    for (const std::string& verb : words_of(line, "verbs")) {
      for (const std::string& group : groups) {
        for (const std::string& resource : resources) {
          rights.insert(group + " " + resource + " " + verb);
        }
      }
    }
  }
  return rights;
}

TEST(DeployRole, HoldsWhatTheLauncherAsksForAndNothingElse) {
  std::set<std::string> needed;
  for (const KubeRight& right : kube_rights()) {
    needed.insert(std::string(right.group) + " " + right.resource + " " + right.verb);
  }
  EXPECT_GE(needed.size(), 10U);
  EXPECT_EQ(rights_in(KP_SOURCE_DIR "/deploy/kubernetes/base/role.yaml"), needed);
  EXPECT_EQ(rights_in(KP_SOURCE_DIR "/deploy/helm/kneepoint/templates/role.yaml"), needed);
}

}  // namespace
}  // namespace kneepoint

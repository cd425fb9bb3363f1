// SPDX-License-Identifier: Apache-2.0
//
// The snippets of deploy/ci can be read, and every line in them that calls kneepoint is one that
// kneepoint takes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "orchestrator/cli/shell/command.h"
#include "orchestrator/plan/yaml/yaml.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

const std::string kFolder = KP_SOURCE_DIR "/deploy/";

std::string text_of(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(kFolder + name).rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

// As a shell would: words between spaces, quotes removed.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool inside = false;
  for (const char c : line) {
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      if (inside) words.push_back(word);
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

// What comes after the program's name; nothing: it is not called.
std::vector<std::string> arguments_in(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (fs::path(words[i]).filename() == "kneepoint") return {words.begin() + i + 1, words.end()};
  }
  return {};
}

using Calls = std::vector<std::vector<std::string>>;

void add_lines(const std::string& text, Calls& calls) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    auto found = arguments_in(words_of(line));
    if (!found.empty()) calls.push_back(std::move(found));
  }
}

void add_calls(const YamlNode& node, Calls& calls) {
  if (node.kind == YamlNode::Kind::scalar) add_lines(node.text, calls);
  std::vector<std::string> items;
  for (const YamlNode& item : node.items) {
    if (item.kind == YamlNode::Kind::scalar) items.push_back(item.text);
    if (item.kind != YamlNode::Kind::scalar || item.text.find(' ') != std::string::npos) {
      add_calls(item, calls);
    }
  }
  if (!items.empty() && fs::path(items.front()).filename() == "kneepoint") {
    calls.push_back(arguments_in(items));
  }
  for (const YamlEntry& entry : node.entries) add_calls(entry.value, calls);
}

Calls calls_of_yaml(const std::string& name) {
  const YamlFile file = parse_yaml(text_of(name), name);
  EXPECT_TRUE(file.problems.empty()) << to_string(file.problems);
  Calls calls;
  add_calls(file.root, calls);
  return calls;
}

Calls calls_of_lines(const std::string& name, const std::string& opening) {
  Calls calls;
  std::istringstream lines(text_of(name));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line.compare(begin, opening.size(), opening) != 0) continue;
    line = line.substr(begin + opening.size());
    // Groovy's quotes around the whole.
    if (opening.ends_with('\'')) line = line.substr(0, line.rfind('\''));
    add_lines(line, calls);
  }
  return calls;
}

void accepted(const std::string& name, const Calls& calls, std::size_t nights) {
  std::size_t found = 0;
  for (const auto& call : calls) {
    const auto parsed = cli::parse_command_line(call, cli::all_commands());
    ASSERT_TRUE(parsed) << name << ": " << parsed.error().message;
    ASSERT_NE(parsed->command, nullptr) << name;
    if (parsed->command->name != "nightly") continue;
    ++found;
    EXPECT_EQ(parsed->given.count("--output-dir"), 1u) << name;
  }
  EXPECT_EQ(found, nights) << name;
}

TEST(DeployCi, EveryCallOfKneepointIsOneThatItTakes) {
  accepted("github", calls_of_yaml("ci/github-actions.yml"), 1);
  accepted("gitlab", calls_of_yaml("ci/gitlab-ci.yml"), 1);
  accepted("jenkins", calls_of_lines("ci/Jenkinsfile", "sh '"), 1);
  accepted("cron", calls_of_lines("ci/crontab", "30 1 * * *"), 1);
  accepted("cron", calls_of_lines("ci/crontab", "0 12 1 * *"), 0);
  EXPECT_EQ(calls_of_lines("ci/crontab", "0 12 1 * *").size(), 1u);
  accepted("systemd", calls_of_lines("systemd/kneepoint-nightly.service", "ExecStart="), 1);
}

TEST(DeployCi, AFlagThatIsNotThereIsSeen) {
  Calls calls = calls_of_yaml("ci/github-actions.yml");
  ASSERT_EQ(calls.size(), 1u);
  calls[0].emplace_back("--annotate");
  EXPECT_FALSE(cli::parse_command_line(calls[0], cli::all_commands()));
}

TEST(DeployCi, EveryFileIsLookedAt) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(kFolder + "ci")) {
    if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const std::vector<std::string> known = {"Jenkinsfile", "README.md", "crontab",
                                          "github-actions.yml", "gitlab-ci.yml"};
  EXPECT_EQ(names, known);
}

}  // namespace
}  // namespace kneepoint

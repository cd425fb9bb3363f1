// SPDX-License-Identifier: Apache-2.0
//
// How files look, what they may call, and what stands at the top of the repository.
#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/rules.h"

namespace kneepoint::architecture {
namespace {

constexpr int kMostLines = 450;
constexpr int kMostLinesOfReconciler = 500;  // the orchestrating file: guarded, not exempt

struct Call {
  std::string_view name;                // as it stands before "(" or within the line
  std::vector<std::string_view> homes;  // folders or files that may
  std::string_view instead;
};

const std::vector<Call>& calls() {
  static const std::vector<Call> table = {
      {"steady_clock::now", {"orchestrator/base/clock.cc"}, "take a Clock&"},
      {"system_clock::now", {"orchestrator/base/clock.cc"}, "take a Clock&"},
      {"high_resolution_clock::now", {}, "take a Clock&"},
      {"clock_gettime(",
       {"orchestrator/base/clock.cc", "agents/probe/signal_safe.h"},
       "take a Clock&"},
      {"gettimeofday(", {}, "take a Clock&"},
      {"sleep_for(", {"tests/fakes/"}, "wait in io/poller"},
      {"usleep(", {"tests/fakes/"}, "wait in io/poller"},
      {"nanosleep(", {"tests/fakes/"}, "wait in io/poller"},
      {"clock_nanosleep(",
       {"workloads/harness/timers.cc"},
       "wait in io/poller, workloads in timers"},
      {"fork(", {"agents/agent/"}, "use io/subprocess"},
      {"posix_spawn(", {"orchestrator/io/", "agents/agent/"}, "use io/subprocess"},
      {"posix_spawnp(", {"orchestrator/io/", "agents/agent/"}, "use io/subprocess"},
      {"popen(", {}, "use io/subprocess: there is no shell"},
      {"system(", {}, "use io/subprocess: there is no shell"},
      {"random_device", {}, "use base/random.h with the study's seed"},
      {"mt19937", {}, "use base/random.h with the study's seed"},
      {"begin->",
       {"orchestrator/", "agents/", "workloads/"},
       "begin_of() of tests/fakes/present.h"},
      {"end->",
       {"orchestrator/", "agents/", "workloads/", "tests/contract/backends.cc",
        "tests/fault/agent/agent_fixture.cc"},
       "end_of() of tests/fakes/present.h: what is missing fails the test and not the program"},
  };
  return table;
}

std::string without_comment(const std::string& line) {
  return line.substr(0, line.find("//"));
}

bool has_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    if (std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_') return true;
  }
  return false;
}

}  // namespace

Violations check_form(const SourceFile& file) {
  Violations out;
  std::istringstream stream(file.text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);

  const std::size_t first = !lines.empty() && lines[0].starts_with("#!") ? 1 : 0;
  if (lines.size() <= first ||
      lines[first].find("SPDX-License-Identifier: Apache-2.0") == std::string::npos) {
    out.push_back(file.path + ": does not open with the SPDX line");
  }
  const bool ours = !file.path.starts_with("tests/");
  if (ours && file.path.ends_with(".h") &&
      (lines.size() < 3 || !lines[1].starts_with("//") || !lines[2].starts_with("// "))) {
    out.push_back(file.path + ": a header says at its top what it is and the one rule to know");
  }
  const int most =
      file.path == "orchestrator/engine/reconciler.cc" ? kMostLinesOfReconciler : kMostLines;
  if (static_cast<int>(lines.size()) >= most) {
    out.push_back(file.path + ": " + std::to_string(lines.size()) + " lines; stay under " +
                  std::to_string(most) + " by splitting it by topic");
  }
  if (file.path.find("/utils/") != std::string::npos) {
    out.push_back(file.path + ": a folder called utils has no topic");
  }
  return out;
}

Violations check_calls(const SourceFile& file) {
  Violations out;
  // Tests may fork and measure, but waiting a while instead of for something makes them flaky.
  const bool is_test = file.path.starts_with("tests/");
  if (file.path.starts_with("tests/architecture/")) return out;  // names the calls as text
  std::istringstream lines(file.text);
  std::string text;
  for (int line = 1; std::getline(lines, text); ++line) {
    const std::string code = without_comment(text);
    for (const Call& call : calls()) {
      if (!has_word(code, call.name)) continue;
      if (is_test && call.name.find("sleep") == std::string_view::npos) continue;
      const bool allowed =
          std::any_of(call.homes.begin(), call.homes.end(),
                      [&](std::string_view home) { return file.path.starts_with(home); });
      if (!allowed) {
        out.push_back(file.path + ":" + std::to_string(line) + ": " + std::string(call.name) +
                      " is not for this file; " + std::string(call.instead));
      }
    }
  }
  return out;
}

Violations check_cmake(const SourceFile& file) {
  static const std::set<std::string> private_libraries = {
      "spdlog::spdlog",     "yaml-cpp",     "yaml-cpp::yaml-cpp", "SQLite::SQLite3",
      "CLI11::CLI11",       "Boost::boost", "Boost::headers",     "nlohmann_json::nlohmann_json",
      "${MUPARSER_LIBRARY}"};
  Violations out;
  std::istringstream lines(file.text);
  std::string text, code;
  for (int line = 1; std::getline(lines, text); ++line) {
    text.resize(std::min(text.size(), text.find('#')));
    if (has_word(text, "GLOB") || has_word(text, "GLOB_RECURSE") ||
        has_word(text, "aux_source_directory")) {
      out.push_back(file.path + ":" + std::to_string(line) + ": sources are listed, not globbed");
    }
    code += text + "\n";
  }
  for (std::size_t at = code.find("target_link_libraries("); at != std::string::npos;
       at = code.find("target_link_libraries(", at + 1)) {
    const std::size_t open = code.find('(', at) + 1;
    std::istringstream words(code.substr(open, code.find(')', open) - open));
    std::string target, word, visibility = "PUBLIC";
    words >> target;
    while (words >> word) {
      if (word == "PUBLIC" || word == "PRIVATE" || word == "INTERFACE") {
        visibility = word;
      } else if (visibility != "PRIVATE" && private_libraries.count(word) != 0) {
        out.push_back(file.path + ": " + target + " links " + word + " " + visibility +
                      "; third-party libraries are PRIVATE");
      }
    }
  }
  return out;
}

Violations check_top_level(const std::vector<std::string>& names) {
  static const std::set<std::string> fixed = {"CHANGELOG.md",
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
  Violations out;
  for (const std::string& name : names) {
    if (fixed.count(name) == 0) {
      out.push_back(name + " does not belong at the top level, which is a fixed set");
    }
  }
  for (const std::string& name : fixed) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      out.push_back(name + " is missing at the top level");
    }
  }
  return out;
}

}  // namespace kneepoint::architecture

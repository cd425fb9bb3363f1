// SPDX-License-Identifier: Apache-2.0
//
// The rules of tests/architecture/rules.h on the tree as it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "tests/architecture/rules.h"

namespace kneepoint::architecture {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<SourceFile> files_of_tree(const std::function<bool(const fs::path&)>& wanted) {
  std::vector<SourceFile> files;
  const fs::path root = KP_SOURCE_DIR;
  for (const char* part : {"orchestrator", "agents", "workloads", "tests", ".ci"}) {
    if (!fs::exists(root / part)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / part)) {
      if (!entry.is_regular_file() || !wanted(entry.path())) continue;
      if (entry.path().string().find("/node_modules/") != std::string::npos) continue;
      files.push_back({fs::relative(entry.path(), root).generic_string(), read(entry.path())});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

bool is_cpp(const fs::path& path) {
  return path.extension() == ".cc" || path.extension() == ".h" || path.extension() == ".c";
}

bool is_script(const fs::path& path) {
  return path.extension() == ".ts" || path.extension() == ".mjs";
}

std::string joined(const Violations& violations) {
  std::string text;
  for (const std::string& one : violations) text += one + "\n";
  return text;
}

Violations over_tree(const std::function<bool(const fs::path&)>& wanted,
                     Violations (*check)(const SourceFile&)) {
  Violations all;
  for (const SourceFile& file : files_of_tree(wanted)) {
    for (std::string& one : check(file)) all.push_back(std::move(one));
  }
  return all;
}

TEST(Tree, EveryPartIsSeen) {
  const std::vector<SourceFile> files = files_of_tree(is_cpp);
  for (const char* part :
       {"orchestrator/base/", "orchestrator/model/", "agents/wire/", "tests/architecture/"}) {
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
      return file.path.starts_with(part) && !file.text.empty();
    })) << part;
  }
}

TEST(Tree, NoFileIncludesUpwardsOrALibraryThatIsNotItsOwn) {
  const Violations found = over_tree(is_cpp, check_includes);
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(Tree, AnInjectedUpwardIncludeIsFound) {
  std::vector<SourceFile> files = files_of_tree(is_cpp);
  const auto victim = std::find_if(files.begin(), files.end(), [](const SourceFile& file) {
    return file.path == "orchestrator/model/plan.h";
  });
  ASSERT_NE(victim, files.end());
  ASSERT_EQ(check_includes(*victim), Violations{});
  victim->text += "#include \"orchestrator/store/study_store.h\"\n";
  EXPECT_EQ(check_includes(*victim).size(), 1u);
}

TEST(Tree, EveryFileHasItsLicenceItsOpeningAndALengthToReadInOneGo) {
  const Violations found = over_tree(
      [](const fs::path& path) {
        return is_cpp(path) || is_script(path) || path.extension() == ".py" ||
               path.extension() == ".sh";
      },
      check_form);
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(Tree, ThePageMakesNoMarkupAndNoCodeOfText) {
  for (const SourceFile& file : files_of_tree(is_script)) {
    if (!file.path.starts_with("orchestrator/web/")) continue;
    for (const char* call : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                             "createContextualFragment", "eval(", "new Function", "localStorage"}) {
      EXPECT_EQ(file.text.find(call), std::string::npos) << file.path << ": " << call;
    }
  }
}

TEST(Tree, TimeSleepProcessesAndRandomnessHaveOneHomeEach) {
  const Violations found = over_tree(is_cpp, check_calls);
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(Tree, CMakeListsItsSourcesAndKeepsLibrariesPrivate) {
  Violations found = over_tree(
      [](const fs::path& path) {
        return path.filename() == "CMakeLists.txt" || path.extension() == ".cmake";
      },
      check_cmake);
  const SourceFile top{"CMakeLists.txt", read(fs::path(KP_SOURCE_DIR) / "CMakeLists.txt")};
  for (std::string& one : check_cmake(top)) found.push_back(std::move(one));
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(Tree, TheTopLevelIsTheFixedSet) {
  std::vector<std::string> ignored = {"build", "compile_commands.json"};  // as in .gitignore
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(KP_SOURCE_DIR)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || std::find(ignored.begin(), ignored.end(), name) != ignored.end())
      continue;
    names.push_back(name);
  }
  const Violations found = check_top_level(names);
  EXPECT_TRUE(found.empty()) << joined(found);
}

}  // namespace
}  // namespace kneepoint::architecture

// SPDX-License-Identifier: Apache-2.0
//
// The order of precedence is flag, KNEEPOINT_*, the standard place.
#include "orchestrator/answers/places.h"
#include "orchestrator/model/site.h"

#include <filesystem>

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr char kOneOfOurs[] = "kp-synthetic";

std::string folder_of(const std::string& path) {
  return fs::path(path).parent_path().string();
}

}  // namespace

std::string absolute_path(const std::string& path, const std::string& working_directory) {
  const fs::path given(path);
  std::string text =
      (given.is_absolute() ? given : fs::path(working_directory) / given).lexically_normal();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

// An empty variable counts as unset, as the XDG specification has it.
Result<std::string> database_path(const std::string& flag, const Environment& environment,
                                  const std::string& working_directory) {
  if (!flag.empty()) return absolute_path(flag, working_directory);
  const std::string variable = environment("KNEEPOINT_DB").value_or("");
  if (!variable.empty()) return absolute_path(variable, working_directory);
  std::string state = environment("XDG_STATE_HOME").value_or("");
  if (state.empty() || state.front() != '/') {  // a relative one is to be ignored
    const std::string home = environment("HOME").value_or("");
    if (home.empty() || home.front() != '/') {
      return Error{ErrorCode::invalid,
                   "no place for the database: neither KNEEPOINT_DB, XDG_STATE_HOME nor HOME is "
                   "set; say --db FILE"};
    }
    state = home + "/.local/state";
  }
  return absolute_path(state + "/kneepoint/kneepoint.db", working_directory);
}

std::string work_root(const Site& site, const std::string& database,
                      const std::string& working_directory) {
  if (!site.work_dir.empty()) return absolute_path(site.work_dir, working_directory);
  return absolute_path(folder_of(database) + "/runs", working_directory);
}

std::string programs_folder(const Site& site, const std::string& executable,
                            const std::string& working_directory) {
  if (!site.programs.empty()) return absolute_path(site.programs, working_directory);
  if (traits_of(site.backend).has_images) return kImagePrograms;
  const std::string beside = folder_of(executable);
  std::error_code ignored;
  if (beside.empty() || fs::exists(beside + "/" + kOneOfOurs, ignored)) return beside;
  return (fs::path(beside).parent_path() / "lib/kneepoint").string();
}

std::string agent_path(const Site& site, const std::string& executable,
                       const std::string& working_directory) {
  if (!site.agent.empty()) return absolute_path(site.agent, working_directory);
  return folder_of(executable) + "/kneepoint-agent";
}

}  // namespace kneepoint

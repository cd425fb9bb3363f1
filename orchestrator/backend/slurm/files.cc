// SPDX-License-Identifier: Apache-2.0
//
// Only questions to the file system and /proc, and the two lists of nodes that failed.
#include "orchestrator/backend/slurm/watch.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "orchestrator/backend/slurm/text.h"
#include "orchestrator/base/files.h"
#include "orchestrator/io/process.h"

namespace kneepoint {
namespace {

using namespace slurm_fields;

constexpr std::size_t kMostLine = 200;

std::string suspended_path(const std::string& directory, const std::string& name) {
  return directory + "/" + name + ".suspended";
}

std::string nodes_path(const std::string& directory) {
  return directory + "/failed-nodes.txt";
}

std::vector<std::string> lines_in(const std::string& path) {
  std::vector<std::string> lines;
  const auto text = read_file_if_there(path, 1 << 20);
  if (!text || !*text) return lines;
  for (const std::string_view line : lines_of(**text)) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

Result<void> write_lines(const std::string& path, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return write_whole_file(path, text);
}

}  // namespace

std::string last_output_line(const std::string& output_path) {
  const auto text = read_file_if_there(output_path, 1 << 20);
  if (!text || !*text) return "";
  std::string_view all = **text;
  while (!all.empty() && (all.back() == '\n' || all.back() == ' ')) all.remove_suffix(1);
  std::string line(all.substr(all.rfind('\n') + 1));
  if (line.size() > kMostLine) line = line.substr(0, kMostLine) + "...";
  return line;
}

std::string folder_trouble(const std::string& directory) {
  struct statvfs about {};
  if (::statvfs(directory.c_str(), &about) != 0) return "";
  if ((about.f_flag & ST_RDONLY) != 0) return "the file system of " + directory + " is read-only";
  const bool no_files = about.f_files > 0 && about.f_favail == 0;
  const bool no_space = about.f_blocks > 0 && about.f_bavail == 0;
  if (!no_space && !no_files) return "";
  return "the file system of " + directory + " is full";
}

Result<void> note_suspended(const std::string& directory, const std::string& name,
                            Nanoseconds wall) {
  return write_whole_file(suspended_path(directory, name), std::to_string(wall) + "\n");
}

Nanoseconds read_suspended(const std::string& directory, const std::string& name) {
  const auto text = read_file_if_there(suspended_path(directory, name), 64);
  Nanoseconds wall = 0;
  if (text && *text) std::from_chars((*text)->data(), (*text)->data() + (*text)->size(), wall);
  return wall;
}

bool is_being_submitted(const std::string& name, const std::string& script_path) {
  const std::string job = std::string("\0--job-name=", 12) + name + '\0';
  const std::string script = '\0' + script_path + '\0';
  const auto processes = all_processes();
  return std::any_of(processes.begin(), processes.end(), [&](const ProcessWords& process) {
    return process.words.find(job) != std::string::npos && process.words.ends_with(script);
  });
}

std::vector<std::string> read_failed_nodes(const std::string& directory) {
  return lines_in(nodes_path(directory));
}

Result<void> add_failed_nodes(const std::string& directory, const std::vector<std::string>& nodes) {
  std::vector<std::string> all = read_failed_nodes(directory);
  const std::size_t before = all.size();
  for (const std::string& node : nodes) {
    if (std::find(all.begin(), all.end(), node) == all.end()) all.push_back(node);
  }
  return all.size() == before ? Result<void>() : write_lines(nodes_path(directory), all);
}

Result<int> add_failed_start(const std::string& directory, const std::string& node) {
  const std::string path = directory + "/failed-starts.txt";
  std::vector<std::string> starts = lines_in(path);
  starts.push_back(node);
  TRY(write_lines(path, starts));
  return static_cast<int>(std::count(starts.begin(), starts.end(), node));
}

}  // namespace kneepoint

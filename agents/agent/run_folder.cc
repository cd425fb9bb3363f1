// SPDX-License-Identifier: Apache-2.0
//
// Where a path really is, realpath tells; it must begin with the folder's own.
#include "agents/agent/run_folder.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "agents/agent/file.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/text.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKeptFiles = 100;
constexpr std::size_t kMostFolderText = 250 * 1024;
constexpr char kSessionVariable[] = "OMPI_MCA_orte_tmpdir_base";

std::string real_path(const std::string& path) {
  char* const found = ::realpath(path.c_str(), nullptr);
  const std::string text = found != nullptr ? found : "";
  std::free(found);
  return text;
}

bool is_below(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() + 1 && path.starts_with(folder + "/");
}

Result<void> make_parents(const std::string& folder, const std::string& name) {
  std::error_code problem;
  fs::create_directories(fs::path(folder + "/" + name).parent_path(), problem);
  if (problem) return system_error("make the folder of " + name, problem.value());
  return {};
}

Result<void> put_input(const InputSpec& input, const std::string& folder) {
  if (!stays_inside(input.name)) {
    return Error{ErrorCode::invalid, "input '" + input.name + "' would leave the run's folder"};
  }
  TRY(make_parents(folder, input.name));
  const std::string path = folder + "/" + input.name;
  if (!input.from.empty()) {
    if (access(input.from.c_str(), R_OK) != 0) return system_error("input " + input.from, errno);
    if (symlink(input.from.c_str(), path.c_str()) != 0) return system_error("link " + path, errno);
    return {};
  }
  return write_new_file(path, input.content.value_or(""), input.executable ? 0755 : 0644);
}

// Names below `at` (a path in the folder that ends with '/', or "") that fit the pattern; a '*'
// stays within one part of the path. Links are not entered.
void match(const std::string& folder, const std::string& at, const std::string& pattern,
           std::set<std::string>& names) {
  const std::size_t slash = pattern.find('/');
  const std::string part = pattern.substr(0, slash);
  std::error_code problem;
  fs::directory_iterator entry(folder + "/" + at, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
    if (slash == std::string::npos) {
      names.insert(at + name);
    } else if (std::error_code ignored; !entry->is_symlink(ignored)) {
      match(folder, at + name + "/", pattern.substr(slash + 1), names);
    }
  }
}

bool is_plain_text(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return c > ' ' && c != 127; });
}

std::string why_not(const std::string& folder, const std::string& name, std::int64_t& size) {
  struct stat status {};
  const std::string path = folder + "/" + name;
  if (lstat(path.c_str(), &status) != 0) return system_error("look at it", errno).message;
  size = status.st_size;
  if (!S_ISREG(status.st_mode)) return "not a plain file";
  if (!is_below(real_path(path), real_path(folder))) return "it lies outside the run's folder";
  if (!is_plain_text(name)) return "its name holds a blank or a control character";
  return "";
}

// The `number`th file that a pattern matches; `total`: bytes of those that are kept, and of it
// then.
KeptFile look_at(const StepSpec& step, const std::string& folder, const std::string& name,
                 std::size_t number, std::int64_t& total) {
  KeptFile file{name, 0, ""};
  file.problem = why_not(folder, name, file.size);
  if (!file.problem.empty()) return file;
  if (number > kMostKeptFiles) {
    file.problem = "more than " + std::to_string(kMostKeptFiles) + " files";
  } else if (total + file.size > step.keep_bytes) {
    file.problem = std::to_string(file.size) + " bytes would make more than the " +
                   std::to_string(step.keep_bytes) + " bytes that a run may keep";
  } else {
    total += file.size;
  }
  return file;
}

// What went wrong; "": nothing.
std::string move_to(const std::string& target, const std::string& folder, const std::string& name) {
  if (const auto made = make_parents(target, name); !made) return made.error().message;
  const bool moved = rename((folder + "/" + name).c_str(), (target + "/" + name).c_str()) == 0;
  return moved ? "" : system_error("move it", errno).message;
}

}  // namespace

bool stays_inside(std::string_view path) {
  if (path.empty() || path.find('\0') != std::string_view::npos) return false;
  const auto parts = split(path, '/');
  return !path.ends_with('/') && std::none_of(parts.begin(), parts.end(), [](auto part) {
    return part.empty() || part == "." || part == "..";
  });
}

Result<std::string> make_folder(const StepSpec& step, bool in_pod) {
  const std::string folder = step.run_dir + "/work";
  if (mkdir(folder.c_str(), 0755) != 0) return system_error("mkdir " + folder, errno);
  for (const InputSpec& input : step.inputs) TRY(put_input(input, folder));
  const std::string text = in_pod ? folder_text(step, folder) : "";
  if (text.empty()) return folder;
  TRY(write_new_file(step.run_dir + "/folder.sh", text));
  return folder;
}

std::string folder_text(const StepSpec& step, const std::string& folder) {
  const bool linked = std::any_of(step.inputs.begin(), step.inputs.end(),
                                  [](const InputSpec& input) { return !input.from.empty(); });
  if (linked) return "";
  // Several ranks of a pod do this at once: each writes under a name of its own and renames.
  std::string text = "mkdir -p " + shell_quoted(folder) + " && cd " + shell_quoted(folder);
  for (const InputSpec& input : step.inputs) {
    const std::string name = shell_quoted(input.name);
    const std::size_t slash = input.name.rfind('/');
    if (slash != std::string::npos) {
      text += " && mkdir -p " + shell_quoted(input.name.substr(0, slash));
    }
    text +=
        " && echo " + base64_encoded(input.content.value_or("")) + " | base64 -d > " + name + ".$$";
    if (input.executable) text += " && chmod 755 " + name + ".$$";
    text += " && mv -f " + name + ".$$ " + name;
  }
  return text + " || exit 127\n";
}

std::string prepare_folder_text() {
  return read_small(environment_variable(kFolderVariable), kMostFolderText);
}

void locate_program(StepSpec& step, const std::string& folder) {
  const std::string program = step.program.empty() ? step.argv[0] : step.program;
  const bool relative = program.find('/') != std::string::npos && program[0] != '/';
  if (!relative) return;
  if (access((folder + "/" + program).c_str(), F_OK) == 0) {
    step.program = folder + "/" + program;  // for its hash
    return;
  }
  const std::string here = real_path(program);
  if (here.empty()) return;
  const auto named = std::find(step.argv.begin(), step.argv.end(), program);
  if (named != step.argv.end()) *named = here;
}

std::vector<KeptFile> keep_files(const StepSpec& step, const std::string& folder) {
  std::vector<KeptFile> kept;
  std::set<std::string> seen;
  std::int64_t total = 0;
  for (const std::string& pattern : step.keep) {  // all are matched before the first is moved
    std::set<std::string> names;
    const bool inside = stays_inside(pattern);
    if (inside) match(folder, "", pattern, names);
    if (names.empty()) {
      kept.push_back({pattern, 0, inside ? "no such file" : "it would leave the run's folder"});
    }
    for (const std::string& name : names) {
      if (seen.insert(name).second) kept.push_back(look_at(step, folder, name, seen.size(), total));
    }
  }
  for (KeptFile& file : kept) {
    if (file.problem.empty()) file.problem = move_to(step.run_dir + "/kept", folder, file.name);
  }
  return kept;
}

void remove_folder(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

SessionFolder::SessionFolder(const StepSpec& step) {
  const std::string& program = step.argv[0];
  if (step.nodes > 1 || !(program.ends_with("mpirun") || program.ends_with("mpiexec"))) return;
  if (!environment_variable(kLinkVariable).empty()) return;  // its daemons are in other pods
  if (!environment_variable(kSessionVariable).empty()) return;
  for (const auto& [name, value] : step.env) {
    if (name == kSessionVariable) return;
  }
  const std::string base = environment_variable("TMPDIR");
  std::string path = (base.empty() ? "/tmp" : base) + "/kneepoint-mpi-XXXXXX";
  if (::mkdtemp(path.data()) != nullptr) path_ = path;  // else as Open MPI does it
}

SessionFolder::~SessionFolder() {
  if (!path_.empty()) remove_folder(path_);
}

void SessionFolder::tell(Environment& additions) const {
  if (!path_.empty()) additions.emplace_back(kSessionVariable, path_);
}

FileText read_inside(const std::string& folder, const std::string& name, std::size_t most) {
  FileText text;
  const std::string path = folder + "/" + name;
  if (folder.empty() || !stays_inside(name)) {
    text.problem = "'" + name + "' would leave the run's folder";
    return text;
  }
  const std::string real = real_path(path);
  if (real.empty()) {
    text.problem = "the program wrote no file '" + name + "'";
    return text;
  }
  const Fd file(open(real.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!is_below(real, real_path(folder))) {
    text.problem = "'" + name + "' is a link out of the run's folder";
  } else if (!file.is_open() || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    text.problem = "'" + name + "' is not a plain file that can be read";
  }
  if (!text.problem.empty()) return text;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size <= most) {
    text.head = read_part(file, 0, size);
  } else {
    text.head = read_part(file, 0, most / 2);
    text.tail = read_part(file, size - most / 2, most / 2);
  }
  return text;
}

}  // namespace kneepoint::agent

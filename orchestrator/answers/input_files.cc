// SPDX-License-Identifier: Apache-2.0
//
// Links are followed where the plan names them and nowhere below: a folder with a link to / would
// otherwise be staged with the whole disk.
#include "orchestrator/answers/input_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "orchestrator/base/files.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/engine/requests.h"
#include "orchestrator/model/site.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 10'000;
constexpr int kMostMiB = static_cast<int>(kMostInputBytes >> 20);

class Finder {
 public:
  Finder(const Plan& plan, const Site& site, std::vector<Problem>& problems)
      : plan_(plan), site_(site), problems_(problems) {}

  void find(WorkloadSpec& workload, const std::string& key) {
    files_.clear();
    names_.clear();
    total_ = 0;
    const fs::path base = fs::absolute(fs::path(plan_.path)).parent_path();
    for (std::size_t i = 0; i < workload.program.inputs.size(); ++i) {
      key_ = key + ".inputs[" + std::to_string(i) + "]";
      find_one(base, workload.program.inputs[i]);
    }
    std::sort(files_.begin(), files_.end(),
              [](const InputFile& a, const InputFile& b) { return a.name < b.name; });
    const bool too_many = total_ > kMostInputBytesInPods || files_.size() > kMostInputsInPods;
    if (traits_of(site_.backend).has_images && too_many) {
      key_ = key + ".inputs";
      fail("they come to " + std::to_string(total_) + " bytes, and pods get at most " +
           std::to_string(kMostInputBytesInPods) + " in " + std::to_string(kMostInputsInPods) +
           " files through their Job; put them into the image or a volume (kubernetes.volumes of "
           "the "
           "site) and name that path in the command");
    }
    workload.program.staged = files_;
  }

 private:
  void fail(const std::string& message) { problems_.push_back({plan_.path, 0, 0, key_, message}); }

  void find_one(const fs::path& base, const std::string& text) {
    const fs::path path = (base / text).lexically_normal();
    std::error_code problem;
    // "mesh/a.dat" keeps its path; what lies elsewhere has its last name only.
    fs::path name = fs::path(text).lexically_normal();
    if (!name.has_filename()) name = name.parent_path();
    const bool elsewhere =
        name.is_absolute() || name.begin() == name.end() || *name.begin() == "..";
    if (elsewhere) name = name.filename();
    const fs::file_status status = fs::status(path, problem);
    if (fs::is_regular_file(status)) return add(path, name.string());
    if (!fs::is_directory(status)) {
      return fail("'" + text + "': " +
                  (fs::exists(status) ? std::string("neither a file nor a folder")
                                      : "no such file or folder: " + path.string()));
    }
    fs::recursive_directory_iterator below(path, problem);
    for (; !problem && below != fs::recursive_directory_iterator(); below.increment(problem)) {
      if (below->is_symlink(problem) || !below->is_regular_file(problem)) continue;
      add(below->path(), (name / below->path().lexically_relative(path)).string());
      if (files_.size() > kMostFiles || total_ > kMostInputBytes) return;
    }
    if (problem) fail("'" + text + "': " + problem.message());
  }

  void add(const fs::path& path, const std::string& name) {
    if (!names_.insert(name).second) return fail("'" + name + "' comes from two of the inputs");
    std::error_code problem;
    InputFile file;
    file.name = name;
    file.size = fs::file_size(path, problem);
    total_ += problem ? 0 : file.size;
    if (files_.size() >= kMostFiles || total_ > kMostInputBytes) {
      return fail("more than " + std::to_string(kMostFiles) + " files or " +
                  std::to_string(kMostMiB) +
                  " MiB; name a folder on a shared file system in the command instead");
    }
    const auto content = read_file("input", path.string(), kMostMiB);
    if (!content) return fail(content.error().message);
    file.source = path.string();
    file.sha256 = sha256_hex(*content);
    file.executable =
        (fs::status(path, problem).permissions() & fs::perms::owner_exec) != fs::perms::none;
    if (content->size() <= kMostInputBytesInPods) {
      file.content = std::make_shared<const std::string>(*content);
    }
    files_.push_back(std::move(file));
  }

  const Plan& plan_;
  const Site& site_;
  std::vector<Problem>& problems_;
  std::string key_;
  std::vector<InputFile> files_;
  std::set<std::string> names_;
  std::uint64_t total_ = 0;
};

Result<void> stage(const InputFile& file, const std::string& target) {
  std::error_code problem;
  if (fs::exists(target, problem)) return {};
  const std::string temporary = target + ".new";
  fs::remove(temporary, problem);
  if (!fs::copy_file(file.source, temporary, problem)) {
    return system_error("copy " + file.source + " to " + temporary, problem.value());
  }
  TRY_ASSIGN(const std::string copied, read_file("input", temporary, kMostMiB));
  if (sha256_hex(copied) != file.sha256) {
    return Error{ErrorCode::conflict, file.source + " was changed meanwhile; run again"};
  }
  const auto readable = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  const auto runnable = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(temporary, file.executable ? readable | runnable : readable, problem);
  if (!problem) fs::rename(temporary, target, problem);
  if (problem) return system_error("keep " + target, problem.value());
  return {};
}

}  // namespace

std::vector<Problem> find_inputs(Plan& plan, const Site& site) {
  std::vector<Problem> problems;
  std::vector<WorkloadSpec> workloads = plan.workloads;
  Finder finder(plan, site, problems);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    finder.find(workloads[i], "workloads[" + std::to_string(i) + "]");
  }
  plan.workloads = std::move(workloads);
  return problems;
}

Result<void> stage_inputs(const Plan& plan, const std::string& directory) {
  for (const WorkloadSpec& workload : plan.workloads) {
    for (const InputFile& file : workload.program.staged) {
      const std::string target = staged_path(directory, file);
      std::error_code problem;
      fs::create_directories(fs::path(target).parent_path(), problem);
      if (problem) return system_error("make folder for " + target, problem.value());
      TRY(stage(file, target));
    }
  }
  return {};
}

}  // namespace kneepoint

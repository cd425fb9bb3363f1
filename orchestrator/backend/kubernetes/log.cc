// SPDX-License-Identifier: Apache-2.0
//
// A file is written whole or not at all, and never made shorter: a log that was rotated away or a
// controller that begins again can't undo what is known.
#include "orchestrator/backend/kubernetes/log.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

namespace kneepoint {
namespace {

// A plain name, or a path below `kept` without a step upwards.
bool may_be_stored(const std::string& name) {
  constexpr std::string_view kKept = "kept/";
  if (name.empty() || name.starts_with('.')) return false;
  if (name.find('/') == std::string::npos) return true;
  if (!name.starts_with(kKept)) return false;
  for (std::size_t at = kKept.size(); at <= name.size();) {
    const std::size_t slash = std::min(name.find('/', at), name.size());
    const std::string part = name.substr(at, slash - at);
    if (part.empty() || part == "." || part == "..") return false;
    at = slash + 1;
  }
  return true;
}

}  // namespace

KubePlace KubeLog::place(const std::string& name_space, bool follow) const {
  return {"v1", "pods/log", name_space, pod_,
          std::string("container=agent") + (follow ? "&follow=true" : "")};
}

Result<void> KubeLog::follow(KubeClient& client, const std::string& name_space) {
  if (ended_) return {};
  if (!stream_) {
    TRY_ASSIGN(stream_, client.follow(place(name_space, true)));
    reader_.restart();
  }
  std::string data;
  const auto state = stream_->poll(data);
  if (!state || (state->status != 0 && state->status != 200)) {
    stream_.reset();  // not started yet, or broken off: from the start, next time
    return {};
  }
  if (state->status == 200) reader_.take(data);
  if (state->ended) {
    stream_.reset();
    ended_ = true;
  }
  return store();
}

Result<bool> KubeLog::read_whole(KubeClient& client, const std::string& name_space,
                                 Deadline deadline) {
  const KubePlace where = place(name_space, false);
  TRY_ASSIGN(const KubeAnswer answer, client.call("GET", where, "", deadline));
  if (answer.status == 404 || answer.status == 400) return false;
  if (!answer.good()) return kube_refusal(answer, "get", where);
  reader_.restart();
  reader_.take(answer.body);
  TRY(store());
  return true;
}

Result<void> KubeLog::store() {
  std::set<std::string> changed;
  for (record::Appended& one : reader_.appended()) {
    files_[one.file] += one.bytes;
    changed.insert(one.file);
  }
  for (const std::string& file : changed) {
    const std::size_t slash = file.find('/');
    const std::string attempt = file.substr(0, slash);
    const std::string name = slash == std::string::npos ? "" : file.substr(slash + 1);
    // Only files of our own steps, and nothing that climbs out of a directory.
    if (!may_be_stored(name)) continue;
    for (const KnownStep& step : steps_) {
      if (step.attempt != attempt) continue;
      std::error_code failure;
      std::filesystem::create_directories(step.run_dir, failure);
      if (failure) return system_error("make folder '" + step.run_dir + "'", failure.value());
      const std::string path = step.run_dir + "/" + name;
      std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failure);
      if (failure) return system_error("make folder of '" + path + "'", failure.value());
      const auto size = std::filesystem::file_size(path, failure);
      if (!failure && size >= files_[file].size()) continue;
      TRY(write_whole_file(path, files_[file]));
    }
  }
  return {};
}

}  // namespace kneepoint

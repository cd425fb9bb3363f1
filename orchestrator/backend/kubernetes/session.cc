// SPDX-License-Identifier: Apache-2.0
//
// What is kept beside the controller: records out of a log, the note of an end, the folder's id. Of
// a Job that is deleted the uid is a precondition: one that somebody made under the same name since
// is left alone.
#include "orchestrator/backend/kubernetes/session.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "orchestrator/backend/allocation.h"
#include "orchestrator/backend/allocation_files.h"
#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_put.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostNote = 1 << 20;
constexpr char kIdFile[] = "kubernetes-id";
constexpr std::size_t kMostId = 64;
constexpr std::size_t kIdBytes = 8;

std::string note_path(const std::string& allocation_path) {
  return allocation_path + ".end";
}

std::optional<Observation> read_end_note(const std::string& allocation_path, const JobRef& ref) {
  const auto text = read_file_if_there(note_path(allocation_path), kMostNote);
  if (!text || !*text) return std::nullopt;
  try {
    const auto note = nlohmann::json::parse(**text);
    Observation end;
    end.job = ref;
    note.at("id").get_to(end.job.id);
    end.state = AllocationState::ended;
    end.reason = parse_reason(note.at("reason").get<std::string>()).value_or(Reason::none);
    note.at("detail").get_to(end.detail);
    note.at("preempted").get_to(end.preempted);
    note.at("nodes").get_to(end.nodes);
    note.at("submitted_ns").get_to(end.submitted_ns);
    note.at("started_ns").get_to(end.started_ns);
    note.at("ended_ns").get_to(end.ended_ns);
    end.job.submitted_ns = end.submitted_ns;
    return end;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // a power cut: the cluster is asked again
  }
}

std::string id_path(const std::string& directory) {
  return std::filesystem::path(directory).parent_path() / kIdFile;
}

// Whoever comes first draws it; a link is made or not, and never over another.
Result<void> draw_id(const std::string& directory) {
  if (!kube_folder_id(directory).empty()) return {};
  const std::string path = id_path(directory);
  const std::string id = hex_of_bytes(random_bytes(kIdBytes));
  const std::string mine = path + "." + id;
  if (auto written = write_whole_file(mine, id + "\n"); !written) {
    return trouble_here(written.error());
  }
  const int failure = ::link(mine.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(mine.c_str());
  if (failure == 0 || failure == EEXIST) return {};
  return trouble_here(system_error("make '" + path + "'", failure));
}

Result<void> write_allocation(const AllocationRequest& request) {
  AllocationFile file;  // without `push`: it is for a later controller
  file.name = request.name;
  for (const Step& step : request.steps) {
    file.steps.push_back(step_spec(step, step.command.argv));
    file.steps.back().env.clear();  // no secret is to lie here
  }
  auto written =
      write_whole_file(allocation_path(request.directory, request.name), allocation_text(file));
  if (!written) return trouble_here(written.error());
  return {};
}

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

// A file is written whole or not at all, and never made shorter: a log that was rotated away or a
// controller that begins again can't undo what is known.
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

Result<void> write_end_note(const std::string& allocation_path, const Observation& end) {
  JsonWriter w;
  w.begin_object().put("v", 1).put("id", end.job.id).put("reason", end.reason);
  w.put("detail", end.detail).put("preempted", end.preempted).put("nodes", end.nodes);
  w.put("submitted_ns", end.submitted_ns).put("started_ns", end.started_ns);
  w.put("ended_ns", end.ended_ns).end_object();
  return write_whole_file(note_path(allocation_path), w.text() + "\n");
}

std::string kube_folder_id(const std::string& directory) {
  const auto text = read_file_if_there(id_path(directory), kMostId);
  return text && *text ? (*text)->substr(0, (*text)->find('\n')) : std::string();
}

void KubeAllocation::remember(const std::vector<KubePod>& seen) {
  for (const KubePod& pod : seen) {
    pods[pod.name] = pod;
    if (pod.index == 0) started = std::max(started, pod.started);
  }
}

std::vector<KubePod> KubeAllocation::pods_ever() const {
  std::vector<KubePod> all;
  for (const auto& [name, pod] : pods) all.push_back(pod);
  return all;
}

Nanoseconds KubeAllocation::waited(bool waits, Nanoseconds now) {
  if (!waits) {
    waits_since = 0;
    return 0;
  }
  if (waits_since == 0) waits_since = now;
  return now - waits_since;
}

Result<void> KubeAllocation::begin_if_unheard() const {
  if (started == 0 || heard || steps.empty()) return {};
  std::error_code failure;
  std::filesystem::create_directories(steps.front().run_dir, failure);
  if (!failure) return {};
  return system_error("make folder '" + steps.front().run_dir + "'", failure.value());
}

double kube_cores(const std::string& quantity) {
  char* end = nullptr;
  const double value = std::strtod(quantity.c_str(), &end);
  const std::string suffix = end;
  return suffix.empty() ? value : suffix == "m" ? value / 1000 : 0;
}

const std::string& KubeSession::id_of(const std::string& directory) {
  std::string& id = ids_[directory];
  if (id.empty()) id = kube_folder_id(directory);
  return id;
}

void KubeSession::name(KubeAllocation& job) {
  const std::string& directory = job.ref.directory;
  job.job = kube_name(job.ref.name, directory, id_of(directory));
  view.add_controller(kube_controller(directory, id_of(directory)));
}

Result<KubeAllocation*> KubeSession::add(const AllocationRequest& request) {
  TRY(make_folder_for_allocations(request.directory));
  // Before the first file that makes us look for a Job: its name must not change.
  if (id_of(request.directory).empty()) TRY(draw_id(request.directory));
  TRY(write_allocation(request));
  KubeAllocation& job = allocations_.add(request);
  name(job);
  return &job;
}

Result<KubeAllocation*> KubeSession::find(const JobRef& ref) {
  return allocations_.find(ref, [&](KubeAllocation& job) {
    job.over = read_end_note(job.path, ref);
    name(job);
  });
}

std::vector<Result<void>> delete_kube_jobs(KubeSession& session,
                                           std::span<const KubeJobToDelete> jobs,
                                           Deadline deadline) {
  std::vector<KubeCall> calls;
  for (const KubeJobToDelete& job : jobs) {
    calls.push_back(
        {"DELETE", session.jobs(job.name),
         R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background",)"
         R"("preconditions":{"uid":")" +
             job.uid + "\"}}"});
  }
  std::vector<Result<void>> results;
  for (const Result<KubeAnswer>& answer : session.client->call_all(calls, deadline)) {
    if (!answer) {
      results.emplace_back(answer.error());
    } else if (answer->good() || answer->status == 404 || answer->status == 409) {
      results.emplace_back();  // gone, or another one of that name by now
    } else {
      results.emplace_back(kube_refusal(*answer, "delete", calls[results.size()].place));
    }
  }
  return results;
}

}  // namespace kneepoint

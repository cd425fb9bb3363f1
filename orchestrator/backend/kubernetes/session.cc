// SPDX-License-Identifier: Apache-2.0
//
// The uid is a precondition: a Job that somebody made under the same name since is left alone.
#include "orchestrator/backend/kubernetes/session.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "orchestrator/backend/allocation.h"
#include "orchestrator/backend/allocation_files.h"
#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_text.h"

namespace kneepoint {

namespace {

constexpr std::size_t kMostNote = 1 << 20;

std::string note_path(const std::string& allocation_path) {
  return allocation_path + ".end";
}

}  // namespace

Result<void> write_end_note(const std::string& allocation_path, const Observation& end) {
  JsonWriter w;
  w.begin_object().key("v").value(1).key("id").value(end.job.id);
  w.key("reason").value(to_string(end.reason)).key("detail").value(end.detail);
  w.key("preempted").value(end.preempted).key("nodes").value(end.nodes);
  w.key("submitted_ns").value(end.submitted_ns).key("started_ns").value(end.started_ns);
  w.key("ended_ns").value(end.ended_ns).end_object();
  return write_whole_file(note_path(allocation_path), w.text() + "\n");
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

// A file that can't be read is one that a power cut has left: the allocation is written anew.

namespace {

constexpr char kIdFile[] = "kubernetes-id";
constexpr std::size_t kMostId = 64;

std::string id_path(const std::string& directory) {
  return std::filesystem::path(directory).parent_path() / kIdFile;
}

// Whoever comes first draws it; a link is made or not, and never over another.
Result<void> draw_id(const std::string& directory) {
  if (!kube_folder_id(directory).empty()) return {};
  const std::string path = id_path(directory);
  std::uint64_t id = 0;
  if (::getrandom(&id, sizeof id, 0) != sizeof id) return system_error("draw an id", errno);
  const std::string mine = path + "." + hex64(id);
  if (auto written = write_whole_file(mine, hex64(id) + "\n"); !written) {
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

}  // namespace

std::string kube_folder_id(const std::string& directory) {
  const auto text = read_file_if_there(id_path(directory), kMostId);
  return text && *text ? (*text)->substr(0, (*text)->find('\n')) : std::string();
}

const std::string& KubeBook::id_of(const std::string& directory) {
  std::string& id = ids_[directory];
  if (id.empty()) id = kube_folder_id(directory);
  return id;
}

void KubeBook::name(KubeAllocation& job) {
  const std::string& directory = job.ref.directory;
  job.job = kube_name(job.ref.name, directory, id_of(directory));
  view_.add_controller(kube_controller(directory, id_of(directory)));
}

Result<KubeAllocation*> KubeBook::add(const AllocationRequest& request) {
  TRY(make_folder_for_allocations(request.directory));
  // Before the first file that makes us look for a Job: its name must not change.
  if (id_of(request.directory).empty()) TRY(draw_id(request.directory));
  TRY(write_allocation(request));
  const JobRef ref{request.name, request.directory, "", 0};
  KubeAllocation job;
  job.ref = ref;
  job.path = allocation_path(ref);
  job.steps = known_steps(request);
  name(job);
  return &jobs_.insert_or_assign(job.path, std::move(job)).first->second;
}

Result<KubeAllocation*> KubeBook::find(const JobRef& ref) {
  const std::string path = allocation_path(ref);
  if (const auto found = jobs_.find(path); found != jobs_.end()) {
    KubeAllocation& job = found->second;
    if (job.ref.id.empty()) job.ref.id = ref.id;
    if (job.ref.submitted_ns == 0) job.ref.submitted_ns = ref.submitted_ns;
    return &job;
  }
  TRY_ASSIGN(auto known, read_allocation(path));
  if (!known) return static_cast<KubeAllocation*>(nullptr);
  KubeAllocation job;
  job.ref = ref;
  job.path = path;
  job.steps = std::move(known->steps);
  job.over = read_end_note(path, ref);
  name(job);
  return &jobs_.emplace(path, std::move(job)).first->second;
}

void remember_pods(KubeAllocation& job, const std::vector<KubePod>& pods) {
  for (const KubePod& pod : pods) {
    job.pods[pod.name] = pod;
    if (pod.index == 0) job.started = std::max(job.started, pod.started);
  }
}

std::vector<KubePod> pods_ever(const KubeAllocation& job) {
  std::vector<KubePod> pods;
  for (const auto& [name, pod] : job.pods) pods.push_back(pod);
  return pods;
}

Nanoseconds waited(KubeAllocation& job, bool waits, Nanoseconds now) {
  if (!waits) {
    job.waits = 0;
    return 0;
  }
  if (job.waits == 0) job.waits = now;
  return now - job.waits;
}

Result<void> begin_if_unheard(const KubeAllocation& job) {
  if (job.started == 0 || job.heard || job.steps.empty()) return {};
  std::error_code failure;
  std::filesystem::create_directories(job.steps.front().run_dir, failure);
  if (!failure) return {};
  return system_error("make folder '" + job.steps.front().run_dir + "'", failure.value());
}

double kube_cores(const std::string& quantity) {
  char* end = nullptr;
  const double value = std::strtod(quantity.c_str(), &end);
  const std::string suffix = end;
  return suffix.empty() ? value : suffix == "m" ? value / 1000 : 0;
}

Result<void> delete_kube_job(KubeSession& session, KubeAllocation& job, Deadline deadline) {
  KubeAllocation* const one = &job;
  return std::move(delete_kube_jobs(session, {&one, 1}, deadline).front());
}

std::vector<Result<void>> delete_kube_jobs(KubeSession& session,
                                           std::span<KubeAllocation* const> jobs,
                                           Deadline deadline) {
  std::vector<Result<void>> results(jobs.size());
  std::vector<KubeCall> calls;
  std::vector<std::size_t> whose;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i]->ref.id.empty()) continue;
    calls.push_back(
        {"DELETE", session.jobs(jobs[i]->job),
         R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background",)"
         R"("preconditions":{"uid":")" +
             jobs[i]->ref.id + "\"}}"});
    whose.push_back(i);
  }
  const auto answers = session.client->call_all(calls, deadline);
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const Result<KubeAnswer>& answer = answers[c];
    // Gone, or another one of that name by now.
    if (answer && (answer->good() || answer->status == 404 || answer->status == 409)) {
      jobs[whose[c]]->deleted = true;
    } else {
      results[whose[c]] = answer ? kube_refusal(*answer, "delete", calls[c].place) : answer.error();
    }
  }
  return results;
}

}  // namespace kneepoint

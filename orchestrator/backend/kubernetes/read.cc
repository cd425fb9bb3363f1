// SPDX-License-Identifier: Apache-2.0
//
// The `status` of a Status object is a word, that of everything else is a map: nothing is assumed
// to have the type that it should have.
#include "orchestrator/backend/kubernetes/read.h"

#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "orchestrator/backend/kubernetes/manifest.h"

namespace kneepoint {
namespace {

using nlohmann::json;

const json& at(const json& object, const char* key) {
  static const json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}
template <typename... Keys>
const json& at(const json& object, const char* key, const char* next, Keys... rest) {
  return at(at(object, key), next, rest...);
}

json parsed_answer(std::string_view text) {
  return json::parse(text.begin(), text.end(), nullptr, false);
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}
int number_of(const json& value, int otherwise = 0) {
  return value.is_number_integer() ? value.get<int>() : otherwise;
}
bool truth_of(const json& value) {
  return value.is_boolean() && value.get<bool>();
}
Nanoseconds time_of(const json& value) {
  return parse_kube_time(text_of(value));
}

// Items of a list; none if it is absent or no list.
const json& list_of(const json& value) {
  static const json empty = json::array();
  return value.is_array() ? value : empty;
}

// Replicas of the workers, and the launcher.
int pods_of_mpi_job(const json& spec) {
  return 1 + number_of(at(spec, "mpiReplicaSpecs", "Worker", "replicas"));
}

// A Job or an MPIJob; they differ in where things stand and in the word for success.
KubeJob job_of(const json& object) {
  KubeJob job;
  const json& spec = at(object, "spec");
  const bool is_mpi_job = spec.is_object() && spec.contains("mpiReplicaSpecs");
  const json& meta = at(object, "metadata");
  job.name = text_of(at(meta, "name"));
  job.uid = text_of(at(meta, "uid"));
  job.controller = text_of(at(meta, "labels", kKubeControllerLabel));
  job.allocation = text_of(at(meta, "annotations", kKubeNameNote));
  job.directory = text_of(at(meta, "annotations", kKubeDirectoryNote));
  job.hash = text_of(at(meta, "annotations", kKubeHashNote));
  job.queue = text_of(at(meta, "labels", kKubeQueueLabel));
  job.deleting = !at(meta, "deletionTimestamp").is_null();
  job.created = time_of(at(meta, "creationTimestamp"));
  job.suspended = truth_of(is_mpi_job ? at(spec, "runPolicy", "suspend") : at(spec, "suspend"));
  job.completions = is_mpi_job ? pods_of_mpi_job(spec) : number_of(at(spec, "completions"), 1);
  const json& status = at(object, "status");
  job.started = time_of(at(status, "startTime"));
  for (const json& condition : list_of(at(status, "conditions"))) {
    if (text_of(at(condition, "status")) != "True") continue;
    const std::string type = text_of(at(condition, "type"));
    const bool is_success = type == (is_mpi_job ? "Succeeded" : "Complete");
    if (is_success) job.complete = true;
    if (type == "Failed") {
      job.failed = true;
      job.reason = text_of(at(condition, "reason"));
      job.message = text_of(at(condition, "message"));
    }
    if (is_success || type == "Failed") {
      job.finished = time_of(at(condition, "lastTransitionTime"));
    }
  }
  return job;
}

void read_conditions(const json& status, KubePod& pod) {
  for (const json& condition : list_of(at(status, "conditions"))) {
    const std::string type = text_of(at(condition, "type"));
    const bool is_so = text_of(at(condition, "status")) == "True";
    if (type == "PodScheduled") {
      if (!is_so) pod.unscheduled = text_of(at(condition, "message"));
    } else if (type == "DisruptionTarget" && is_so) {
      pod.disruption = text_of(at(condition, "reason"));
      pod.disruption_words = text_of(at(condition, "message"));
    }
  }
}

// "3": 3; -1: it is no such number.
int index_of(const std::string& text) {
  const bool is_number =
      !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::stoi(text) : -1;
}

// A launcher's pod is one of a Job of the operator's too, so this comes first. Operators count
// their workers in different ways; the name of a worker is always the same.
bool read_mpi_role(const json& meta, KubePod& pod) {
  const std::string job = text_of(at(meta, "labels", kMpiJob.pod_label));
  if (job.empty()) return false;
  pod.job = job;
  const std::string worker = job + "-worker-";
  if (pod.name.starts_with(worker)) {
    const int index = index_of(pod.name.substr(worker.size()));
    pod.index = index < 0 ? -1 : index + 1;
  } else if (text_of(at(meta, "labels", "training.kubeflow.org/job-role")) == "launcher") {
    pod.index = 0;
  }
  return true;
}

void read_place_in_job(const json& meta, KubePod& pod) {
  if (read_mpi_role(meta, pod)) return;
  pod.job = text_of(at(meta, "labels", kIndexedJob.pod_label));
  if (pod.job.empty()) pod.job = text_of(at(meta, "labels", "batch.kubernetes.io/job-name"));
  pod.index =
      index_of(text_of(at(meta, "annotations", "batch.kubernetes.io/job-completion-index")));
}

KubePod pod_of(const json& object) {
  KubePod pod;
  const json& meta = at(object, "metadata");
  pod.name = text_of(at(meta, "name"));
  read_place_in_job(meta, pod);
  pod.deleting = !at(meta, "deletionTimestamp").is_null();
  pod.node = text_of(at(object, "spec", "nodeName"));
  const json& status = at(object, "status");
  pod.reason = text_of(at(status, "reason"));
  pod.message = text_of(at(status, "message"));
  read_conditions(status, pod);
  for (const json& container : list_of(at(status, "containerStatuses"))) {
    if (text_of(at(container, "name")) != "agent") continue;
    const json& state = at(container, "state");
    pod.waiting = text_of(at(state, "waiting", "reason"));
    pod.waiting_words = text_of(at(state, "waiting", "message"));
    pod.started = time_of(at(state, "running", "startedAt"));
    const json& end = at(state, "terminated");
    if (!end.is_object()) continue;
    pod.terminated = true;
    pod.exit_code = number_of(at(end, "exitCode"));
    pod.end_reason = text_of(at(end, "reason"));
    pod.started = time_of(at(end, "startedAt"));
    pod.finished = time_of(at(end, "finishedAt"));
  }
  return pod;
}

bool is_job(const std::string& kind) {
  return kind == kIndexedJob.name || kind == kMpiJob.name;
}

Error no_json(const std::string& what) {
  return {ErrorCode::corrupt, "the API server's answer is no " + what, true};
}

template <typename Object>
Result<KubeList<Object>> read_list(std::string_view text, const std::string& kind,
                                   Object (*read)(const json&)) {
  const json object = parsed_answer(text);
  const std::string its_kind = text_of(at(object, "kind"));
  const bool is_mpi = kind == "JobList" && its_kind == "MPIJobList";
  if (its_kind != kind && !is_mpi) return no_json(kind);
  KubeList<Object> list;
  for (const json& item : list_of(at(object, "items"))) list.items.push_back(read(item));
  list.resource_version = text_of(at(object, "metadata", "resourceVersion"));
  list.next = text_of(at(object, "metadata", "continue"));
  return list;
}

// "field: what is wrong", unless the message says it already.
void add_cause(const json& cause, KubeStatus& status) {
  const std::string field = text_of(at(cause, "field"));
  const std::string words = text_of(at(cause, "message"));
  if (words.empty() || status.message.find(words) != std::string::npos) return;
  status.message += "; " + (field.empty() ? "" : field + ": ") + words;
}

}  // namespace

Result<KubeList<KubeJob>> read_kube_jobs(std::string_view text) {
  return read_list<KubeJob>(text, "JobList", job_of);
}

Result<KubeList<KubePod>> read_kube_pods(std::string_view text) {
  return read_list<KubePod>(text, "PodList", pod_of);
}

Result<KubeJob> read_kube_job(std::string_view text) {
  const json object = parsed_answer(text);
  if (!is_job(text_of(at(object, "kind")))) return no_json("Job");
  return job_of(object);
}

Result<KubeEvent> read_kube_event(std::string_view line) {
  using Kind = KubeEvent::Kind;
  static const std::map<std::string, Kind> kinds = {{"ADDED", Kind::added},
                                                    {"MODIFIED", Kind::modified},
                                                    {"DELETED", Kind::deleted},
                                                    {"BOOKMARK", Kind::bookmark},
                                                    {"ERROR", Kind::error}};
  const json event = parsed_answer(line);
  const auto type = kinds.find(text_of(at(event, "type")));
  if (type == kinds.end()) return no_json("watch event");
  const json& object = at(event, "object");
  KubeEvent read;
  read.kind = type->second;
  read.resource_version = text_of(at(object, "metadata", "resourceVersion"));
  if (read.kind == Kind::error || read.kind == Kind::bookmark) return read;
  const std::string kind = text_of(at(object, "kind"));
  if (is_job(kind)) read.job = job_of(object);
  if (kind == "Pod") read.pod = pod_of(object);
  return read;
}

KubeStatus read_kube_status(int http_status, std::string_view text) {
  KubeStatus status;
  status.code = http_status;
  const json object = parsed_answer(text);
  if (text_of(at(object, "kind")) == "Status") {
    status.reason = text_of(at(object, "reason"));
    status.message = text_of(at(object, "message"));
    if (const int code = number_of(at(object, "code")); code >= 400) status.code = code;
    for (const json& cause : list_of(at(object, "details", "causes"))) add_cause(cause, status);
  } else {
    status.message = std::string(text.substr(0, 300));
  }
  for (char& c : status.message) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  while (status.message.ends_with(' ')) status.message.pop_back();
  return status;
}

std::string read_kube_event_words(std::string_view text) {
  const json list = parsed_answer(text);
  std::string words;
  Nanoseconds newest = -1;
  for (const json& event : list_of(at(list, "items"))) {
    const Nanoseconds time =
        std::max(time_of(at(event, "lastTimestamp")), time_of(at(event, "eventTime")));
    if (time < newest) continue;
    newest = time;
    words = text_of(at(event, "message"));
  }
  return words;
}

bool read_kube_owned(std::string_view text, const std::string& owner_uid) {
  const json object = parsed_answer(text);
  for (const json& owner : list_of(at(object, "metadata", "ownerReferences"))) {
    if (text_of(at(owner, "uid")) == owner_uid) return true;
  }
  return false;
}

bool read_kube_allowed(std::string_view text) {
  const json object = parsed_answer(text);
  return truth_of(at(object, "status", "allowed"));
}

Result<KubeExecAnswer> read_kube_exec(const std::string& text) {
  const json object = parsed_answer(text);
  const json& status = at(object, "status");
  KubeExecAnswer answer{text_of(at(status, "token")), text_of(at(status, "clientCertificateData")),
                        text_of(at(status, "clientKeyData")),
                        time_of(at(status, "expirationTimestamp"))};
  if (answer.token.empty() && answer.certificate_pem.empty()) {
    return Error{ErrorCode::permission, "printed neither a token nor a certificate", false};
  }
  if (answer.certificate_pem.empty() != answer.key_pem.empty()) {
    return Error{ErrorCode::permission, "printed a certificate without its key", false};
  }
  return answer;
}

Nanoseconds parse_kube_time(std::string_view text) {
  std::tm parts{};
  const std::string whole(text.substr(0, 19));
  const char* end = ::strptime(whole.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (end == nullptr || *end != '\0') return 0;
  Nanoseconds time = static_cast<Nanoseconds>(::timegm(&parts)) * kSecond;
  text.remove_prefix(std::min<std::size_t>(19, text.size()));
  if (text.starts_with('.')) {
    Nanoseconds unit = kSecond / 10;
    for (text.remove_prefix(1); !text.empty() && text[0] >= '0' && text[0] <= '9';
         text.remove_prefix(1), unit /= 10) {
      time += (text[0] - '0') * unit;
    }
  }
  return time;
}

}  // namespace kneepoint

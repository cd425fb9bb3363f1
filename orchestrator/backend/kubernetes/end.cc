// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/backend/kubernetes/end.h"

#include <nlohmann/json.hpp>

#include "orchestrator/backend/local/files.h"
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

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// FAILED has no reason of its own: the agent's records know better, and where there are none the
// agent did not live to write them.
#include "orchestrator/backend/slurm/watch.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace kneepoint {
namespace {

struct StateRow {
  std::string_view word;
  AllocationState state;
  Reason reason;
  bool preempted;
};

constexpr auto kQueued = AllocationState::queued;
constexpr auto kRunning = AllocationState::running;
constexpr auto kEnded = AllocationState::ended;

constexpr std::array<StateRow, 31> kStates = {{
    {"PENDING", kQueued, Reason::none, false},
    {"CONFIGURING", kQueued, Reason::none, false},
    {"POWER_UP_NODE", kQueued, Reason::none, false},
    {"REQUEUED", kQueued, Reason::none, false},
    {"REQUEUE", kQueued, Reason::none, false},
    {"REQUEUE_FED", kQueued, Reason::none, false},
    {"REQUEUE_HOLD", kQueued, Reason::none, false},
    {"SPECIAL_EXIT", kQueued, Reason::none, false},
    {"RESV_DEL_HOLD", kQueued, Reason::none, false},
    {"STAGE_OUT", kRunning, Reason::none, false},
    {"RUNNING", kRunning, Reason::none, false},
    {"RESIZING", kRunning, Reason::none, false},
    {"SIGNALING", kRunning, Reason::none, false},
    {"SUSPENDED", kRunning, Reason::none, false},
    {"STOPPED", kRunning, Reason::none, false},
    {"COMPLETING", kRunning, Reason::none, false},
    {"UPDATE_DB", kRunning, Reason::none, false},
    {"EXPEDITING", kRunning, Reason::none, false},
    {"COMPLETED", kEnded, Reason::none, false},
    {"FAILED", kEnded, Reason::none, false},
    {"CANCELLED", kEnded, Reason::user_cancelled, false},
    {"TIMEOUT", kEnded, Reason::time_limit, false},
    {"OUT_OF_MEMORY", kEnded, Reason::oom, false},
    {"NODE_FAIL", kEnded, Reason::node_failed, false},
    {"BOOT_FAIL", kEnded, Reason::node_failed, false},
    {"LAUNCH_FAILED", kEnded, Reason::node_failed, false},
    {"RECONFIG_FAIL", kEnded, Reason::node_failed, false},
    {"PREEMPTED", kEnded, Reason::none, true},
    {"DEADLINE", kEnded, Reason::time_limit, false},
    {"REVOKED", kEnded, Reason::unknown_to_backend, false},
    {"FAIL", kEnded, Reason::none, false},
}};

// The day too, unless it comes within half a day.
std::string clock_text(Nanoseconds then, Nanoseconds wall) {
  const std::time_t seconds = then / kSecond;
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[32];
  std::strftime(text, sizeof text, then - wall < 12 * kHour ? "%H:%M" : "%b %d %H:%M", &local);
  return text;
}

std::string waiting_text(const SlurmJob& job, Nanoseconds wall) {
  std::string text = job.state == "PENDING" ? "" : job.state;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (!job.reason.empty()) add(job.reason);
  if (job.started > wall) add("est. start " + clock_text(job.started, wall));
  return text.empty() ? "to be scheduled" : text;
}

std::string end_text(const SlurmJob& job) {
  std::string text = "Slurm ended job " + job.id + " as " + job.state;
  if (!job.ended_by.empty()) text += " by user " + job.ended_by;
  if (!job.reason.empty() && job.reason != job.state) text += " (" + job.reason + ")";
  if (job.exit_code != 0) text += ", exit code " + std::to_string(job.exit_code);
  if (job.signal != 0) text += ", signal " + std::to_string(job.signal);
  if (!job.failed_node.empty()) {
    text += ", failed node " + job.failed_node;
  } else if (!job.nodes.empty()) {
    text += " on " + job.nodes;
  }
  return text;
}

}  // namespace

SlurmMeaning meaning_of(const SlurmJob& job, Nanoseconds wall) {
  SlurmMeaning meaning;
  meaning.state = AllocationState::running;
  for (const StateRow& row : kStates) {
    if (row.word != job.state) continue;
    meaning.state = row.state;
    meaning.reason = row.reason;
    meaning.preempted = row.preempted;
  }
  switch (meaning.state) {
    case AllocationState::queued:
      meaning.detail = waiting_text(job, wall);
      break;
    case AllocationState::running:
      if (job.state != "RUNNING") meaning.detail = job.state + " on " + job.nodes;
      break;
    case AllocationState::ended:
      if (job.state == "DEADLINE" && (job.started == 0 || job.nodes.empty())) {
        meaning.reason = Reason::pending_too_long;
      }
      if (job.state != "COMPLETED") meaning.detail = end_text(job);
      break;
    case AllocationState::unknown:
      break;
  }
  return meaning;
}

Nanoseconds look_interval(Nanoseconds since_last_change, bool any_running) {
  return std::clamp<Nanoseconds>(since_last_change / 10, kSecond,
                                 any_running ? 15 * kSecond : kMinute);
}

}  // namespace kneepoint

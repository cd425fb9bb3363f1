// SPDX-License-Identifier: Apache-2.0
//
// What the API server tells, as plain values: Jobs, pods, watch events and its own refusals. Pure.
// Unknown fields are left alone; missing ones have a value that means so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

struct KubeJob {
  std::string name, uid;
  std::string controller;             // our label; "": not ours
  std::string allocation, directory;  // our annotations
  std::string hash;
  std::string queue;  // Kueue's label; "": none
  bool suspended = false;
  bool deleting = false;
  bool complete = false;  // condition Complete, not one of the earlier signs
  bool failed = false;
  std::string reason, message;  // of the failure
  int completions = 0;
  Nanoseconds created = 0, started = 0, finished = 0;  // wall; 0: not yet
};

struct KubePod {
  std::string name, job;
  int index = -1;               // in its job; -1: unknown
  std::string reason, message;  // of the pod's status: "Evicted"
  std::string node;
  bool deleting = false;
  std::string unscheduled;  // why it is not, in the scheduler's words
  std::string disruption;   // reason of the condition DisruptionTarget; "": none
  std::string disruption_words;
  std::string waiting, waiting_words;  // of its container: "ImagePullBackOff"
  bool terminated = false;
  int exit_code = 0;
  std::string end_reason;                 // "OOMKilled", "Error", "Completed"
  Nanoseconds started = 0, finished = 0;  // of its container
};

template <typename Object>
struct KubeList {
  std::vector<Object> items;
  std::string resource_version;
  std::string next;  // token of the next page; "": this was the last
};
Result<KubeList<KubeJob>> read_kube_jobs(std::string_view text);
Result<KubeList<KubePod>> read_kube_pods(std::string_view text);
Result<KubeJob> read_kube_job(std::string_view text);

// One line of a watch.
struct KubeEvent {
  enum class Kind { added, modified, deleted, bookmark, error };  // error: list again
  Kind kind = Kind::added;
  std::string resource_version;  // of the object or bookmark
  std::optional<KubeJob> job;
  std::optional<KubePod> pod;
};
Result<KubeEvent> read_kube_event(std::string_view line);

// A Status object; plain text is its own message.
struct KubeStatus {
  int code = 0;
  std::string reason;   // "AlreadyExists"
  std::string message;  // one line, causes included
};
KubeStatus read_kube_status(int http_status, std::string_view text);

// The message of the newest event of an EventList; "": none.
std::string read_kube_event_words(std::string_view text);

// Does this object go with the one of that uid?
bool read_kube_owned(std::string_view text, const std::string& owner_uid);

// status.allowed of a SelfSubjectAccessReview.
bool read_kube_allowed(std::string_view text);

// What a credential plug-in printed. The error never quotes it.
struct KubeExecAnswer {
  std::string token, certificate_pem, key_pem;
  Nanoseconds expires = 0;  // wall; 0: not said
};
Result<KubeExecAnswer> read_kube_exec(const std::string& text);

// "2026-01-02T03:04:05Z", with or without a fraction; 0 when it is none.
Nanoseconds parse_kube_time(std::string_view text);

// What a Job and its pods mean for an allocation. Pure. Only the conditions Complete and Failed end
// it: earlier signs come while pods still run.
struct KubeMeaning {
  AllocationState state = AllocationState::queued;
  Reason reason = Reason::none;
  bool preempted = false;
  std::string detail;       // why it waits, or why it ended: pod and node named
  Nanoseconds started = 0;  // of pod 0's agent
  Nanoseconds ended = 0;
  Reason if_given_up = Reason::pending_too_long;  // of a queued one: why it never started
  std::string nodes;  // of its pods, in the order of their index, each once
};
// `pods` are those of this Job.
KubeMeaning meaning_of(const KubeJob& job, const std::vector<KubePod>& pods);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// When a Job fails, several pods have ended, most of them because of the first: the pod that tells
// the most is named.
#include "orchestrator/backend/kubernetes/read.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kneepoint {
namespace {

const KubePod* leader_of(const std::vector<KubePod>& pods) {
  const KubePod* leader = nullptr;
  for (const KubePod& pod : pods) {
    if (pod.index == 0 && (leader == nullptr || leader->deleting)) leader = &pod;
  }
  return leader;
}

std::string place_of(const KubePod& pod) {
  return "pod " + pod.name + (pod.node.empty() ? "" : " on node " + pod.node);
}

std::string nodes_of(std::vector<KubePod> pods) {
  std::sort(pods.begin(), pods.end(),
            [](const KubePod& a, const KubePod& b) { return a.index < b.index; });
  std::vector<std::string> seen;
  std::string text;
  for (const KubePod& pod : pods) {
    if (pod.node.empty() || std::find(seen.begin(), seen.end(), pod.node) != seen.end()) continue;
    seen.push_back(pod.node);
    text += (text.empty() ? "" : ",") + pod.node;
  }
  return text;
}

// What the cluster's words for a pod's trouble mean, wherever they stand.
enum class Trouble { none, starting, image, oom, evicted, node_lost, deadline };

Trouble trouble_of(std::string_view word) {
  constexpr std::pair<std::string_view, Trouble> kWords[] = {
      {"ContainerCreating", Trouble::starting},
      {"PodInitializing", Trouble::starting},
      {"ErrImagePull", Trouble::image},
      {"ImagePullBackOff", Trouble::image},
      {"InvalidImageName", Trouble::image},
      {"ErrImageNeverPull", Trouble::image},
      {"ImageInspectError", Trouble::image},
      {"OOMKilled", Trouble::oom},
      {"Evicted", Trouble::evicted},
      {"NodeLost", Trouble::node_lost},
      {"DeletionByTaintManager", Trouble::node_lost},
      {"DeletionByPodGC", Trouble::node_lost},
      {"DeadlineExceeded", Trouble::deadline},
  };
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const auto& row) { return row.first == word; });
  return found == std::end(kWords) ? Trouble::none : found->second;
}

// Why it waits, in the cluster's words; the most telling pod first.
std::string waiting_words(const KubeJob& job, const std::vector<KubePod>& pods) {
  if (job.suspended) {
    return job.queue.empty() ? "suspended: waiting for somebody to resume it"
                             : "waiting in queue " + job.queue;
  }
  for (const KubePod& pod : pods) {
    if (!pod.waiting.empty() && trouble_of(pod.waiting) != Trouble::starting) {
      return place_of(pod) + ": " + pod.waiting +
             (pod.waiting_words.empty() ? "" : ": " + pod.waiting_words);
    }
  }
  for (const KubePod& pod : pods) {
    if (!pod.unscheduled.empty()) return place_of(pod) + ": not scheduled: " + pod.unscheduled;
  }
  if (pods.empty()) return "waiting: no pod has been made yet";
  const auto ready =
      std::count_if(pods.begin(), pods.end(), [](const KubePod& pod) { return pod.started > 0; });
  return "waiting: " + std::to_string(ready) + " of " + std::to_string(job.completions) +
         " pods have started";
}

struct Cause {
  int rank = 0;  // the larger, the more it tells
  Reason reason = Reason::none;
  bool preempted = false;
  std::string detail;
};

Cause disruption_of(const KubePod& pod) {
  Cause cause{90, Reason::none, true, ""};
  if (trouble_of(pod.disruption) == Trouble::node_lost) {
    cause = {95, Reason::node_failed, false, ""};
  }
  cause.detail = place_of(pod) + ": " + pod.disruption +
                 (pod.disruption_words.empty() ? "" : ": " + pod.disruption_words);
  return cause;
}

Cause cause_of(const KubePod& pod) {
  if (!pod.disruption.empty()) return disruption_of(pod);
  if (trouble_of(pod.end_reason) == Trouble::oom) {
    return {100, Reason::oom, false, place_of(pod) + ": OOMKilled: more memory than its limit"};
  }
  if (trouble_of(pod.reason) == Trouble::evicted) {
    return {80, Reason::none, true, place_of(pod) + ": Evicted: " + pod.message};
  }
  if (trouble_of(pod.reason) == Trouble::node_lost) {
    return {80, Reason::node_failed, false, place_of(pod) + ": " + pod.message};
  }
  if (trouble_of(pod.waiting) == Trouble::image) {
    return {70, Reason::image_missing, false,
            place_of(pod) + ": " + pod.waiting + ": " + pod.waiting_words};
  }
  // The Job controller deletes pods too, but only after one has failed that nobody deleted.
  if (pod.deleting && pod.terminated && pod.exit_code != 0) {
    return {5, Reason::user_cancelled, false, place_of(pod) + " was deleted by someone else"};
  }
  if (pod.terminated && pod.exit_code != 0) {
    // 143 and 137 are how the others are ended when one has failed.
    const bool ended_by_others = pod.exit_code == 143 || pod.exit_code == 137;
    return {ended_by_others ? 10 : 50, Reason::none, false,
            place_of(pod) + ": the agent ended with status " + std::to_string(pod.exit_code)};
  }
  return {};
}

}  // namespace

KubeMeaning meaning_of(const KubeJob& job, const std::vector<KubePod>& pods) {
  KubeMeaning meaning;
  meaning.nodes = nodes_of(pods);
  if (const KubePod* leader = leader_of(pods)) meaning.started = leader->started;
  if (!job.complete && !job.failed) {
    const bool runs = meaning.started > 0;
    meaning.state = runs ? AllocationState::running : AllocationState::queued;
    if (runs) return meaning;
    meaning.detail = waiting_words(job, pods);
    if (std::any_of(pods.begin(), pods.end(),
                    [](const KubePod& pod) { return trouble_of(pod.waiting) == Trouble::image; })) {
      meaning.if_given_up = Reason::image_missing;
    }
    return meaning;
  }
  meaning.state = AllocationState::ended;
  meaning.ended = std::max(job.finished, meaning.started);
  if (job.complete) return meaning;
  Cause cause;
  for (const KubePod& pod : pods) {
    Cause one = cause_of(pod);
    if (one.rank > cause.rank) cause = std::move(one);
  }
  if (trouble_of(job.reason) == Trouble::deadline && cause.rank < 60) {
    const bool began = meaning.started > 0;
    cause = {60, began ? Reason::time_limit : Reason::pending_too_long, false,
             began ? "" : waiting_words(job, pods)};
  }
  meaning.reason = cause.reason;
  meaning.preempted = cause.preempted;
  meaning.detail = "Job " + job.name + " failed (" + job.reason + ")" +
                   (cause.detail.empty() ? (job.message.empty() ? "" : ": " + job.message)
                                         : ": " + cause.detail);
  return meaning;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// A watch may end at any time, deliver an ERROR under status 200, or start too late (410): none of
// that loses anything, since the next list tells everything.
#include "orchestrator/backend/kubernetes/session.h"

#include <algorithm>

#include "orchestrator/io/http_client.h"

namespace kneepoint {
namespace {

constexpr int kPage = 500;
constexpr int kWatchSeconds = 300;
constexpr Nanoseconds kLongestSilence = 30 * kSecond;  // before a watch answers at all
constexpr Nanoseconds kLongestWatch = (kWatchSeconds + 60) * kSecond;  // it should have ended
constexpr Nanoseconds kLongestWatchPause = 30 * kSecond;
constexpr Nanoseconds kSettling = 2 * kSecond;  // for a watch to begin, before we look away
constexpr std::size_t kMostWatchLine = 32 << 20;

}  // namespace

void KubeView::add_controller(const std::string& controller) {
  if (std::find(controllers_.begin(), controllers_.end(), controller) != controllers_.end()) return;
  controllers_.push_back(controller);
  for (Kind* kind : {&jobs_kind_, &pods_kind_}) {
    kind->version.clear();
    kind->stream.reset();
  }
}

KubePlace KubeView::place(const Kind& kind) const {
  std::string values;
  for (const std::string& controller : controllers_) {
    values += (values.empty() ? "" : ",") + controller;
  }
  return {
      kind.group_version, kind.resource, name_space_, "",
      "labelSelector=" + url_escaped(std::string(kKubeControllerLabel) + " in (" + values + ")")};
}

template <typename Object>
Result<void> KubeView::list(Kind& kind, std::map<std::string, Object>& objects,
                            Result<KubeList<Object>> (*read)(std::string_view), Deadline deadline) {
  ++lists_;
  std::map<std::string, Object> found;
  std::string next, version;
  for (bool more = true; more;) {
    KubePlace where = place(kind);
    where.query += "&limit=" + std::to_string(kPage);
    if (!next.empty()) where.query += "&continue=" + url_escaped(next);
    TRY_ASSIGN(const KubeAnswer answer, client_.call("GET", where, "", deadline));
    if (answer.status == 410 && !next.empty()) {  // the list took too long: from the start
      next.clear();
      found.clear();
      continue;
    }
    if (!answer.good()) return kube_refusal(answer, "list", where);
    TRY_ASSIGN(KubeList<Object> page, read(answer.body));
    for (Object& object : page.items) found[object.name] = std::move(object);
    next = page.next;
    version = page.resource_version;
    more = !next.empty();
  }
  objects = std::move(found);
  kind.version = version;
  return {};
}

Result<void> KubeView::look(Deadline deadline) {
  if (controllers_.empty()) return {};
  for (Kind* kind : {&jobs_kind_, &pods_kind_}) {
    const bool current = !kind->version.empty() && kind->stream && read_stream(*kind);
    if (current) continue;
    // Without a stream everything is asked for anew: what happened meanwhile may be lost to us.
    kind->stream.reset();
    TRY(kind == &jobs_kind_ ? list(*kind, jobs_, read_kube_jobs, deadline)
                            : list(*kind, pods_, read_kube_pods, deadline));
    if (clock_.steady() >= kind->not_before) open(*kind);
  }
  return {};
}

Result<void> KubeView::list_pods(Deadline deadline) {
  pods_kind_.stream.reset();  // what it has yet to tell is older than the list
  TRY(list(pods_kind_, pods_, read_kube_pods, deadline));
  if (clock_.steady() >= pods_kind_.not_before) open(pods_kind_);
  return {};
}

void KubeView::open(Kind& kind) {
  KubePlace where = place(kind);
  where.query +=
      "&watch=1&allowWatchBookmarks=true&timeoutSeconds=" + std::to_string(kWatchSeconds) +
      "&resourceVersion=" + url_escaped(kind.version);
  auto stream = client_.follow(where);
  if (!stream) {
    fail(kind);
    return;
  }
  kind.stream = std::move(*stream);
  kind.stream->settle(kSettling);
  kind.opened = clock_.steady();
  kind.rest.clear();
}

void KubeView::fail(Kind& kind) {
  kind.stream.reset();
  kind.failures = std::min(kind.failures + 1, 16);
  const Nanoseconds pause = std::min(kLongestWatchPause, kSecond << std::min(kind.failures, 6));
  kind.not_before = clock_.steady() + pause;
}

bool KubeView::read_stream(Kind& kind) {
  std::string data;
  const auto state = kind.stream->poll(data);
  const Nanoseconds age = clock_.steady() - kind.opened;
  const bool hangs = state && age > (state->status == 0 ? kLongestSilence : kLongestWatch);
  if (!state || hangs || (state->status != 0 && state->status != 200)) {
    fail(kind);
    return false;
  }
  kind.rest += data;
  std::size_t begin = 0;
  for (std::size_t end = kind.rest.find('\n'); end != std::string::npos;
       end = kind.rest.find('\n', begin)) {
    if (!take_event(kind, kind.rest.substr(begin, end - begin))) {
      fail(kind);
      return false;
    }
    kind.failures = 0;
    begin = end + 1;
  }
  kind.rest.erase(0, begin);
  if (kind.rest.size() > kMostWatchLine) {
    fail(kind);
    return false;
  }
  if (!state->ended) return true;
  // It ends after its time: from where we are, without a list.
  kind.stream.reset();
  open(kind);
  return kind.stream != nullptr;
}

bool KubeView::take_event(Kind& kind, const std::string& line) {
  if (line.empty()) return true;
  const auto event = read_kube_event(line);
  if (!event || event->kind == KubeEvent::Kind::error) return false;
  if (!event->resource_version.empty()) kind.version = event->resource_version;
  const bool gone = event->kind == KubeEvent::Kind::deleted;
  if (event->job && gone) jobs_.erase(event->job->name);
  if (event->job && !gone) jobs_[event->job->name] = *event->job;
  if (event->pod && gone) {
    pods_.erase(event->pod->name);
    if (jobs_.count(event->pod->job) > 0) gone_.push_back(*event->pod);
  }
  if (event->pod && !gone) pods_[event->pod->name] = *event->pod;
  return true;
}

std::vector<KubePod> KubeView::take_gone(const std::string& job_name) {
  const auto theirs = std::stable_partition(
      gone_.begin(), gone_.end(), [&](const KubePod& pod) { return pod.job != job_name; });
  std::vector<KubePod> pods(theirs, gone_.end());
  gone_.erase(theirs, gone_.end());
  return pods;
}

void KubeView::note(const KubeJob& job) {
  jobs_.try_emplace(job.name, job);
}

void KubeView::forget(const std::string& job_name) {
  jobs_.erase(job_name);
}

const KubeJob* KubeView::job(const std::string& name) const {
  const auto found = jobs_.find(name);
  return found == jobs_.end() ? nullptr : &found->second;
}

std::vector<KubePod> KubeView::pods_of(const std::string& job_name) const {
  std::vector<KubePod> pods;
  // A Job's pods are called after it.
  for (auto pod = pods_.lower_bound(job_name); pod != pods_.end(); ++pod) {
    if (!pod->first.starts_with(job_name)) break;
    if (pod->second.job == job_name) pods.push_back(pod->second);
  }
  return pods;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// First in, first out: the head of the queue waits for its nodes and nobody passes it. At one
// instant ends come before starts, so that nodes are free as soon as they can be.
#include "orchestrator/backend/simulated/cluster.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/base/ensure.h"
#include "orchestrator/base/random.h"

namespace kneepoint::simulated {
namespace {

constexpr double kNodeLossShare = 0.3;                 // of the failures; the rest exit with 1
constexpr Nanoseconds kLongestStep = 30 * 24 * kHour;  // keeps the virtual clock in range
constexpr Nanoseconds kLongestWait = 30 * 24 * kHour;

Nanoseconds clamped(double seconds, Nanoseconds most) {
  if (!(seconds * 1e9 < static_cast<double>(most))) return most;
  return std::max<Nanoseconds>(1, from_seconds(seconds));
}

}  // namespace

const char* to_string(Fate fate) {
  switch (fate) {
    case Fate::succeeds:
      return "ok";
    case Fate::exits:
      return "exit";
    case Fate::loses_node:
      return "node";
    case Fate::runs_out_of_time:
      return "limit";
  }
  return "?";
}

SimulatedStep draw_step(const SimulatedSite& site, const Step& step) {
  SimulatedStep drawn;
  drawn.attempt = step.attempt;
  drawn.nodes = step.shape.nodes;
  drawn.ranks = step.shape.ranks;
  drawn.ranks_per_node = std::max(1, step.shape.ranks_per_node);
  drawn.threads_per_rank = step.shape.threads_per_rank;
  drawn.seconds = step.modelled_seconds > 0 ? step.modelled_seconds : site.default_seconds;
  if (site.noise > 0) {
    drawn.seconds *= std::exp(site.noise * Random(site.seed, "noise " + step.identity).normal());
  }
  drawn.lasts = clamped(drawn.seconds, kLongestStep);
  if (site.failure_rate > 0) {
    Random chance(site.seed, "failure " + step.identity + " " + step.attempt);
    const bool fails = chance.uniform() < site.failure_rate;
    const bool loses_node = chance.uniform() < kNodeLossShare;
    const double part = chance.uniform();
    if (fails) {
      drawn.fate = loses_node ? Fate::loses_node : Fate::exits;
      drawn.lasts = clamped(drawn.seconds * part, kLongestStep);
    }
  }
  if (step.limit > 0 && drawn.lasts > step.limit) {
    drawn.fate = Fate::runs_out_of_time;
    drawn.lasts = step.limit;
  }
  return drawn;
}

Nanoseconds draw_wait(const SimulatedSite& site, const std::string& allocation) {
  if (site.queue_wait_seconds <= 0) return 0;
  const double u = Random(site.seed, "queue " + allocation).uniform();
  return clamped(-site.queue_wait_seconds * std::log1p(-u), kLongestWait);
}

const SimulatedJob* Cluster::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &jobs_[found->second];
}

void Cluster::submit(SimulatedJob job) {
  ENSURE(by_name_.count(job.name) == 0, "submitted to the simulated cluster twice");
  ENSURE(job.nodes <= nodes_ && !job.steps.empty(), "a job that the simulated cluster can't run");
  job.state = AllocationState::queued;
  job.submitted = now_;
  const std::size_t index = jobs_.size();
  by_name_.emplace(job.name, index);
  waiting_.emplace(now_ + job.wait, index);
  jobs_.push_back(std::move(job));
}

bool Cluster::cancel(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return false;
  SimulatedJob& job = jobs_[found->second];
  if (job.state == AllocationState::ended) return false;
  if (job.state == AllocationState::running) {
    running_.erase({job.step_ends, found->second});
    free_ += job.nodes;
  } else {
    waiting_.erase({job.submitted + job.wait, found->second});
  }
  job.state = AllocationState::ended;
  job.ended = now_;
  job.reason = Reason::user_cancelled;
  return true;
}

void Cluster::start(std::size_t index) {
  SimulatedJob& job = jobs_[index];
  free_ -= job.nodes;
  job.state = AllocationState::running;
  job.started = now_;
  Nanoseconds lasts = 0;
  for (const SimulatedStep& step : job.steps) {
    lasts += step.lasts;
    if (step.fate != Fate::loses_node) continue;
    job.reason = Reason::node_failed;
    break;
  }
  if (job.limit > 0 && lasts > job.limit) {
    lasts = job.limit;
    job.reason = Reason::time_limit;
  }
  job.ended = now_ + lasts;
  job.step_ends = std::min(job.ended, now_ + job.steps[0].lasts);
  running_.emplace(job.step_ends, index);
}

bool Cluster::settle() {
  bool changed = false;
  while (!running_.empty() && running_.begin()->first <= now_) {
    const std::size_t index = running_.begin()->second;
    SimulatedJob& job = jobs_[index];
    running_.erase(running_.begin());
    ++steps_ended_;
    changed = true;
    if (job.step_ends < job.ended) {
      ++job.step;
      job.step_ends = std::min(job.ended, job.step_ends + job.steps[job.step].lasts);
      running_.emplace(job.step_ends, index);
    } else {
      job.state = AllocationState::ended;
      free_ += job.nodes;
    }
  }
  while (!waiting_.empty() && waiting_.begin()->first <= now_) {
    const std::size_t index = waiting_.begin()->second;
    if (jobs_[index].nodes > free_) break;
    waiting_.erase(waiting_.begin());
    start(index);
    changed = true;
  }
  return changed;
}

bool Cluster::next_event(Nanoseconds& time) const {
  const bool ends = !running_.empty();
  const bool starts = !waiting_.empty() && waiting_.begin()->first > now_;
  if (!ends && !starts) return false;
  if (ends) time = running_.begin()->first;
  if (starts && (!ends || waiting_.begin()->first < time)) time = waiting_.begin()->first;
  return true;
}

void Cluster::advance_to(Nanoseconds time) {
  settle();
  for (Nanoseconds next = 0; next_event(next) && next <= time;) {
    now_ = next;
    settle();
  }
  now_ = std::max(now_, time);
}

bool Cluster::advance() {
  const std::size_t running = running_.size();
  const std::size_t wanted = steps_ended_ + (running + waiting_.size() + 7) / 8;
  bool changed = settle();
  if (running == 0 && !running_.empty()) return changed;
  for (Nanoseconds next = 0; next_event(next);) {
    now_ = next;
    settle();
    changed = true;
    if (running == 0 || steps_ended_ >= wanted) break;
  }
  return changed;
}

}  // namespace kneepoint::simulated

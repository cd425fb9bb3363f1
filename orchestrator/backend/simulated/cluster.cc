// SPDX-License-Identifier: Apache-2.0
//
// First in, first out: the head of the queue waits for its nodes and nobody passes it. At one
// instant ends come before starts, so that nodes are free as soon as they can be.
#include "orchestrator/backend/simulated/cluster.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "agents/wire/record.h"
#include "orchestrator/base/ensure.h"
#include "orchestrator/base/hash.h"
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
  constexpr const char* kWords[] = {"ok", "exit", "node", "limit"};
  return kWords[static_cast<int>(fate)];
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

// The agents' own record format (decision 0005), so that ingest has one way in. The model says how
// long a step takes, not how that time is split: it is all `other`.

namespace {

std::string host_name(int node) {
  char text[32];
  std::snprintf(text, sizeof text, "sim-%04d", node + 1);
  return text;
}

class RecordText {
 public:
  template <typename Record>
  void add(const Record& record) {
    text_ += record::to_line(count_++, record);
  }
  void add_end(record::End end) {
    end.count = count_;
    end.checksum = hex64(fnv1a64(text_));
    text_ += record::to_line(count_, end);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  int count_ = 0;
};

void add_beginning(RecordText& text, const SimulatedStep& step, Nanoseconds began) {
  text.add(record::Begin{step.attempt, began});
  const int named = std::min(step.nodes, kMostRankTotals);
  std::string hosts;
  for (int node = 0; node < named; ++node) hosts += (node > 0 ? "," : "") + host_name(node);
  if (named < step.nodes) hosts += ",...";
  text.add(record::Provenance{"simulated",
                              {{"hosts", hosts},
                               {"nodes", std::to_string(step.nodes)},
                               {"ranks", std::to_string(step.ranks)},
                               {"time.source", "the workload's model"}}});
}

void add_measurements(RecordText& text, const SimulatedStep& step) {
  const Nanoseconds time = from_seconds(step.seconds);
  record::Sample sample;
  sample.max_ns = sample.mean_ns = sample.min_ns = sample.other_ns = time;
  text.add(sample);
  text.add(record::Metric{"time", step.seconds, "s"});
  for (int rank = 0; rank < std::min(step.ranks, kMostRankTotals); ++rank) {
    const int first = rank % step.ranks_per_node * step.threads_per_rank;
    const int last = first + step.threads_per_rank - 1;
    record::RankTotal total;
    total.rank = rank;
    total.host = host_name(rank / step.ranks_per_node);
    total.cpus = std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
    text.add(total);
  }
  text.add(record::Check{true, "simulated"});
  text.add(record::Done{1});
}

record::End end_of(AttemptState outcome, Reason reason, Nanoseconds began, Nanoseconds lasted) {
  record::End end;
  end.outcome = to_string(outcome);
  end.reason = to_string(reason);
  end.wall_ns = began + lasted;
  end.elapsed_ns = lasted;
  return end;
}

record::End end_of(const SimulatedStep& step, Nanoseconds began) {
  if (step.fate == Fate::exits) {
    record::End end = end_of(AttemptState::failed, Reason::exit_code, began, step.lasts);
    end.exit_code = 1;
    end.detail = "the simulated program exited with status 1";
    return end;
  }
  if (step.fate == Fate::runs_out_of_time) {
    record::End end = end_of(AttemptState::timed_out, Reason::time_limit, began, step.lasts);
    end.detail =
        "the simulated program was still running at its limit of " + to_duration_text(step.lasts);
    return end;
  }
  return end_of(AttemptState::succeeded, Reason::none, began, step.lasts);
}

}  // namespace

Artifacts artifacts_of(const SimulatedJob& job, Nanoseconds now) {
  Artifacts artifacts;
  const bool ended = job.state == AllocationState::ended;
  const bool cancelled = ended && job.reason == Reason::user_cancelled;
  const bool cut = ended && job.reason == Reason::time_limit;
  const Nanoseconds horizon = ended ? job.ended : now;
  Nanoseconds began = job.started;
  bool goes_on = job.started > 0;
  for (const SimulatedStep& step : job.steps) {
    StepArtifacts& artifact = artifacts.steps.emplace_back();
    artifact.attempt = step.attempt;
    goes_on = goes_on && (cut ? began < horizon : began <= horizon);
    if (!goes_on) continue;
    artifact.begun = true;
    RecordText text;
    add_beginning(text, step, began);
    if (began + step.lasts <= horizon) {
      if (step.fate == Fate::succeeds) add_measurements(text, step);
      if (step.fate != Fate::loses_node) text.add_end(end_of(step, began));
    } else if (cancelled) {
      record::End end =
          end_of(AttemptState::cancelled, Reason::user_cancelled, began, horizon - began);
      end.detail = "cancelled on the simulated cluster";
      text.add_end(end);
    }
    artifact.records = text.take();
    goes_on = step.fate != Fate::loses_node;
    began += step.lasts;
  }
  return artifacts;
}

}  // namespace kneepoint::simulated

// SPDX-License-Identifier: Apache-2.0
//
// The order of the checks is the order of trust: are the bytes whole, did the workload end well, is
// its answer right, did all ranks take part, is there a time.
#include "orchestrator/engine/ingest.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>

#include "agents/wire/record.h"
#include "orchestrator/base/node_list.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostRanksListed = 16;  // the simulated backend lists no more

// So many cores' worth of other programs during a run is no longer background.
constexpr double kBusyCores = 0.25;

constexpr std::pair<std::string_view, double> kTimeUnits[] = {
    {"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60.0}, {"h", 3600.0}};

// T of the run, or nothing when no time was reported.
std::optional<double> time_of_run(const Point& point, const record::Records& records) {
  for (const Metric& metric : records.metrics) {
    if (metric.name != "time") continue;
    for (const auto& [unit, seconds] : kTimeUnits) {
      if (metric.unit == unit) return metric.value * seconds;
    }
    return std::nullopt;
  }
  double sum = 0;
  int count = 0;
  for (const Sample& sample : records.samples) {
    if (sample.warmup) continue;
    sum += static_cast<double>(sample.max_ns);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count * 1e-9 * std::max(1, point.iterations);
}

// The nodes of the step, as its agent tells; "": it doesn't.
std::string nodes_told(const record::Records& records) {
  for (const record::Provenance& p : records.provenance) {
    for (const auto& [name, value] : p.facts) {
      if (p.scope == "run" && name == "nodes") return value;
    }
  }
  return "";
}

// A program without samples of its own is split as its profile says: the shares of the time from
// MPI_Init to MPI_Finalize, brought to T.
void keep_profile(const Point& point, const record::Records& records, bool has_samples,
                  AttemptResult& out) {
  out.profile = records.profile;
  out.operations = records.operations;
  const auto seconds = time_of_run(point, records);
  if (has_samples || records.profile.empty() || !seconds) return;
  double window = 0, useful = 0, communication = 0;
  for (const RankProfile& p : records.profile) {
    const auto inside = static_cast<double>(p.communication_ns() + p.other_ns);
    window = std::max(window, static_cast<double>(p.window_ns));
    useful += std::max(0.0, static_cast<double>(p.window_ns) - inside);
    communication += static_cast<double>(p.communication_ns());
  }
  if (!(window > 0)) return;
  const double scale = *seconds / window / static_cast<double>(records.profile.size());
  out.compute_seconds = useful * scale;
  out.communication_seconds = communication * scale;
}

// Which build it was, as we know it: the agent sees the first word of the command only.
void keep_build(const Build& build, AttemptResult& out) {
  if (build.label.empty()) return;
  std::erase_if(out.facts, [](const Fact& fact) {
    return fact.scope == "run" && fact.name.starts_with("build.");
  });
  out.facts.push_back({"run", "build.label", build.label});
  out.facts.push_back({"run", "build.place", build.place});
  if (!build.hash.empty()) out.facts.push_back({"run", "build.hash", build.hash});
}

void keep(const Point& point, const record::Records& records, AttemptResult& out) {
  double compute = 0, communication = 0;
  int timed = 0;
  out.samples = records.samples;
  for (const Sample& s : records.samples) {
    if (s.warmup) continue;
    ++timed;
    compute += static_cast<double>(s.compute_ns);
    communication += static_cast<double>(s.communication_ns);
  }
  if (timed > 0) {
    const double scale = 1e-9 * std::max(1, point.iterations) / timed;
    out.compute_seconds = compute * scale;
    out.communication_seconds = communication * scale;
  }
  keep_profile(point, records, timed > 0, out);
  std::set<std::string> hosts;
  out.ranks = records.ranks;
  if (!out.ranks.empty()) out.work_min = out.ranks.front().work;
  for (const RankTotal& r : records.ranks) {
    hosts.insert(r.host);
    out.work_total += r.work;
    out.work_min = std::min(out.work_min, r.work);
    out.work_max = std::max(out.work_max, r.work);
  }
  out.metrics = records.metrics;
  for (const record::Provenance& p : records.provenance) {
    for (const auto& [name, value] : p.facts) {
      out.facts.push_back({p.scope, name, value});
      if (name == "host") hosts.insert(value);
      if (name == "binding" && value.starts_with("differs")) out.binding_differs = true;
      if (name == "cpu.others") {
        out.machine_busy = std::strtod(value.c_str(), nullptr) >= kBusyCores;
      }
    }
  }
  keep_build(point.binary, out);
  // A program that reports no ranks is known by where its step was placed.
  if (hosts.empty()) {
    for (std::string& host : expand_node_list(nodes_told(records))) hosts.insert(std::move(host));
  }
  for (const std::string& host : hosts) out.hosts += (out.hosts.empty() ? "" : ",") + host;
}

}  // namespace

StepArtifacts with_pushed(StepArtifacts step, const std::string& pushed) {
  if (pushed.empty()) return step;
  step.records = record::one_of_both(step.records, pushed);
  step.begun = true;
  if (!step.problem.empty() && record::parse(step.records).complete) step.problem.clear();
  return step;
}

namespace {

Ingested judge(const Point& point, const StepArtifacts& step, const Observation& seen,
               bool oversubscribed) {
  const record::Records records = record::parse(step.records);
  Ingested out;
  keep(point, records, out.result);
  out.result.oversubscribed = oversubscribed;
  out.nodes = nodes_told(records);
  if (records.begin) out.began_ns = records.begin->wall_ns;
  if (records.end && out.began_ns > 0) out.ended_ns = out.began_ns + records.end->elapsed_ns;

  const auto ended = [&](AttemptState state, Reason reason, const std::string& detail) {
    static_cast<Ending&>(out) = {state, reason, detail};
    return out;
  };

  if (!step.problem.empty()) {
    return ended(AttemptState::invalid, Reason::bad_record, step.problem);
  }
  if (!records.end) {
    if (seen.preempted) {
      return ended(AttemptState::preempted, Reason::none,
                   seen.detail.empty() ? "preempted before it could finish" : seen.detail);
    }
    const Reason why = seen.reason == Reason::none ? Reason::agent_died : seen.reason;
    const AttemptState state = why == Reason::time_limit       ? AttemptState::timed_out
                               : why == Reason::oom            ? AttemptState::failed
                               : why == Reason::user_cancelled ? AttemptState::cancelled
                                                               : AttemptState::lost;
    return ended(state, why, seen.detail.empty() ? sentence(why) : seen.detail);
  }
  out.exit_code = records.end->exit_code;
  out.signal = records.end->signal;
  if (!records.problems.empty()) {
    return ended(AttemptState::invalid, Reason::bad_record, records.problems.front());
  }

  const auto outcome = parse_attempt_state(records.end->outcome);
  const auto reason = parse_reason(records.end->reason);
  if (!outcome || !is_final(*outcome) || !reason) {
    return ended(
        AttemptState::invalid, Reason::bad_record,
        "unknown outcome '" + records.end->outcome + "' or reason '" + records.end->reason + "'");
  }
  if ((*outcome == AttemptState::cancelled || *outcome == AttemptState::lost) &&
      seen.state == AllocationState::ended) {
    // The agent was told to end, or lost a pod; why, the backend knows.
    if (seen.preempted) {
      return ended(AttemptState::preempted, Reason::none, seen.detail);
    }
    if (seen.reason == Reason::time_limit) {
      return ended(AttemptState::timed_out, Reason::time_limit, seen.detail);
    }
    if (seen.reason == Reason::user_cancelled && !seen.detail.empty()) {
      return ended(AttemptState::cancelled, Reason::user_cancelled, seen.detail);
    }
  }
  if ((*outcome == AttemptState::failed || *outcome == AttemptState::lost) &&
      seen.reason == Reason::oom) {
    return ended(AttemptState::failed, Reason::oom, seen.detail);
  }
  if (*outcome != AttemptState::succeeded) {
    return ended(*outcome, *reason,
                 records.end->detail.empty() ? sentence(*reason) : records.end->detail);
  }
  if (records.check && !records.check->passed) {
    return ended(AttemptState::failed, Reason::wrong_answer, records.check->detail);
  }
  if (point.own_harness) {
    if (!records.done) {
      return ended(AttemptState::invalid, Reason::no_end_record, sentence(Reason::no_end_record));
    }
    const std::size_t wanted =
        std::min(static_cast<std::size_t>(point.shape.ranks), kMostRanksListed);
    if (records.ranks.size() < wanted) {
      return ended(AttemptState::invalid, Reason::bad_record,
                   std::to_string(records.ranks.size()) + " ranks reported where " +
                       std::to_string(point.shape.ranks) +
                       " were asked for: was the workload built against another MPI than the one "
                       "that started it?");
    }
  }
  const auto seconds = time_of_run(point, records);
  if (!seconds || !std::isfinite(*seconds) || *seconds <= 0) {
    return ended(
        AttemptState::failed, Reason::no_time,
        seconds ? "the reported time is not a positive number" : sentence(Reason::no_time));
  }
  // A step that stood still while it was timed tells nothing of the machine; one that ended before
  // or began after does.
  if (seen.suspended_ns > 0 && out.began_ns <= seen.suspended_ns &&
      (out.ended_ns == 0 || out.ended_ns >= seen.suspended_ns)) {
    return ended(AttemptState::preempted, Reason::none,
                 "suspended for a while by the backend: its time does not count");
  }
  out.result.seconds = *seconds;
  return ended(AttemptState::succeeded, Reason::none, "");
}

}  // namespace

Ingested ingest(const Point& point, const StepArtifacts& step, const Observation& seen,
                bool oversubscribed) {
  Ingested out = judge(point, step, seen, oversubscribed);
  // Whatever a program and its agent make of it when a node goes away under them.
  if (seen.state == AllocationState::ended && seen.reason == Reason::node_failed &&
      out.state != AttemptState::succeeded && out.reason != Reason::wrong_answer) {
    out.state = AttemptState::lost;
    out.reason = Reason::node_failed;
    out.detail = seen.detail.empty() ? sentence(Reason::node_failed) : seen.detail;
  }
  return out;
}

StepProgress progress_of(const StepArtifacts& step) {
  if (!step.begun) return StepProgress::not_begun;
  // Cheap before dear: the end is looked for where it must be, in the last whole line.
  const std::string& text = step.records;
  if (text.empty() || text.back() != '\n') return StepProgress::running;
  const auto end = record::parse(text).end;
  if (!end) return StepProgress::running;
  const auto outcome = parse_attempt_state(end->outcome);
  const bool stopped = outcome == AttemptState::cancelled || outcome == AttemptState::lost;
  return stopped ? StepProgress::stopped : StepProgress::ended;
}

bool is_of_the_site(Reason reason) {
  return reason == Reason::image_missing || reason == Reason::submit_refused;
}

std::optional<Ending> end_without_begin(Reason stop, const Observation& seen, AttemptState state,
                                        int consecutive_failures) {
  if (stop != Reason::none) {
    const bool by_user = stop == Reason::user_cancelled;
    return Ending{by_user ? AttemptState::cancelled : AttemptState::failed, stop, sentence(stop)};
  }
  // Somebody took it out of the queue, or the queue gave it up: not to be put there again.
  if (seen.reason == Reason::user_cancelled) {
    return Ending{AttemptState::cancelled, seen.reason, seen.detail};
  }
  if (seen.reason == Reason::pending_too_long || is_of_the_site(seen.reason)) {
    return Ending{AttemptState::failed, seen.reason, seen.detail};
  }
  // Once seen running, only somebody who removed its files makes it look as if it never began.
  const bool had_begun = state == AttemptState::running || state == AttemptState::collecting;
  if (consecutive_failures < kMostConsecutiveFailures && !had_begun) return std::nullopt;
  const Reason why = seen.reason == Reason::none ? Reason::unknown_to_backend : seen.reason;
  return Ending{AttemptState::lost, why, seen.detail.empty() ? sentence(why) : seen.detail};
}

bool take_placement(const Observation& seen, AttemptRow& attempt) {
  const std::string waiting = seen.state == AllocationState::queued ? seen.detail : "";
  if (attempt.nodes == seen.nodes && attempt.waiting == waiting) return false;
  attempt.nodes = seen.nodes;
  attempt.waiting = waiting;
  attempt.expected_start_ns = seen.expected_start_ns;
  return true;
}

void overrule(Reason stop, Ingested& outcome) {
  if (stop == Reason::none || outcome.state == AttemptState::succeeded) return;
  outcome.reason = stop;
  outcome.detail = sentence(stop);
  outcome.state = stop == Reason::user_cancelled ? AttemptState::cancelled
                  : stop == Reason::time_limit   ? AttemptState::timed_out
                                                 : AttemptState::failed;
}

void cut_by_budget(Nanoseconds limit, Nanoseconds timeout, Ingested& outcome) {
  if (limit <= 0 || outcome.state != AttemptState::timed_out) return;
  outcome.state = AttemptState::cancelled;
  outcome.reason = Reason::over_budget;
  outcome.detail = "cut short after " + to_duration_text(limit) +
                   ", which is what the budget could pay; its time limit is " +
                   to_duration_text(timeout);
}

}  // namespace kneepoint

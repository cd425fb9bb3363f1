// SPDX-License-Identifier: Apache-2.0
//
// ScriptedLauncher: a backend without machines, whose jobs go as a test says. HurryingClock: time
// that passes by being looked at, so that every nap of the engine is over at once.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agents/wire/record.h"
#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/hash.h"

namespace kneepoint {

class HurryingClock : public Clock {
 public:
  Nanoseconds wall() const override { return 1'800'000'000 * kSecond + steady_; }
  Nanoseconds steady() const override { return steady_ += kSecond; }

 private:
  mutable Nanoseconds steady_ = 0;
};

inline std::string good_records(const std::string& attempt) {
  std::string text = record::to_line(0, record::Begin{attempt, 5});
  text += record::to_line(1, record::Metric{"time", 0.25, "s"});
  record::End end{.outcome = "succeeded", .reason = "none"};
  end.elapsed_ns = kSecond;
  end.count = 2;
  end.checksum = hex64(fnv1a64(text));
  return text + record::to_line(2, end);
}

// What becomes of a job is up to `fate`; as it stands, every job begins and ends well at once.
class ScriptedLauncher : public Launcher {
 public:
  enum class Fate { succeeds, waits, runs_on, never_begins, can_not_begin, dies };

  Capabilities capabilities() const override {
    Capabilities c;
    c.nodes = 16;
    c.cores_per_node = 64;
    c.default_concurrent = 2;
    c.poll_interval = 0;
    return c;
  }

  std::vector<Result<JobRef>> submit(std::span<const AllocationRequest> requests,
                                     Deadline) override {
    std::vector<Result<JobRef>> answers;
    for (const AllocationRequest& request : requests) {
      calls.push_back(request.name);
      if (const auto refusal = refuse ? refuse(request.name) : std::nullopt) {
        answers.push_back(*refusal);
        continue;
      }
      ++accepted[request.name];
      for (const Step& step : request.steps) steps_of[request.name].push_back(step.attempt);
      requests_of[request.name] = request;
      answers.push_back(JobRef{request.name, request.directory, "j", 1});
    }
    return answers;
  }

  Result<std::vector<Observation>> observe(std::span<const JobRef> jobs, Deadline) override {
    if (on_observe) on_observe();
    std::vector<Observation> seen;
    for (const JobRef& job : jobs) {
      Observation o;
      o.job = job;
      o.submitted_ns = 1;
      o.observed_ns = kHour;
      if (cut && cut(job.name)) {
        o.state = AllocationState::ended;
        o.reason = Reason::time_limit;
        o.started_ns = 2;
        o.ended_ns = 2 + requests_of[job.name].steps[0].limit;
        seen.push_back(o);
        continue;
      }
      const Fate its = cancelled.contains(job.name) ? Fate::never_begins : fate(job.name);
      switch (its) {
        case Fate::waits:
          o.state = AllocationState::queued;
          break;
        case Fate::runs_on:
          o.state = AllocationState::running;
          o.started_ns = 2;
          break;
        case Fate::succeeds:
          o.state = AllocationState::ended;
          o.started_ns = 2;
          o.ended_ns = 2 + kSecond;
          break;
        case Fate::dies:
          o.state = AllocationState::ended;
          o.reason = Reason::node_failed;
          o.started_ns = 2;
          o.ended_ns = 2 + kSecond;
          break;
        case Fate::never_begins:
          break;
        case Fate::can_not_begin:
          o.state = AllocationState::ended;
          o.reason = Reason::image_missing;
          o.detail = "pod p-0: ErrImagePull: no such image";
          break;
      }
      seen.push_back(o);
    }
    return seen;
  }

  std::vector<Result<void>> cancel(std::span<const JobRef> jobs, Deadline) override {
    for (const JobRef& job : jobs) cancelled.insert(job.name);
    return std::vector<Result<void>>(jobs.size());
  }

  Result<Artifacts> collect(const JobRef& job, Deadline) override {
    const Fate its = fate(job.name);
    const std::vector<std::string>& attempts = steps_of[job.name];
    if (cut && cut(job.name)) {
      return Artifacts{
          {{attempts[0], true, record::to_line(0, record::Begin{attempts[0], 5}), ""}}};
    }
    std::size_t done = its == Fate::succeeds ? attempts.size() : 0;
    if (its == Fate::dies || its == Fate::runs_on) done = std::min(steps_done, attempts.size());
    Artifacts artifacts;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      const bool runs = i == done && (its == Fate::dies || its == Fate::runs_on);
      artifacts.steps.push_back(
          {attempts[i], i < done || runs,
           i < done ? good_records(attempts[i])
                    : (runs ? record::to_line(0, record::Begin{attempts[i], 5}) : ""),
           ""});
    }
    return artifacts;
  }

  std::vector<EmittedFile> emit(const AllocationRequest&) const override { return {}; }

  std::function<Fate(const std::string&)> fate = [](const std::string&) { return Fate::succeeds; };
  std::function<std::optional<Error>(const std::string&)> refuse;
  std::function<bool(const std::string&)> cut;  // takes longer than its limit
  std::function<void()> on_observe;
  std::vector<std::string> calls;
  std::map<std::string, int> accepted;
  std::set<std::string> cancelled;
  std::size_t steps_done = 0;  // of an allocation that runs on or dies
  std::map<std::string, std::vector<std::string>> steps_of;
  std::map<std::string, AllocationRequest> requests_of;
};

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The simulated backend speaks the agents' own record format (decision 0005), so that ingest has
// one way in. The model says how long a step takes, not how that time is split: it is all `other`.
#include "orchestrator/backend/simulated/cluster.h"

#include <algorithm>
#include <cstdio>

#include "agents/wire/record.h"
#include "orchestrator/base/hash.h"

namespace kneepoint::simulated {
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

record::End end_of(const SimulatedStep& step, Nanoseconds began, Nanoseconds lasted) {
  record::End end;
  end.outcome = "succeeded";
  end.reason = to_string(Reason::none);
  end.wall_ns = began + lasted;
  end.elapsed_ns = lasted;
  if (step.fate == Fate::exits) {
    end.outcome = "failed";
    end.reason = to_string(Reason::exit_code);
    end.exit_code = 1;
    end.detail = "the simulated program exited with status 1";
  } else if (step.fate == Fate::runs_out_of_time) {
    end.outcome = "timed_out";
    end.reason = to_string(Reason::time_limit);
    end.detail =
        "the simulated program was still running at its limit of " + to_duration_text(step.lasts);
  }
  return end;
}

record::End cancelled_end(Nanoseconds began, Nanoseconds lasted) {
  record::End end;
  end.outcome = "cancelled";
  end.reason = to_string(Reason::user_cancelled);
  end.wall_ns = began + lasted;
  end.elapsed_ns = lasted;
  end.detail = "cancelled on the simulated cluster";
  return end;
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
      if (step.fate != Fate::loses_node) text.add_end(end_of(step, began, step.lasts));
    } else if (cancelled) {
      text.add_end(cancelled_end(began, horizon - began));
    }
    artifact.records = text.take();
    goes_on = step.fate != Fate::loses_node;
    began += step.lasts;
  }
  return artifacts;
}

}  // namespace kneepoint::simulated

// SPDX-License-Identifier: Apache-2.0
//
// The story of one run: what it was to do, every attempt at it and why that ended as it did, on
// which machine, with which samples, and where its files lie.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/result.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// What became of an attempt, in a sentence: "failed (exit_code): the program exited with ...".
std::string outcome_sentence(const AttemptRow& attempt);

struct ProfileStory : AttemptProfile {
  static constexpr auto fields() {
    using T = ProfileStory;
    return described(field("ranks", &T::ranks), field("operations", &T::operations));
  }
};

struct PushedStory : PushedSoFar {
  static constexpr auto fields() {
    using T = PushedStory;
    return described(field("records", &T::records), field("samples", &T::samples));
  }
};

struct AttemptStory : AttemptRow {
  std::vector<Sample> samples;
  std::vector<RankTotal> ranks;
  std::vector<Metric> metrics;
  std::vector<Fact> facts;
  ProfileStory profile;
  PushedStory pushed;  // of an attempt that is not over
  std::string name;    // "r17-a2"
  std::string folder;
  bool folder_exists = false;

  std::string sentence() const { return outcome_sentence(*this); }
  std::vector<std::string> kept_paths() const;
  static constexpr auto fields() {
    using T = AttemptStory;
    return described(
        field("number", &T::number), field("state", &T::state), field("reason", &T::reason),
        field("detail", &T::detail), field("sentence", &T::sentence),
        field("allocation", &T::allocation), field("job", &T::job_id),
        field_if_any("nodes", &T::nodes), field("submitted_ns", &T::submitted_ns),
        field("started_ns", &T::started_ns), field("ended_ns", &T::ended_ns),
        field("exit_code", &T::exit_code), field("signal", &T::signal), field("folder", &T::folder),
        field("folder_exists", &T::folder_exists),
        field_if_any("pushed", [](const T& a) { return when(a.pushed.records > 0, a.pushed); }),
        field("samples", &T::samples), field("metrics", &T::metrics),
        field_if_any("kept", &T::kept_paths), field("ranks", &T::ranks),
        field_if_any("mpi_profile",
                     [](const T& a) { return when(!a.profile.ranks.empty(), a.profile); }),
        field("provenance", &T::facts));
  }
};

// What is told of a run's point.
struct PointStory : Point {
  std::vector<std::pair<std::string, std::string>> environment() const;
  static constexpr auto fields() {
    using T = PointStory;
    return described(field("key", &T::key), field("case", &T::case_name), field("mode", &T::mode),
                     field("k", &T::k), field("nodes", [](const T& p) { return p.shape.nodes; }),
                     field("ranks", [](const T& p) { return p.shape.ranks; }),
                     field("threads_per_rank", [](const T& p) { return p.shape.threads_per_rank; }),
                     field("size", [](const T& p) { return when(p.has_size, p.size); }),
                     field("held_fixed", &T::held_fixed),
                     field("command", [](const T& p) { return p.command.argv; }),
                     field("environment", &T::environment));
  }
};

struct RunStory {
  FoundRun found;
  std::vector<AttemptStory> attempts;
  std::vector<Event> events;

  static constexpr auto fields() {
    using T = RunStory;
    return described(field("study", [](const T& one) { return one.found.study.id; }),
                     field("run", [](const T& one) { return one.found.run.number; }),
                     field("repeat", [](const T& one) { return one.found.run.repeat; }),
                     field("round", [](const T& one) { return one.found.run.round; }),
                     field("finished", [](const T& one) { return one.found.run.finished; }),
                     field("point", [](const T& one) { return PointStory{one.found.point}; }),
                     field("attempts", &T::attempts), field("events", &T::events));
  }
};

// `run` as typed.
Result<RunStory> explain(const Context& context, const std::string& run);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The story of one run: what it was to do, every attempt at it and why that ended as it did, on
// which machine, with which samples, and where its files lie; and what it printed, as its agent
// kept it, which `logs` and the dashboard answer.
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

// A file of the run's own folder that was kept; it lies below `kept` in the attempt's folder.
struct KeptFile {
  std::string name;
  std::string size;  // bytes
};
std::vector<KeptFile> kept_files(const std::vector<Fact>& facts);

struct ProfileStory : AttemptProfile {
  KP_DESCRIBED(ProfileStory, ranks, operations);
};

struct PushedStory : PushedSoFar {
  KP_DESCRIBED(PushedStory, records, samples);
};

struct AttemptStory : AttemptRow {
  static constexpr const char* kSchema = "Attempt";
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
        KP_NAMED(number, state, reason, detail, sentence, allocation), field("job", &T::job_id),
        field_if_any("nodes", &T::nodes),
        KP_NAMED(submitted_ns, started_ns, ended_ns, exit_code, signal, folder, folder_exists),
        field_if_any("pushed", [](const T& a) { return when(a.pushed.records > 0, a.pushed); }),
        KP_NAMED(samples, metrics), field_if_any("kept", &T::kept_paths), field("ranks", &T::ranks),
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
    return described(field("key", &T::key), field("case", &T::case_name), KP_NAMED(mode, k),
                     field("nodes", [](const T& p) { return p.shape.nodes; }),
                     field("ranks", [](const T& p) { return p.shape.ranks; }),
                     field("threads_per_rank", [](const T& p) { return p.shape.threads_per_rank; }),
                     field("size", [](const T& p) { return when(p.has_size, p.size); }),
                     field("held_fixed", &T::held_fixed),
                     field("command", [](const T& p) { return p.command.argv; }),
                     field("environment", &T::environment));
  }
};

struct RunStory {
  static constexpr const char* kSchema = "Story";
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
                     KP_NAMED(attempts, events));
  }
};

// `run` as typed.
Result<RunStory> explain(const Context& context, const std::string& run);

struct RunOutput {
  std::string study;
  int run = 0;
  int attempt = 0;
  std::string stream;  // "stdout" or "stderr"
  std::string path;    // of its file, there or not
  std::optional<std::string> text;
  std::string missing_because;    // where there is no text
  bool folder_exists = false;     // of the attempt
  std::vector<std::string> kept;  // files that the plan keeps of this attempt

  static constexpr auto fields() {
    using T = RunOutput;
    return described(KP_NAMED(study, run, attempt, stream, path, text),
                     field_or_null("missing_because", &T::missing_because),
                     field("kept", &T::kept));
  }

  std::string attempt_name() const;  // "r17-a2"
  std::string missing_text() const;  // "no stdout of r17-a2: the run printed nothing to stdout"
};

// `attempt` 0: as `found` says, else the newest. An error: the run has no such attempt.
Result<RunOutput> read_output(StudyStore& store, const FoundRun& found, int attempt,
                              const std::string& stream);

}  // namespace kneepoint

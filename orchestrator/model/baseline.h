// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of a series of nights beside its studies: the study that later ones are held
// against, the builds pinned with it, changes that were acknowledged, nights from before the first
// study, how noisy the site is, and what the gate said. A series is named "<name>-<hash8>".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/point.h"

namespace kneepoint {

enum class BuildKind { path, image };
constexpr auto words_of(BuildKind) {
  return std::array{"path", "image"};
}

// A program or an image that is kept to be measured against. Whoever uses it looks first whether
// the file still has this hash.
struct PinnedBuild {
  std::string workload;  // "": of every workload without one of its own
  BuildKind kind = BuildKind::path;
  std::string value;  // absolute path, or the image's name
  std::string hash;   // SHA-256 of the file when it was pinned; image: its digest, "" without one
  KP_DESCRIBED(PinnedBuild, workload, kind, value, hash);

  bool operator==(const PinnedBuild&) const = default;
};

struct Baseline {
  std::string series;
  std::string study;  // id of the one it was taken from
  std::string note;   // why
  std::string who;
  Nanoseconds made_ns = 0;
  Nanoseconds dropped_ns = 0;       // 0: in force
  std::vector<PinnedBuild> builds;  // by workload, the default first

  static constexpr auto columns() {
    using T = Baseline;
    return described(KP_NAMED(series), field("study_id", &T::study),
                     KP_NAMED(note, who, made_ns, dropped_ns));
  }
  // nullptr: nothing is pinned for this workload.
  const PinnedBuild* build_of(const std::string& workload) const {
    const PinnedBuild* found = nullptr;
    for (const PinnedBuild& build : builds) {
      if (build.workload == workload) return &build;
      if (build.workload.empty()) found = &build;
    }
    return found;
  }
};

// From `study` on a new segment begins: somebody knows why, and wants it so.
struct AcknowledgedChange {
  std::string series;
  std::string study;
  std::string note;
  std::string who;
  Nanoseconds made_ns = 0;
  static constexpr auto columns() {
    using T = AcknowledgedChange;
    return described(KP_NAMED(series), field("study_id", &T::study), KP_NAMED(note, who, made_ns));
  }
};

// A night from a table, older than the studies of its series.
struct ImportedTime {
  std::string case_name;
  Mode mode = Mode::strong;
  int k = 1;
  double seconds = 0;
  KP_DESCRIBED(ImportedTime, case_name, mode, k, seconds);

  bool operator==(const ImportedTime&) const = default;
};
struct ImportedNight {
  std::string night;                // as the table has it: "2026-03-01", or a number
  Nanoseconds order_ns = 0;         // wall time of a date, else the number
  std::string build;                // "": the table doesn't say
  std::vector<ImportedTime> times;  // in the order of the table; several of a point are repeats
  KP_DESCRIBED(ImportedNight, night, order_ns, build);
};
// Nights that came together.
struct ImportedNights {
  std::string series;
  std::string source;     // file name
  std::string file_hash;  // SHA-256
  std::vector<ImportedNight> nights;
};

// How noisy a series is on its site, measured with one build against itself. Shares of T.
struct Calibration {
  std::string series;
  Nanoseconds made_ns = 0;
  double repeat_sd = 0;
  std::optional<double> night_sd, node_sd;  // none: it could not be told
  double false_alarm_rate = 0;
  double smallest_detectable = 0;
  int repeats = 0, nights = 0;  // that it was measured with
  int recommended_repeats = 0, recommended_history = 0;
  static constexpr auto fields() {
    using T = Calibration;
    return described(
        field("made", [](const T& one) { return to_utc_text(one.made_ns); }),
        KP_NAMED(repeat_sd, night_sd, node_sd, false_alarm_rate, smallest_detectable, repeats),
        field("studies", &T::nights), KP_NAMED(recommended_repeats, recommended_history));
  }
  static constexpr auto columns() {
    using T = Calibration;
    return described(KP_NAMED(series, made_ns, repeat_sd, night_sd, node_sd, false_alarm_rate),
                     KP_NAMED(smallest_detectable, repeats, nights, recommended_repeats),
                     KP_NAMED(recommended_history));
  }
};

// What the gate said of a study, and when.
struct StoredVerdict {
  std::string study;
  std::string verdict;  // "PASS"
  std::string why;
  std::string line;  // the one that ends the gate's text
  Nanoseconds made_ns = 0;
  static constexpr auto columns() {
    using T = StoredVerdict;
    return described(field("study_id", &T::study), KP_NAMED(verdict, why, line, made_ns));
  }
};

// One study of a series, without what only a report needs.
struct SeriesStudy {
  std::int64_t row = 0;
  std::string id;
  int n = 1;
  std::string state;
  std::string backend;
  Nanoseconds created_ns = 0;
  static constexpr auto columns() {
    using T = SeriesStudy;
    return described(field("id", &T::row), field("study_id", &T::id),
                     KP_NAMED(n, state, backend, created_ns));
  }
};

// A night as the gate reads it: the valid runs of every point, and what they ran on.
struct NightTimes {
  std::string key;
  std::vector<double> seconds, compute, communication;  // by run
};
struct GateNight {
  std::string id;
  std::string environment;  // "cpu.model=...; mpi=...", without the program; "": not recorded
  std::string program;      // hashes; "": not recorded
  std::vector<NightTimes> points;
};

}  // namespace kneepoint

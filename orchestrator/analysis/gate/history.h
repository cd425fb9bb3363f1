// SPDX-License-Identifier: Apache-2.0
//
// Which nights a study is tested against, and from them to what the gate looks at: points by their
// key, one value a night; the build may change from night to night. A segment of nights ends where
// node type, MPI or kernels change or where somebody acknowledged a change; what doesn't count is
// said in a sentence each. Pure, but for the nights, which are asked for from the newest back and
// no further than the rule needs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/gate/gate.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/baseline.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

// What is known of tonight's series without its nights.
struct SeriesFacts {
  SeriesStudy tonight;
  std::vector<SeriesStudy> studies;  // by n; later ones than tonight don't count
  std::vector<AcknowledgedChange> acknowledged;
  std::vector<ImportedNight> imported;    // oldest first
  std::vector<std::string> other_series;  // of the same name, the newest first
  std::optional<Baseline> baseline;       // in force
};

struct Segment {
  std::vector<GateNight> nights;      // oldest first, tonight last
  std::optional<GateNight> baseline;  // that tonight may be compared with
  std::string changed;                // of the environment, since the night before; "": nothing
  int imported = 0;                   // of the nights
  std::vector<std::string> notes;     // sentences
};

using ReadNight = std::function<Result<GateNight>(const SeriesStudy&)>;

// `evidence` of tonight has the points that nights of tables are matched with.
Result<Segment> find_segment(const SeriesFacts& facts, const StudyEvidence& evidence,
                             const ReadNight& read);

// "cpu.model=A before, cpu.model=B tonight"; "": nothing differs.
std::string environment_change(const GateNight& before, const GateNight& tonight);

// A night of a table by the keys of tonight's points: by case, mode and K. Where tonight has two
// points of these (several shapes or builds) the table can't mean one of them.
GateNight night_of_table(const ImportedNight& from, const StudyEvidence& tonight);

// What the times and numbers of a series' studies (by n) say of them: clocks set back, numbers
// without a study, nights that are missing, studies that share one.
std::vector<std::string> calendar_notes(const std::vector<SeriesStudy>& studies);

// The error says why the study is no night, or none that others may be compared with.
Result<void> check_night(const std::string& study, const std::string& backend,
                         bool compares_builds);
Result<void> check_baseline(const SeriesStudy& study, int valid_runs);

// Nights of a table against those that the series has of others.
struct SortedNights {
  std::vector<ImportedNight> fresh;
  std::size_t known = 0;               // say the same, in whatever order
  std::vector<std::size_t> differing;  // of the table's: say something else
};
SortedNights sort_nights(const std::vector<ImportedNight>& table,
                         const std::vector<ImportedNight>& there);

// ---- What the gate looks at

struct NightParts {  // of the median T, seconds; all 0: the workload doesn't say
  double compute = 0, communication = 0, rest = 0;
  static constexpr auto fields() {
    using T = NightParts;
    return described(KP_NAMED(compute, communication), field("imbalance", &T::rest));
  }
};

struct GateHistory {
  std::vector<std::string> nights;             // ids of studies, tonight last
  std::vector<std::string> builds;             // beside them: hashes of programs; "": not recorded
  std::vector<GateSeries> series;              // points of tonight
  std::vector<std::vector<NightParts>> parts;  // by series and night
  std::string changed;  // what of the environment differs from the night before; "": nothing
  std::vector<std::string> failed;  // points of tonight with a failed run
  std::string state = "finished";   // of tonight's study
  int runs = 0, runs_to_go = 0;     // of it
};

// `tonight` has the points; its own night is the segment's last.
GateHistory make_history(const Segment& segment, const StudyEvidence& tonight);

// Which part of T grew most. None: it did not grow, or nobody knows.
std::optional<MovedTerm> moved_term(const GateHistory& history, const GateFinding& finding);
// The same of parts of a growth that are known.
std::optional<MovedTerm> largest_growth(const NightParts& growth);

// The changes of the level, oldest first; tonight's level is since the last.
std::vector<LevelChange> all_changes(const GateHistory& history, const GateFinding& finding);

// What of it made a finding slower, and since when: fills in those members of the answer.
void explain(const GateHistory& history, GateAnswer& answer);

bool belongs(const GateSeries& series, const GateFinding& finding);

}  // namespace kneepoint

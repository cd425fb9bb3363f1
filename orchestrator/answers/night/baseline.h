// SPDX-License-Identifier: Apache-2.0
//
// What is kept of a series of nights beside its studies: its baseline with pinned builds, changes
// that were acknowledged, nights from tables. Nothing is overwritten: a baseline that is replaced
// stays listed as dropped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/baseline.h"
#include "orchestrator/plan/tables/reader.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// A program by its path and the hash of its bytes, or an image by its name. "PATH|IMAGE" or
// "WORKLOAD=PATH|IMAGE": a word with a '/' or a '.' at its beginning is a path, and must be a file
// here; `is_image`: the site runs images. Relative paths are made absolute.
Result<PinnedBuild> pin_build(const std::string& words, bool is_image,
                              const std::string& working_directory);

// An Error says that the file is gone, or that its hash is another now. Images are not looked at.
Result<void> check_pinned(const PinnedBuild& build);

struct SeriesView {
  std::string series;
  std::size_t studies = 0;
  std::optional<Baseline> baseline;
  std::vector<std::string> problems;  // of pinned builds that are no more what they were
  std::vector<AcknowledgedChange> acknowledged;
  std::vector<ImportedNight> imported;
  std::optional<Calibration> calibration;
  std::vector<StoredVerdict> verdicts;  // newest first
};

// `words`: the series by its own name, or by a study of it.
Result<std::string> find_series(StudyStore& store, const std::string& words);
Result<SeriesView> view_series(StudyStore& store, const std::string& series);

struct BaselineRequest {
  std::string study, note;
  std::vector<std::string> builds;  // as typed
};
struct SetBaseline {
  std::string series;
  std::optional<Baseline> before;  // which it took the place of
};
Result<SetBaseline> set_baseline(const Context& context, StudyStore& store,
                                 const BaselineRequest& request);
Result<void> drop_baseline(StudyStore& store, const std::string& series);

// From this study on a new segment begins.
struct Acknowledged {
  std::string series, study;
  bool fresh = true;  // false: it was acknowledged before, which stays
};
Result<Acknowledged> acknowledge_change(const Context& context, StudyStore& store,
                                        const std::string& study, const std::string& note);

// Nights from a table, for a series that is younger than the measurements.
struct HistoryRequest {
  std::string where;     // the series, a study of it, or its plan's file
  std::string site;      // of the plan; "": the usual one
  std::string path;      // of the table
  TableOptions options;  // case_name "": where rows don't say, the only case that there is
};
struct ImportedHistory {
  std::string series;
  std::size_t fresh = 0, known = 0;  // nights; known: were there, and say the same
  std::size_t times = 0;             // of the fresh ones
  std::string first, last;           // of them
  std::vector<std::string> unused;   // columns
  bool unit_assumed = false;         // some time had none
  std::vector<Problem> problems;     // nothing was written
  static constexpr auto fields() {
    using T = ImportedHistory;
    return described(field("series", &T::series), field("imported", &T::fresh),
                     KP_NAMED(known, unused));
  }
};
// Reads all of the table before anything is written, and writes all of it or nothing. What the
// series has already is left out if it says the same, and refused if it doesn't.
Result<ImportedHistory> import_history(const Context& context, StudyStore& store,
                                       const HistoryRequest& request);

}  // namespace kneepoint

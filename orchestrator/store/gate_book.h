// SPDX-License-Identifier: Apache-2.0
//
// The part of a StudyStore that the nightly gate keeps and reads. Nothing here is overwritten: a
// baseline that is replaced stays as a dropped one, a second verdict is a second row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/model/baseline.h"

namespace kneepoint {

class GateBook {
 public:
  virtual ~GateBook() = default;

  // Takes the place of the one in force.
  virtual Result<void> put_baseline(const Baseline& baseline) = 0;
  virtual Result<std::optional<Baseline>> baseline(const std::string& series) = 0;  // in force
  virtual Result<std::vector<Baseline>> baselines() = 0;  // dropped ones too; newest first
  virtual Result<bool> drop_baseline(const std::string& series) = 0;  // false: there was none

  // False: it was acknowledged before, and stays as it is.
  virtual Result<bool> put_acknowledged(const AcknowledgedChange& change) = 0;
  virtual Result<std::vector<AcknowledgedChange>> acknowledged(const std::string& series) = 0;

  // All or none. A night that is there already is ErrorCode::exists.
  virtual Result<void> put_imported_nights(const ImportedNights& nights) = 0;
  virtual Result<std::vector<ImportedNight>> imported_nights(const std::string& series) = 0;
  virtual Result<int> drop_imported_nights(const std::string& series) = 0;  // how many

  virtual Result<void> put_calibration(const Calibration& calibration) = 0;
  virtual Result<std::optional<Calibration>> calibration(const std::string& series) = 0;  // newest

  // False: the study's last verdict says the same, and stays.
  virtual Result<bool> put_verdict(const StoredVerdict& verdict) = 0;
  // Of a series' studies, the latest of each, newest study first; `series` "": of all.
  virtual Result<std::vector<StoredVerdict>> verdicts(const std::string& series) = 0;

  // By n. Both take time by the number of studies, not of runs.
  virtual Result<std::vector<SeriesStudy>> series_studies(const std::string& name,
                                                          const std::string& hash8) = 0;
  // Other series of the same name: another plan or site; newest first.
  virtual Result<std::vector<std::string>> other_series(const std::string& name,
                                                        const std::string& hash8) = 0;
  virtual Result<GateNight> gate_night(std::int64_t study) = 0;
};

}  // namespace kneepoint

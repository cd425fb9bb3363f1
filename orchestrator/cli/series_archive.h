// SPDX-License-Identifier: Apache-2.0
//
// A whole series in one file: its studies, and what was decided about it. The container is that of
// an evidence pack; the tables of all studies lie together, each row with the number of its study.
// What is read is somebody's word until it was checked. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/model/baseline.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

inline constexpr char kSeriesFormat[] = "kneepoint.series/1";

struct SeriesArchive {
  std::string name, hash8;
  std::string kneepoint;              // version that wrote it
  std::vector<ForeignStudy> studies;  // by n; rows have their ids, but no work_dir
  std::optional<Baseline> baseline;   // in force
  std::vector<AcknowledgedChange> acknowledged;
  std::vector<ImportedNight> nights;
  std::optional<Calibration> calibration;
  std::vector<StoredVerdict> verdicts;

  std::string series() const { return name + "-" + hash8; }
};

std::vector<TarMember> parts_of(const SeriesArchive& archive);

bool is_series_archive(const Pack& pack);
Result<SeriesArchive> archive_of(const Pack& pack);

}  // namespace kneepoint::cli

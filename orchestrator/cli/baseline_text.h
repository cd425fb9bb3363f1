// SPDX-License-Identifier: Apache-2.0
//
// What is kept of a series, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/baseline.h"

namespace kneepoint::cli {

struct PinnedState {
  PinnedBuild build;
  std::string problem;  // "": still the program that was pinned, or an image
};

struct SeriesView {
  std::string series;
  std::size_t studies = 0;
  std::optional<Baseline> baseline;
  std::vector<PinnedState> builds;
  std::vector<AcknowledgedChange> acknowledged;
  std::vector<ImportedNight> imported;
  std::optional<Calibration> calibration;
  std::vector<StoredVerdict> verdicts;  // newest first
};

std::string series_text(const SeriesView& view, int width);
std::string series_json(const SeriesView& view);

std::string baselines_text(const std::vector<Baseline>& all);
std::string baselines_json(const std::vector<Baseline>& all);

}  // namespace kneepoint::cli

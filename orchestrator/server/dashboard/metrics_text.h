// SPDX-License-Identifier: Apache-2.0
//
// The dashboard's numbers in the text format of Prometheus. Pure: values in, text out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "orchestrator/server/dashboard/study_picture.h"
#include "orchestrator/server/http/web_server.h"

namespace kneepoint {

struct SeriesMetrics {
  SeriesLine series;
  StudyLine newest;
  bool is_live = false;
  std::shared_ptr<const StudyCurves> curves;
};

struct MetricValues {
  std::map<std::string, std::int64_t> studies;  // by state
  std::map<std::string, std::int64_t> runs;     // by outcome
  std::vector<SeriesMetrics> series;
  std::int64_t series_left_out = 0;  // beyond what one answer holds
  WebStats web;
  std::uint64_t wrong_tokens = 0;
};

std::string metrics_text(const MetricValues& values);

// What stands between the quotes of a label.
std::string label_text(const std::string& text);

}  // namespace kneepoint

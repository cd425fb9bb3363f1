// SPDX-License-Identifier: Apache-2.0
//
// The parts of the JSON report; json.cc puts them together. Every key is always there: a number
// that does not exist is null, a list without entries is empty. docs/reference/report.schema.json
// is the contract.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/json_put.h"
#include "orchestrator/report/answers.h"

namespace kneepoint {

// {"<name>": value, "low": ..., "high": ..., "level": ..., "method": ...} on one line.
void put_value(JsonWriter& w, const char* key, const char* name, const std::optional<double>& value,
               const std::optional<Interval>& interval);

// What is known of one point beside T, S and E: keys within the point's object.
void put_point_detail(JsonWriter& w, const PointDetail& detail);
// Models, knees, predictions and the rest: keys within the mode's object.
void put_curve_detail(JsonWriter& w, const CurveView& view);
// Of these what a page computes from: the best model, and knees by the floors and the plan's rule.
void put_page_curve(JsonWriter& w, const CurveView& view);
// "shapes" and "collectives" of the study.
void put_study_detail(JsonWriter& w, const StudyAnalysis& analysis);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// What `import` answers: which study it made, an efficiency table by medians, and what the table
// does not say. Intervals, models and knees are `report`'s work.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/plan/tables/study.h"

namespace kneepoint::cli {

struct ImportedPoint {
  int k = 1, runs = 0;
  double seconds = 0, speedup = 0, efficiency = 0;  // medians, relative to the curve's smallest K
  static constexpr auto fields() {
    using T = ImportedPoint;
    return described(field("k", &T::k), field("runs", &T::runs), field("time", &T::seconds),
                     field("speedup", &T::speedup), field("efficiency", &T::efficiency));
  }
};

struct ImportedCurve {
  std::string build, case_name;
  Mode mode = Mode::strong;
  std::vector<ImportedPoint> points;  // K ascending
  static constexpr auto fields() {
    using T = ImportedCurve;
    return described(field("build", &T::build), field("case", &T::case_name),
                     field("mode", &T::mode), field("points", &T::points));
  }
};

struct ImportAnswer {
  std::string study;    // id
  std::string before;   // id of the study of this series before it, "" when there is none
  bool created = true;  // false: it was there already
  std::string file, sha256;
  bool relative = false;  // T in units of the baseline
  long runs = 0;
  std::vector<Caveat> caveats;
  std::vector<ImportedCurve> curves;
};

std::vector<ImportedCurve> imported_curves(const Table& table);

std::string import_text(const ImportAnswer& answer, int width);
std::string import_json(const ImportAnswer& answer);

}  // namespace kneepoint::cli

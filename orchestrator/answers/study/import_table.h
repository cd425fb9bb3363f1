// SPDX-License-Identifier: Apache-2.0
//
// A study out of a table of K and T. The whole table is read and checked before the database is
// touched, and everything is written in one transaction. The answer has an efficiency table by
// medians; intervals, models and knees are a report's work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {

struct ImportTableRequest {
  std::string path;   // as typed
  std::string bytes;  // that it holds
  TableOptions options;
  std::optional<std::string> study;      // its name; none: from the file's
  std::optional<std::string> case_name;  // of rows that don't say; none: the study's name
  int workers_per_node = 1;              // where the table has no column of nodes
  std::optional<double> floor;           // none: 0.7
  bool make_new = false;                 // even if this file is there already
};

struct ImportedPoint {
  int k = 1, runs = 0;
  double seconds = 0, speedup = 0, efficiency = 0;  // medians, relative to the curve's smallest K
  static constexpr auto fields() {
    using T = ImportedPoint;
    return described(KP_NAMED(k, runs), field("time", &T::seconds), KP_NAMED(speedup, efficiency));
  }
};

struct ImportedCurve {
  std::string build, case_name;
  Mode mode = Mode::strong;
  std::vector<ImportedPoint> points;  // K ascending
  static constexpr auto fields() {
    using T = ImportedCurve;
    return described(field("build", &T::build), field("case", &T::case_name),
                     KP_NAMED(mode, points));
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
  std::vector<Problem> problems;  // of the table; nothing was written then
  static constexpr auto fields() {
    using T = ImportAnswer;
    return described(
        KP_NAMED(study, created, file, sha256, runs),
        field("time_unit", [](const T& one) { return one.relative ? "baseline" : "s"; }),
        KP_NAMED(curves, caveats));
  }
};

Result<ImportAnswer> import_table(const Context& context, const ImportTableRequest& request);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Nights from a table, for a series that is younger than the measurements.
#pragma once

#include <string>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

struct HistoryTarget {
  std::string series;
  std::string only_case;  // of rows that don't say; "": the series has several
};

// Reads all of the table before anything is written, and writes all of it or nothing. What the
// series has already is left out if it says the same, and refused if it doesn't.
Result<int> import_history(Session& session, StudyStore& store, const HistoryTarget& target,
                           const Arguments& arguments);

}  // namespace kneepoint::cli

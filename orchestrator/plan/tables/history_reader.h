// SPDX-License-Identifier: Apache-2.0
//
// Nights out of a table: each row is the time of one run of a case, mode and K on a night. CSV and
// its kin as read_table() reads them, or a JSON list of objects with the same names. Pure; all
// problems come at once, and a table with one problem gives no nights.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/baseline.h"
#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {

struct HistoryTable {
  std::vector<ImportedNight> nights;  // oldest first
  std::vector<int> lines;             // beside them: where each first stands
  std::vector<std::string> unused;    // columns
  std::vector<std::string> units;     // of time that were found
  bool unit_assumed = false;          // some time had none
};

struct ReadHistory {
  HistoryTable table;
  std::vector<Problem> problems;
};

// TableOptions::case_name "": rows must say.
ReadHistory read_history(std::string_view text, const std::string& file,
                         const TableOptions& options);

// "2026-03-01", "2026-03-01T02:30", "2026-03-01 02:30:00Z" as wall time, UTC.
std::optional<Nanoseconds> read_date(std::string_view text);

}  // namespace kneepoint

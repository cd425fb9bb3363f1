// SPDX-License-Identifier: Apache-2.0
//
// A table as a study: its points, what makes two imports comparable, and what a reader of its
// report must know. Pure; storing it is the command's work.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/model/evidence.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {

struct TableOrigin {
  std::string study;  // name
  std::string file;   // name without folders
  std::string path;   // as given
  std::string sha256;
  KneeSpec knee;
  int workers_per_node = 1;  // where the table has no column of nodes
};

struct TableStudy {
  Study study;  // points in the order of Table::points
  Site site;
  std::vector<Caveat> caveats;
};

// The series (hash8) is by cases, builds, modes, worker and kind of value; not by K, times or
// repeats: next month's table of the same programs is the next study of the series. The plan's text
// holds the sha256 and the options, so equal texts mean the same import.
TableStudy make_table_study(const Table& table, const TableOptions& options,
                            const TableOrigin& origin);

// 1 to 40 of a-z, 0-9 and '-', not beginning with '-'.
bool is_study_name(std::string_view name);
// "Vendor 180x.csv" -> "vendor-180x"; "" when nothing is left.
std::string study_name_of(std::string_view file);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// What a report says of the queue: which way it was used and what that held fixed, how long runs
// waited, and whether a node slows the runs that hold it.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/json_text.h"
#include "orchestrator/report/tables/detail_tables.h"

namespace kneepoint {

// One line: "Queue: one job per run (60 jobs); each run got its own nodes; waited ...". "": none.
std::string queue_line(const StudyAnalysis& analysis);
// What to know of the study before its numbers: a bad node, and what to do about it.
std::vector<std::string> study_findings(const StudyAnalysis& analysis);

void add_queue_tables(const StudyAnalysis& analysis, std::vector<DetailTable>& tables);

// "queue" and "bad_nodes", null where there is none. They differ between executions with the same
// results, so they belong under "volatile".
void put_queue(JsonWriter& w, const StudyAnalysis& analysis);

}  // namespace kneepoint

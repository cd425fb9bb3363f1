// SPDX-License-Identifier: Apache-2.0
//
// The answers of the commands that look after studies, sites, databases, packs and workloads, for a
// terminal. Pure.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/pack/export_pack.h"
#include "orchestrator/answers/pack/import_pack.h"
#include "orchestrator/answers/pack/verify.h"
#include "orchestrator/answers/site/check.h"
#include "orchestrator/answers/site/doctor.h"
#include "orchestrator/answers/site/workloads.h"
#include "orchestrator/answers/study/status.h"
#include "orchestrator/report/document.h"

namespace kneepoint {

std::string to_text(const CheckAnswer& answer);
std::string to_json(const CheckAnswer& answer);  // one line, newline included
// A sentence for each rehearsal that has words. What every shape is told alike is said once.
std::vector<std::string> sentences_of(const std::vector<Rehearsal>& rehearsals);

std::string to_text(const StudyStatus& status, int width);  // lines of at most `width` columns
std::string to_line(const StudyStatus& status);             // for those without a terminal
std::string to_text(const StudyList& list, Nanoseconds now);
// The efficiencies so far, for the progress view: three lines per curve, K from left to right. At
// most `max_lines` lines, each ending in a newline; the last then says what was left out.
std::string to_live_table(const StudySummary& summary, const TerminalStyle& style,
                          int max_lines = 18);

std::string to_text(const DoctorAnswer& answer);
std::string to_text(const DatabaseVerdict& verdict);
std::string to_text(const PackVerdict& verdict);  // of a pack that is whole
std::string to_text(const PackImport& answer, int width);
std::string to_text(const PackExport& answer);
std::string to_text(const WorkloadList& list);
std::string to_text(const Workload& workload);  // all that a plan can say of it

// "[#####-----]", `width` columns in all.
std::string bar(int done, int total, int width);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The state of a study as a value, and how it is written. Reading is one function, writing is pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/model/money.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

struct PointStatus {
  std::string label;  // "jacobi strong K=4"
  int succeeded = 0, failed = 0, total = 0;
  double median_seconds = 0;  // over succeeded runs; 0: none yet
  std::string trouble;        // "r3 failed (exit_code)": the first failed run
  static constexpr auto fields() {
    using T = PointStatus;
    return described(field("point", &T::label), field("succeeded", &T::succeeded),
                     field("failed", &T::failed), field("total", &T::total),
                     field_or_null("median_seconds", &T::median_seconds));
  }
};

struct StudyStatus {
  StudyRow row;
  std::map<AttemptState, int> runs;  // by the state of their newest attempt
  int total = 0;
  int attempts = 0;
  std::string waiting;  // what the queue says of the first run that waits there
  int placed = 0;       // runs whose newest attempt was handed over
  int allocations = 0;  // that hold them
  double node_seconds = 0;
  double budget_node_hours = 0;  // of the plan; 0: none
  std::optional<Money> spent;    // where the study has a price
  std::optional<Money> budget;   // of money
  std::string price;             // "item c-large of prices.yaml"; "": none
  std::string caveat;            // of its numbers; "": none
  std::vector<PointStatus> points;
  std::optional<Lease> holder;
  bool holder_is_live = false;
  std::vector<Event> events;  // the last few
  Nanoseconds now = 0;        // wall

  int in(AttemptState state) const;
  int failed() const;  // ended otherwise than well, and not to be tried again
  bool is_over() const { return row.state == "finished" || row.state == "cancelled"; }
};

Result<StudyStatus> read_status(StudyStore& store, const StudyRow& row, const Clock& clock);

std::string to_text(const StudyStatus& status, int width);
std::string to_json(const StudyStatus& status);  // one line, newline included
// One line for those who watch without a terminal.
std::string to_line(const StudyStatus& status);

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
//
// Where a study stands, and which studies there are: what `status`, `watch` and `list` answer. Only
// reads, so it may be asked while the study runs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/model/money.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

struct PointStatus {
  std::string label;  // "jacobi strong K=4"
  int succeeded = 0, failed = 0, total = 0;
  double median_seconds = 0;  // over succeeded runs; 0: none yet
  std::string trouble;        // "r3 failed (exit_code)": the first failed run
  static constexpr auto fields() {
    using T = PointStatus;
    return described(field("point", &T::label), KP_NAMED(succeeded, failed, total),
                     field_or_null("median_seconds", &T::median_seconds));
  }
};

struct Spent {
  Money money;
  std::string price;  // "item c-large of prices.yaml"
  static constexpr auto fields() {
    using T = Spent;
    return described(field("amount", [](const T& s) { return micros_text(s.money.micros); }),
                     field("currency", [](const T& s) { return s.money.currency; }),
                     field("price", &T::price));
  }
};

// Who works on the study, or did last.
struct StudyHolder {
  Lease lease;
  bool alive = false;
  static constexpr auto fields() {
    using T = StudyHolder;
    return described(
        field("host", [](const T& h) { return h.lease.host; }),
        field("pid", [](const T& h) { return h.lease.pid; }),
        field("heartbeat", [](const T& h) { return to_utc_text(h.lease.heartbeat_ns); }),
        field("alive", &T::alive));
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
  std::optional<Spent> spent;    // where the study has a price
  std::optional<Money> budget;   // of money
  std::string caveat;            // of its numbers; "": none
  std::vector<PointStatus> points;
  std::optional<StudyHolder> holder;
  std::vector<Event> events;  // the last few
  Nanoseconds now = 0;        // wall

  int in(AttemptState state) const;
  int failed() const;  // ended otherwise than well, and not to be tried again
  bool is_over() const { return row.state == "finished" || row.state == "cancelled"; }
  bool is_attended() const { return holder && holder->alive; }
  std::vector<std::pair<std::string, int>> counts() const;  // "total", then by state

  static constexpr auto fields() {
    using T = StudyStatus;
    return described(
        field("study", [](const T& s) { return s.row.id; }),
        field("state", [](const T& s) { return s.row.state; }),
        field("site", [](const T& s) { return s.row.site; }),
        field("backend", [](const T& s) { return s.row.backend; }),
        field("created", [](const T& s) { return to_utc_text(s.row.created_ns); }),
        field("work_dir", [](const T& s) { return s.row.work_dir; }), field("runs", &T::counts),
        field("attempts", &T::attempts), field_if_any("waiting", &T::waiting),
        field("allocations", &T::allocations), field_if_any("caveat", &T::caveat),
        field("node_hours", [](const T& s) { return s.node_seconds / 3600; }),
        field_if_any("budget_node_hours", &T::budget_node_hours), field_if_any("spent", &T::spent),
        field_if_any("budget_amount",
                     [](const T& s) { return s.budget ? micros_text(s.budget->micros) : ""; }),
        field("controller", &T::holder), KP_NAMED(points, events));
  }
};

Result<StudyStatus> read_status(StudyStore& store, const StudyRow& row, const Clock& clock);

struct StudyList {
  std::string database;           // its path, there or not
  std::vector<StudyRow> studies;  // newest first
  static constexpr auto fields() { return described(field("studies", &StudyList::studies)); }
};

// A database that is not there holds no study.
Result<StudyList> list_studies(const Context& context);

}  // namespace kneepoint

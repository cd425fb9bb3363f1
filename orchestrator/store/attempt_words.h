// SPDX-License-Identifier: Apache-2.0
//
// How an attempt's columns are read, for the files that select them in their own ways.
#pragma once

#include <optional>
#include <string>

#include "orchestrator/model/attempt.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// The columns of table `a` that make an AttemptRow, in the order of read_attempt().
inline constexpr const char* kAttemptColumns =
    "a.id, a.run, a.number, a.state, a.reason, a.detail, a.allocation, a.submissions, a.job_id,"
    " a.submitted_ns, a.started_ns, a.ended_ns, a.exit_code, a.signal,"
    " a.nodes, a.waiting, a.expected_start_ns, a.limit_ns";

struct AttemptWords {
  std::string state, reason;

  // False: a word that this version doesn't know.
  bool parse(AttemptState& to_state, Reason& to_reason) const {
    const auto parsed_state = parse_attempt_state(state);
    const auto parsed_reason = parse_reason(reason);
    if (!parsed_state || !parsed_reason) return false;
    to_state = *parsed_state;
    to_reason = *parsed_reason;
    return true;
  }
};

// `before`: what the query selects ahead of kAttemptColumns.
template <typename... T>
void read_attempt(const Statement& row, AttemptRow& a, AttemptWords& words, T&... before) {
  row.read(before..., a.row, a.run, a.number, words.state, words.reason, a.detail, a.allocation,
           a.submissions, a.job_id, a.submitted_ns, a.started_ns, a.ended_ns, a.exit_code, a.signal,
           a.nodes, a.waiting, a.expected_start_ns, a.limit_ns);
}

}  // namespace kneepoint

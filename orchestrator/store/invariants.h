// SPDX-License-Identifier: Apache-2.0
//
// What must hold in every database of ours, whoever was killed when: checked by reading alone. The
// list is the one place where these rules stand together; docs/reference/cli.md names them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

struct Violation {
  std::string rule;  // its word: "run_outcome"
  std::string what;  // "demo-0a1b2c3d-1 r17: ..."
  KP_DESCRIBED(Violation, rule, what);
};

struct DatabaseFindings {
  std::int64_t schema = 0, studies = 0, runs = 0, attempts = 0, samples = 0;
  std::vector<std::string> rules;     // that were looked at
  std::vector<Violation> violations;  // at most kMostViolations of a query, and one that says so
  KP_DESCRIBED(DatabaseFindings, schema, studies, runs, attempts, samples, rules, violations);
};

constexpr std::size_t kMostViolations = 20;

// A file that is no database of ours, or of another version of the schema, is an error; one that
// SQLite itself can't read to the end has violations.
Result<DatabaseFindings> find_violations(const std::string& path, Nanoseconds wall_now);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The audit of E > 1: more than ideal has a cause. Checks in a fixed order, each answered from what
// is known; a missing fact is "unknown", never "no".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

constexpr double kSuperlinear = 1.01;  // of E's lower bound, or of a local efficiency's

// What provenance and counters say about K0 and K; none: not recorded.
struct SuperlinearFacts {
  std::optional<bool> work_equal;        // results, work totals and answers are the same
  std::optional<bool> baseline_outlier;  // K0 run again, interleaved with K, is faster
  std::optional<bool> baseline_swapped;  // swap or major page faults at K0
  std::optional<bool> ascending_order;   // K was always run after K0: warm page cache
  std::optional<bool> node_type_differs;
  std::optional<bool> code_path_differs;              // build, NUMA placement, binding, library
  std::optional<double> clock0, clock;                // measured clock at K0 and K, same unit
  std::optional<double> working_set0, working_set;    // bytes per worker at K0 and K
  std::optional<double> cache_bytes;                  // fast memory per worker
  std::optional<double> instructions0, instructions;  // sum over all ranks
};

enum class Answer { yes, no, unknown };
enum class Finding { none, explained, baseline_suspect, unexplained };
enum class Cause { none, work, clock, cache };
// "yes", "no", "unknown"; "explained (cache)", "baseline suspect", "unexplained".
const char* to_string(Answer answer);
std::string to_text(Finding finding, Cause cause);

struct AuditCheck {
  std::string question;  // yes is always the suspicious answer
  Answer answer = Answer::unknown;
  std::string measure;  // what would answer it
  static constexpr auto fields() {
    using T = AuditCheck;
    return described(one_line, KP_NAMED(question, answer, measure));
  }
};

struct SuperlinearAudit {
  bool triggered = false;
  double efficiency = 0;
  std::vector<AuditCheck> checks;  // in order; empty when not triggered
  Finding finding = Finding::none;
  Cause cause = Cause::none;
  std::string sentence;
  std::string settle;  // the one measurement that would settle it
  static constexpr auto fields() {
    using T = SuperlinearAudit;
    return described(
        field("efficiency", &T::efficiency),
        field("finding", [](const T& audit) { return to_text(audit.finding, audit.cause); }),
        KP_NAMED(sentence, settle, checks));
  }
};

// `lower` is the lower bound of E's interval; without one E itself decides, and it is said.
SuperlinearAudit audit_superlinear(double efficiency, std::optional<double> lower,
                                   const SuperlinearFacts& facts);

// ---- What the evidence can answer of the audit of E > 1. What it can't stays unknown.

// `base` and `at` are indexes of StudyEvidence::points on that curve; `efficiency` is E between
// them by medians.
SuperlinearFacts superlinear_facts(const StudyEvidence& evidence, const CurveMembers& curve,
                                   int base, int at, double efficiency);

}  // namespace kneepoint

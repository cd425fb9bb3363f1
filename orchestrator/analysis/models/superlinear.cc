// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/superlinear.h"

#include <utility>

#include "orchestrator/base/numbers.h"

namespace kneepoint {
namespace {

Answer to_answer(std::optional<bool> fact) {
  if (!fact) return Answer::unknown;
  return *fact ? Answer::yes : Answer::no;
}

std::optional<bool> negated(std::optional<bool> fact) {
  return fact ? std::optional(!*fact) : std::nullopt;
}

// A faster clock explains E only as far as it is faster.
std::optional<bool> clock_explains(const SuperlinearFacts& f, double efficiency) {
  if (!f.clock0 || !f.clock) return std::nullopt;
  return *f.clock / *f.clock0 * kSuperlinear >= efficiency;
}

std::optional<bool> falls_into_cache(const SuperlinearFacts& f) {
  if (!f.working_set0 || !f.working_set || !f.cache_bytes) return std::nullopt;
  return *f.working_set0 > *f.cache_bytes && *f.working_set <= *f.cache_bytes;
}

std::optional<bool> fewer_instructions(const SuperlinearFacts& f) {
  if (!f.instructions0 || !f.instructions) return std::nullopt;
  return *f.instructions * kSuperlinear < *f.instructions0;
}

struct Rule {
  AuditCheck check;
  Finding finding;
  Cause cause;
  std::string settle;  // once the answer is yes
};

std::vector<Rule> rules(const SuperlinearFacts& f, double efficiency) {
  const auto suspect = Finding::baseline_suspect, explained = Finding::explained;
  const std::string again = "run K0 again, interleaved with K, on the same nodes";
  return {
      {{"is the work or the answer at K another than at K0?", to_answer(negated(f.work_equal)),
        "record results, work totals and a hash of the answer at K0 and K"},
       explained,
       Cause::work,
       "run both with the same total work"},
      {{"is the baseline slow by accident?", to_answer(f.baseline_outlier), again},
       suspect,
       Cause::none,
       again},
      {{"did K0 swap or fault pages in?", to_answer(f.baseline_swapped),
        "record swap and major page faults at K0"},
       suspect,
       Cause::none,
       "take a K0 whose problem fits the memory"},
      {{"was K always run after K0, on files already cached?", to_answer(f.ascending_order),
        "run K0 and K in random order"},
       suspect,
       Cause::none,
       "run K0 and K in random order"},
      {{"is the node type at K0 another?", to_answer(f.node_type_differs),
        "record the node type of every run"},
       suspect,
       Cause::none,
       "run K0 on the nodes of K"},
      {{"is the build, the binding or the code path at K0 another?", to_answer(f.code_path_differs),
        "record build, binding and library versions of every run"},
       suspect,
       Cause::none,
       "run K0 with the build and binding of K"},
      {{"does a faster clock at K account for it?", to_answer(clock_explains(f, efficiency)),
        "record the clock at K0 and K"},
       explained,
       Cause::clock,
       "run both with the clock fixed"},
      {{"does the working set per worker fall into the cache between K0 and K?",
        to_answer(falls_into_cache(f)), "record the working set per worker and the cache's size"},
       explained,
       Cause::cache,
       "run K0 on a problem whose working set fits the cache"},
      {{"do all ranks together execute fewer instructions at K?", to_answer(fewer_instructions(f)),
        "count instructions at K0 and K"},
       explained,
       Cause::work,
       "find the work that K leaves out, then run both with the same"},
  };
}

const char* words(Cause cause) {
  switch (cause) {
    case Cause::work:
      return "the work is not the same";
    case Cause::clock:
      return "the clock is faster";
    case Cause::cache:
      return "the working set per worker now fits the cache";
    case Cause::none:
      break;
  }
  return "no cause";
}

Result<void> require_facts(const SuperlinearFacts& f) {
  for (const auto& [value, what] :
       {std::pair(f.clock0, "the clock at K0"), std::pair(f.clock, "the clock at K"),
        std::pair(f.working_set0, "the working set at K0"),
        std::pair(f.working_set, "the working set at K"),
        std::pair(f.cache_bytes, "the cache's size"),
        std::pair(f.instructions0, "the instructions at K0"),
        std::pair(f.instructions, "the instructions at K")}) {
    if (value) TRY(require_positive(*value, what));
  }
  return {};
}

}  // namespace

Result<SuperlinearAudit> audit_superlinear(double efficiency, std::optional<double> lower,
                                           const SuperlinearFacts& facts) {
  TRY(require_positive(efficiency, "the efficiency"));
  if (lower) TRY(require_positive(*lower, "the lower bound of the efficiency"));
  TRY(require_facts(facts));
  SuperlinearAudit audit;
  audit.efficiency = efficiency;
  audit.triggered = lower.value_or(efficiency) > kSuperlinear;
  if (!audit.triggered) return audit;
  const Rule* decided = nullptr;
  const Rule* unknown = nullptr;
  const std::vector<Rule> all = rules(facts, efficiency);
  for (const Rule& rule : all) {
    audit.checks.push_back(rule.check);
    if (!decided && rule.check.answer == Answer::yes) decided = &rule;
    if (!unknown && rule.check.answer == Answer::unknown) unknown = &rule;
  }
  audit.sentence = "E=" + number_text(efficiency) + " is above ideal";
  if (!lower) audit.sentence += " (one run only: no interval)";
  if (decided) {
    audit.finding = decided->finding;
    audit.cause = decided->cause;
    audit.settle = decided->settle;
    audit.sentence += decided->finding == Finding::explained
                          ? std::string("; explained: ") + words(decided->cause)
                          : "; the baseline is suspect: " + decided->check.question + " yes";
    return audit;
  }
  audit.finding = Finding::unexplained;
  audit.settle = unknown ? unknown->check.measure : "count cycles, instructions and cache misses";
  audit.sentence += "; unexplained by what was recorded";
  return audit;
}

const char* to_string(Answer answer) {
  return answer == Answer::yes ? "yes" : answer == Answer::no ? "no" : "unknown";
}

std::string to_text(Finding finding, Cause cause) {
  switch (finding) {
    case Finding::none:
      return "none";
    case Finding::baseline_suspect:
      return "baseline suspect";
    case Finding::unexplained:
      return "unexplained";
    case Finding::explained:
      break;
  }
  const char* why = cause == Cause::work ? "work" : cause == Cause::clock ? "clock" : "cache";
  return std::string("explained (") + why + ")";
}

}  // namespace kneepoint

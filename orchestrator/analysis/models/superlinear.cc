// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/superlinear.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "orchestrator/analysis/breakdown/roofline.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/analysis/statistics/summary.h"
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

const char* reason_of(Cause cause) {
  constexpr const char* kReasons[] = {"no cause", "the work is not the same", "the clock is faster",
                                      "the working set per worker now fits the cache"};
  return kReasons[static_cast<int>(cause)];
}

}  // namespace

SuperlinearAudit audit_superlinear(double efficiency, std::optional<double> lower,
                                   const SuperlinearFacts& facts) {
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
                          ? std::string("; explained: ") + reason_of(decided->cause)
                          : "; the baseline is suspect: " + decided->check.question + " yes";
    return audit;
  }
  audit.finding = Finding::unexplained;
  audit.settle = unknown ? unknown->check.measure : "count cycles, instructions and cache misses";
  audit.sentence += "; unexplained by what was recorded";
  return audit;
}

const char* to_string(Answer answer) {
  constexpr const char* kWords[] = {"yes", "no", "unknown"};
  return kWords[static_cast<int>(answer)];
}

std::string to_text(Finding finding, Cause cause) {
  constexpr const char* kFindings[] = {"none", "explained", "baseline suspect", "unexplained"};
  constexpr const char* kCauses[] = {"", " (work)", " (clock)", " (cache)"};
  const bool explained = finding == Finding::explained;
  return std::string(kFindings[static_cast<int>(finding)]) +
         (explained ? kCauses[static_cast<int>(cause)] : "");
}

namespace {

constexpr double kMajorFaults = 1000;    // more than loading a program takes
constexpr std::size_t kRunsToJudge = 3;  // of the baseline: fewer can't show an accident

using Runs = std::vector<const RunEvidence*>;

double median_work(const Runs& runs) {
  std::vector<double> work;
  work.reserve(runs.size());
  for (const RunEvidence* run : runs) work.push_back(run->work_total);
  return median(std::move(work));
}

std::optional<bool> same_work(const CurveMembers& curve, const Point& p0, const Point& p,
                              const Runs& runs0, const Runs& runs) {
  const double work0 = median_work(runs0), work = median_work(runs);
  if (!(work0 > 0) || !(work > 0)) return std::nullopt;
  const bool weak = curve.mode == Mode::weak;
  const double ratio = weak ? work / p.k / (work0 / p0.k) : work / work0;
  return std::abs(ratio - 1) <= (weak ? kWeakWorkTolerance : kStrongWorkTolerance);
}

// Would the fastest run of the baseline be ordinary?
std::optional<bool> slow_by_accident(const Runs& runs0, double efficiency) {
  if (runs0.size() < kRunsToJudge) return std::nullopt;
  std::vector<double> seconds;
  for (const RunEvidence* run : runs0) seconds.push_back(run->seconds);
  const double fastest = *std::min_element(seconds.begin(), seconds.end());
  return efficiency * fastest / median(seconds) <= kSuperlinear;
}

// Run numbers follow the plan's order, which an agent's provenance shows to have been kept.
std::optional<bool> always_after(const Runs& runs0, const Runs& runs) {
  if (runs0.size() < 2 || runs.size() < 2 || runs0.front()->provenance.empty()) {
    return std::nullopt;
  }
  const auto by_number = [](const RunEvidence* a, const RunEvidence* b) {
    return a->number < b->number;
  };
  return (*std::max_element(runs0.begin(), runs0.end(), by_number))->number <
         (*std::min_element(runs.begin(), runs.end(), by_number))->number;
}

bool any_unbound(const Runs& runs) {
  return std::any_of(runs.begin(), runs.end(),
                     [](const RunEvidence* run) { return run->binding_differs; });
}

// The median over runs of a number that each recorded, as a fact or as a metric.
std::optional<double> median_fact(const PointEvidence& point, const Runs& runs,
                                  std::string_view name) {
  std::vector<double> values;
  for (const RunEvidence* run : runs) {
    const RunDetail* detail = detail_of(point, *run);
    if (detail == nullptr) continue;
    std::optional<double> value = number_fact(detail->facts, name);
    if (!value) value = metric_value(detail->metrics, name);
    if (value && *value >= 0) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

std::optional<double> positive(std::optional<double> value) {
  return value && *value > 0 ? value : std::nullopt;
}

std::optional<bool> swapped(const PointEvidence& point, const Runs& runs) {
  const auto pages = median_fact(point, runs, "memory.swapped_pages");
  const auto faults = median_fact(point, runs, "memory.major_faults");
  if (!pages && !faults) return std::nullopt;
  return pages.value_or(0) > 0 || faults.value_or(0) > kMajorFaults;
}

// The caches that one rank has: its own L2 and its part of the L3, by the ranks that share it.
std::optional<double> cache_of_rank(const PointEvidence& point, const Runs& runs) {
  const auto l2 = positive(median_fact(point, runs, "cache.l2_bytes"));
  const auto l3 = positive(median_fact(point, runs, "cache.l3_bytes"));
  const auto sharing = positive(median_fact(point, runs, "cache.l3_cpus"));
  if (!l2 || !l3 || !sharing) return std::nullopt;
  const Shape& shape = point.point.shape;
  const double threads = shape.threads_per_rank;
  const double busy = std::min(*sharing, std::min(shape.ranks, shape.ranks_per_node) * threads);
  return threads * (*l2 + *l3 / busy);
}

}  // namespace

SuperlinearFacts superlinear_facts(const StudyEvidence& evidence, const CurveMembers& curve,
                                   int base, int at, double efficiency) {
  const PointEvidence &e0 = evidence.points[base], &e = evidence.points[at];
  const Runs runs0 = valid_runs(curve, e0), runs = valid_runs(curve, e);
  SuperlinearFacts facts;
  if (runs0.empty() || runs.empty()) return facts;
  facts.work_equal = same_work(curve, e0.point, e.point, runs0, runs);
  facts.baseline_outlier = slow_by_accident(runs0, efficiency);
  facts.ascending_order = always_after(runs0, runs);
  // All runs of a curve say the same provenance: what it names does not differ.
  const std::string& provenance = runs0.front()->provenance;
  if (provenance.find("cpu.model=") != std::string::npos) facts.node_type_differs = false;
  if (any_unbound(runs0) != any_unbound(runs)) {
    facts.code_path_differs = true;
  } else if (provenance.find("program=") != std::string::npos) {
    facts.code_path_differs = false;
  }
  facts.baseline_swapped = swapped(e0, runs0);
  facts.clock0 = positive(median_fact(e0, runs0, "cpu.clock_mhz_during"));
  facts.clock = positive(median_fact(e, runs, "cpu.clock_mhz_during"));
  facts.working_set0 = positive(median_fact(e0, runs0, "working_set_bytes"));
  facts.working_set = positive(median_fact(e, runs, "working_set_bytes"));
  facts.cache_bytes = cache_of_rank(e, runs);
  facts.instructions0 = positive(median_fact(e0, runs0, "instructions"));
  facts.instructions = positive(median_fact(e, runs, "instructions"));
  return facts;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Everything that a report says of a study, as one value: the summary and, curve by curve, models,
// knees, predictions, breakdown, tail, audits. Reports only draw it. What could not be computed is
// absent, and a warning says why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/bad_nodes.h"
#include "orchestrator/analysis/breakdown/breakdown.h"
#include "orchestrator/analysis/breakdown/collective_fit.h"
#include "orchestrator/analysis/breakdown/roofline.h"
#include "orchestrator/analysis/comparison/build_comparison.h"
#include "orchestrator/analysis/knee/knees.h"
#include "orchestrator/analysis/models/models.h"
#include "orchestrator/analysis/models/prediction.h"
#include "orchestrator/analysis/models/scaling_laws.h"
#include "orchestrator/analysis/models/superlinear.h"
#include "orchestrator/analysis/queueing/use.h"
#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/analysis/statistics/tail.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

// `code` is stable (docs/reference/report.md lists all), `message` is a sentence.
struct Warning {
  std::string code, message;
  static constexpr auto fields() {
    using T = Warning;
    return described(one_line, KP_NAMED(code, message));
  }
};

// Beside one PointSummary.
struct PointDetail {
  std::optional<double> local_efficiency;  // from the K before: E(K)/E(previous K)
  std::optional<Interval> local_efficiency_interval;
  double results_per_second = 0;         // throughput; 0: no data
  std::optional<double> gustafson;       // scaled speedup by the serial share measured, weak only
  std::optional<Breakdown> breakdown;    // of the run whose T is the median
  std::optional<Accounting> accounting;  // against the baseline
  std::vector<Straggler> stragglers;
  std::optional<double> comm_ratio;             // exposed communication / compute
  std::optional<double> comm_ratio_efficiency;  // 1 / (1 + comm_ratio)
  std::optional<MpiProfile> profile;            // of the valid runs that have one
  std::vector<MetricSummary> metrics;           // of the valid runs, by name
  std::optional<TailSummary> tail;              // over the iterations of all valid runs
  std::optional<TailGrowth> tail_growth;        // weak: against the baseline
  std::optional<SuperlinearAudit> audit;        // where triggered
  std::optional<RooflinePoint> roofline;
  std::optional<double> flops_per_second;  // of all workers
  std::optional<double> utilisation;       // of the measured peak: MFU
};

// What limits a curve at its largest K with data: shares of the loss that add up to 1, from the
// breakdown when ranks reported, else from the best model's terms.
struct LossShares {
  std::string basis;  // "breakdown" or "model amdahl_log"
  int k = 1;
  double serial = 0;     // model only
  double imbalance = 0;  // breakdown only
  double communication = 0;
  double computation = 0;  // breakdown only: extra compute time
  static constexpr auto fields() {
    using T = LossShares;
    return described(one_line, KP_NAMED(basis, k, serial, imbalance, communication, computation));
  }
};

// How the problem must grow to hold `efficiency` at K, by the best model; work is in units of
// today's T(1), so 3 means three times the problem. docs/methods.md says what each form counts as
// useful.
struct IsoGrowth {
  int k = 1;
  double efficiency = 0.7;
  Growth growth = Growth::logarithmic;  // of the communication: the larger of the two terms
  IsoAnswer replicated, fixed_serial, proportional;
};

struct BandPoint {
  int k = 1;
  double seconds = 0;        // by the best model
  double low = 0, high = 0;  // 90% of one run, union over plausible models
};

struct CurveAnalysis {
  Times times;                      // the valid runs; empty: nothing below is there
  std::vector<PointDetail> points;  // in the order of Curve::points
  ModelsAnswer models;
  std::optional<ModelIntervals> best_intervals;  // of models.fits.front()
  KneesAnswer knees;
  PredictionsAnswer predictions;  // 2 and 4 times the largest K, or the K asked for
  // T by the models from the smallest K to twice the largest, for figures: as a prediction there.
  std::vector<BandPoint> band;
  std::optional<LossShares> loss;
  std::vector<IsoGrowth> isoefficiency;  // strong, at the largest K, 2 and 4 times it
  std::optional<WorkDepth> work_depth;   // at the largest K; none: the workload states no depth
  std::optional<double> intensity;       // flops per byte, where the catalog knows both
  std::optional<double> cores_until_memory_bound;
  std::vector<Warning> warnings;
};

// Up or out: the shapes of one build, case and mode against each other.
struct ShapeContest {
  std::string build, case_name;
  Mode mode = Mode::strong;
  struct Entry {
    int k = 1, cores = 1;
    std::string winner;  // shape with the least T at that many cores
    std::string runner_up;
    double ratio = 1;                  // T of the runner-up over the winner's
    std::optional<Interval> interval;  // of the ratio; one that holds 1 is a tie
    bool tie = false;
    static constexpr auto fields() {
      using T = Entry;
      return described(one_line, KP_NAMED(k, cores, winner, runner_up, ratio),
                       fields_of([](const T& entry) { return bounds_of(entry.interval); }),
                       field("tie", &T::tie));
    }
  };
  std::vector<Entry> entries;
  static constexpr auto fields() {
    using T = ShapeContest;
    return described(field("build", &T::build), field("case", &T::case_name),
                     KP_NAMED(mode, entries));
  }
};

struct CollectiveAnswer {
  std::string build, case_name;
  AllreduceModel model;
  std::vector<AllreducePrediction> predictions;  // of sizes measured and of gradients
};

struct StudyAnalysis {
  StudySummary summary;
  std::vector<CurveAnalysis> curves;  // in the order of summary.curves
  std::vector<ShapeContest> shapes;
  std::vector<CollectiveAnswer> collectives;
  std::optional<BuildComparison> builds;    // none: the study has not two of them
  std::optional<QueueUse> queue;            // none: the backend has no queue
  std::optional<BadNodeVerdict> bad_nodes;  // beside it
  std::vector<Warning> warnings;            // of the study as a whole
};

struct AnalysisOptions {
  GateOptions builds;
  BootstrapOptions bootstrap;
  std::vector<int> predict_to;  // K asked for; empty: 2 and 4 times the largest
  bool beyond_cap = false;      // up to 10 times the largest K
};

// Details (PointEvidence::details) are used where they are there.
StudyAnalysis analyse(const StudyEvidence& evidence, const AnalysisOptions& options = {});

}  // namespace kneepoint

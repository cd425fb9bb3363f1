// SPDX-License-Identifier: Apache-2.0
//
// Everything that a report says of a study, as one value: the summary and, curve by curve, models,
// knees, predictions, breakdown, tail, audits. Reports only draw it. What could not be computed is
// absent, and a warning says why.
#pragma once

#include <array>
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
#include "orchestrator/analysis/models/superlinear.h"
#include "orchestrator/analysis/queueing/use.h"
#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/analysis/statistics/tail.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

// What there is to doubt; docs/reference/report.md lists all. The words are stable.
enum class WarningCode {
  no_points,
  no_valid_run,
  one_k,
  invalid_time,
  stand_in,
  mixed_provenance,
  outliers,
  relative_baseline,
  work_not_constant,
  one_repeat,
  few_repeats,
  equal_times,
  fewer_replicates,
  few_points,
  one_model,
  lack_of_fit,
  weak_no_serial_fraction,
  knees_disagree,
  sawtooth,
  no_prediction,
  extrapolation_refused,
  models_differ,
  beyond_parallelism,
  profile_window,
  inconsistent_breakdown,
  superlinear,
  utilisation_refused,
  collective,
  collective_not_fitted,
  bad_node,
};
const char* to_string(WarningCode code);

struct Warning {
  WarningCode code = WarningCode::no_points;
  std::string message;  // a sentence
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

enum class LossPart { serial, imbalance, communication, computation };

// What most of a loss is.
struct MainLoss {
  LossPart part = LossPart::serial;
  double share = 0;  // above 0
};

// What limits a curve at its largest K with data: shares of the loss that add up to 1, from the
// breakdown when ranks reported, else from the terms of the best model, if that is adequate.
struct LossShares {
  std::string basis;  // "breakdown" or "model amdahl_log"
  int k = 1;
  double serial = 0;     // model only
  double imbalance = 0;  // breakdown only
  double communication = 0;
  double computation = 0;  // breakdown only: extra compute time

  // The four, in the order of LossPart.
  std::array<double, 4> parts() const { return {serial, imbalance, communication, computation}; }
  std::optional<MainLoss> main() const;  // the largest; none: nothing is lost
  static constexpr auto fields() {
    using T = LossShares;
    return described(one_line, KP_NAMED(basis, k, serial, imbalance, communication, computation));
  }
};

struct CurveAnalysis {
  Times times;                      // the valid runs; empty: nothing below is there
  std::vector<PointDetail> points;  // in the order of Curve::points
  ModelsAnswer models;
  std::optional<ModelIntervals> best_intervals;  // of models.fits.front()
  KneesAnswer knees;
  PredictionsAnswer predictions;  // 2 and 4 times the largest K
  // T by the models from the smallest K to twice the largest, for figures: as a prediction there.
  std::vector<Prediction> band;
  std::optional<LossShares> loss;
  bool loss_refused = false;            // the best model would name one, but is not adequate
  std::optional<WorkDepth> work_depth;  // at the largest K; none: the workload states no depth
  std::optional<double> intensity;      // flops per byte, where the catalog knows both
  std::optional<double> cores_until_memory_bound;
  std::vector<Warning> warnings;
};

// From which K on a strong curve gets slower.
struct TurningPoint {
  enum class Basis {
    model,         // inside the K measured
    extrapolated,  // up to kPredictTo times the largest
    runs,          // no model may be asked
    refused,       // the best model has one, but is not adequate
  };
  Basis basis = Basis::runs;
  double k = 0;       // not to be said when refused
  std::string model;  // "" by runs
};
// None: no end of the gain is in sight.
std::optional<TurningPoint> turning_point(const Curve& curve, const CurveAnalysis& analysis);

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
};

// Details (PointEvidence::details) are used where they are there.
StudyAnalysis analyse(const StudyEvidence& evidence, const AnalysisOptions& options = {});

}  // namespace kneepoint

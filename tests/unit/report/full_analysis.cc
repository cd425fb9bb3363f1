// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/report/full_analysis.h"

#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

const std::vector<double> kStrong = {1.0, 0.535, 0.3075, 0.19875, 0.149375};
const std::vector<double> kWeak = {1.0, 1.01, 1.02, 1.03, 1.04};

std::vector<double> repeats(double t) {
  return {t, t * 1.004, t * 0.998, t * 1.001, t * 1.002};
}

ModelFit model(const std::string& name, TermSet terms, double weight, const Coefficients& c) {
  ModelFit fit;
  fit.name = name;
  fit.terms = terms;
  fit.weight = weight;
  fit.coefficients = c;
  fit.left_out_rms = 0.0031;
  fit.lack_of_fit = LackOfFit{1.2, 0.4, 2, 20};
  fit.log_share = c.log2_k;
  fit.linear_share = c.k_minus_1;
  return fit;
}

ModelsAnswer strong_models() {
  ModelsAnswer models;
  ModelFit best = model("amdahl_log", kOne | kInverseK | kLog2K, 0.86, {0.05, 0.95, 0.01, 0});
  best.serial_fraction = 0.05;
  best.ceiling = 20;
  best.ceiling_reached = 0.335;
  best.fastest_k = 58.2;
  ModelFit second =
      model("full", kOne | kInverseK | kLog2K | kKMinus1, 0.14, {0.0498, 0.9502, 0.0098, 0});
  second.delta = 3.6;
  second.serial_fraction = 0.0498;
  second.ceiling = 20.08;
  second.ceiling_reached = 0.333;
  second.not_detectable = {{Term::k_minus_1, 0.0004}};
  models.fits = {best, second};
  models.fits[0].not_detectable = {{Term::log2_k, 0.012}};
  models.not_fitted = {{"ideal", kInverseK, {}, "one term only, left out in this sample"}};
  models.power = PowerFit{0.06, 0.94, 0.98, 0.001, -100};
  models.notes = {"a note about the models"};
  return models;
}

Knee knee(KneeRule rule, std::optional<double> floor, std::optional<double> k) {
  Knee out;
  out.rule = rule;
  out.floor = floor;
  out.k = k;
  out.place = k ? KneePlace::inside : KneePlace::beyond;
  if (k) {
    out.low = *k * 0.97;
    out.high = *k * 1.03;
  }
  if (floor) {
    out.k_sure = 4;
    out.k_maybe = 8;
  }
  return out;
}

KneesAnswer strong_knees() {
  KneesAnswer answer;
  answer.knees = {knee(KneeRule::efficiency, 0.7, 6.2063), knee(KneeRule::efficiency, 0.8, 4.2222),
                  knee(KneeRule::efficiency, 0.5, 12.126), knee(KneeRule::power, {}, 8),
                  knee(KneeRule::marginal, {}, 8),         knee(KneeRule::min_time, {}, {}),
                  knee(KneeRule::usl_peak, {}, {}),        knee(KneeRule::kneedle, {}, 7)};
  answer.knees[2].high.reset();
  answer.knees[2].open_high = true;
  answer.knees[6].model = "usl";
  answer.knees[6].extrapolated = 61.2;
  answer.knees[7].note = "depends on the range of K measured: up to K=16 here";
  Knee powers = knee(KneeRule::efficiency, 0.7, 6.3);
  powers.powers_of_two = true;
  answer.knees.push_back(powers);
  answer.agreement = "efficiency, power and marginal agree within a factor of 2";
  answer.sawtooth = true;
  answer.notes = {"a note about the knees"};
  return answer;
}

PredictionsAnswer strong_predictions() {
  PredictionsAnswer answer;
  answer.predictions = {
      {32, 0.1297, 0.1281, 0.1313, true, {{"amdahl_log", 0, 0.1297, 0.1283, 0.1311}}, ""},
      {64,
       0.1248,
       0.1199,
       0.1322,
       true,
       {{"amdahl_log", 0, 0.1248, 0.1221, 0.1277}, {"full", 3.6, 0.1282, 0.1199, 0.1322}},
       "the runs can't tell these models apart at K=64: 0.1248 s by amdahl_log, 0.1282 s by full"}};
  answer.refused = {{"K=1024 is 64 times the largest K measured: refused"}};
  return answer;
}

TailSummary tail(double t) {
  TailSummary out;
  out.samples = 500;
  out.mean = t;
  out.p50 = {0.5, t, t * 0.99, t * 1.01};
  out.p95 = {0.95, t * 1.1, t * 1.05, t * 1.15};
  out.p99 = {0.99, t * 1.3, t * 1.2, std::nullopt};
  out.max = t * 1.5;
  out.max_is_above = 0.993;
  return out;
}

PointDetail detail(double t, double t0, int k, Mode mode) {
  PointDetail d;
  d.results_per_second = (mode == Mode::weak ? k : 1) / t;
  d.tail = tail(t / 100);
  Breakdown b;
  b.ranks = k;
  b.wall = t;
  b.useful_max = t * (1 - 0.02 * (k - 1));
  b.useful_mean = b.useful_max * 0.99;
  b.imbalance_seconds = b.useful_max - b.useful_mean;
  b.communication_seconds = b.wall - b.useful_max;
  b.load_balance = 0.99;
  b.communication_efficiency = b.useful_max / t;
  b.parallel_efficiency = b.useful_mean / t;
  d.breakdown = b;
  d.comm_ratio = b.communication_seconds / b.useful_mean;
  d.comm_ratio_efficiency = 1 / (1 + *d.comm_ratio);
  if (k > 1) {
    d.local_efficiency = 0.93;
    d.local_efficiency_interval = Interval{0.92, 0.94, 0.968, "Hodges-Lehmann"};
    Accounting a;
    a.computation_scaling = 0.97;
    a.global_efficiency = 0.9;
    a.implied_efficiency = a.measured_efficiency = mode == Mode::weak ? t0 / t : t0 / (k * t);
    a.consistent = k != 8;
    a.sentence = "the breakdown implies another efficiency than the measured one";
    d.accounting = a;
  }
  if (mode == Mode::weak && k > 1) {
    d.gustafson = 0.95 * k;
    TailGrowth g;
    g.measured = t / t0;
    g.expected = 1.005;
    g.jitter_share = 0.4;
    g.sentence = "iterations get 2% longer; waiting for the slowest rank explains 40% of it";
    d.tail_growth = g;
  }
  if (mode == Mode::strong) {
    d.metrics = {{"energy", "J", "lower", 5, 120.5 * k,
                  Interval{118.0 * k, 125.25 * k, 0.9375, "order statistics"}},
                 {"steps", "", "", 1, 400, {}}};
  }
  d.roofline = RooflinePoint{0.13, 4.2, 3.1e9, 0.031, Bound::memory};
  d.flops_per_second = 2.4e9 * k;
  d.utilisation = 0.024;
  return d;
}

QueueUse queue() {
  QueueUse use;
  use.runs = use.allocations = use.waits_known = 50;
  use.most_runs = 1;
  use.median_wait_seconds = 42;
  use.largest_wait_seconds = 1830;
  use.waits = {{1, 1, 10, 10, 12, 61}, {16, 16, 10, 10, 310, 1830}};
  return use;
}

BadNodeVerdict bad_nodes() {
  BadNodeVerdict verdict;
  verdict.nodes = 18;
  verdict.runs = 50;
  verdict.points = 10;
  verdict.least_p = 0.0002;
  verdict.bad = {{"n7", 0.124, 0.0006, 9, 4, 4, {}}, {"n11", 0.052, 0.018, 6, 3, 2, {"n12"}}};
  return verdict;
}

SuperlinearAudit audit() {
  SuperlinearFacts facts;
  facts.work_equal = true;
  facts.baseline_outlier = false;
  facts.working_set0 = 64e6;
  facts.working_set = 16e6;
  facts.cache_bytes = 32e6;
  return audit_superlinear(1.25, 1.2, facts);
}

// The K to use by the knees that stand above, not by those of the times.
void decide_by_these_knees(const StudyEvidence& study, StudyAnalysis& all) {
  const KneeRule rule = knee_rule_of(study.knee_rule).value();
  for (std::size_t i = 0; i < all.curves.size(); ++i) {
    const KneeAnswer& by_floor = all.summary.knees[i];
    std::optional<RuleKnee> by_rule;
    for (const Knee& one : all.curves[i].knees.knees) {
      if (one.decides(rule, by_floor.floor)) by_rule = RuleKnee{one.place, one.k.value_or(0)};
    }
    all.summary.to_use[i] =
        recommend_k(knee_points(all.summary.curves[i]), by_floor, rule, by_rule);
  }
}

}  // namespace

StudyEvidence full_study() {
  EvidenceBuilder b;
  b.study.id = "full-1a2b3c4d-1";
  b.study.name = "full";
  b.study.created_ns = 1'763'260'290 * kSecond;
  b.study.node_seconds = 100;
  for (const Mode mode : {Mode::strong, Mode::weak}) {
    const std::vector<double>& times = mode == Mode::strong ? kStrong : kWeak;
    for (int i = 0; i < 5; ++i) {
      PointEvidence& p = b.add(mode, 1 << i, repeats(times[static_cast<std::size_t>(i)]));
      p.point.held_fixed = mode == Mode::strong ? "the global grid" : "cells per worker";
      for (RunEvidence& run : p.runs) {
        run.compute_seconds = run.seconds * 0.8;
        run.communication_seconds = run.seconds * 0.15;
        run.hosts = "node1";
      }
    }
  }
  return b.study;
}

StudyAnalysis full_analysis(const StudyEvidence& study) {
  StudyAnalysis all;
  all.summary = summarise(study);
  for (const Curve& curve : all.summary.curves) {
    CurveAnalysis a;
    for (const PointSummary& p : curve.points) {
      a.times.push_back({p.point.k, repeats(p.seconds), 1});
      a.points.push_back(detail(p.seconds, curve.baseline()->seconds, p.point.k, curve.mode));
    }
    if (curve.mode == Mode::strong) {
      a.models = strong_models();
      a.best_intervals =
          ModelIntervals{Bounds{0.048, 0.052}, {0.009, 0.011}, {0, 0.0004}, Bounds{61, 71}};
      a.knees = strong_knees();
      a.predictions = strong_predictions();
      for (const int k : {1, 2, 4, 8, 16, 32}) {
        const double t = a.models.fits.front().coefficients.at(k);
        a.band.push_back(
            {.k = k, .seconds = t, .low = t * (1 - 0.002 * k), .high = t * (1 + 0.002 * k)});
      }
      a.loss = LossShares{"model amdahl_log", 16, 0.2, 0, 0.8, 0};
      a.points[2].stragglers = {{"node1",
                                 {3},
                                 false,
                                 0.12,
                                 false,
                                 "rank 3 on host node1 computes 12% longer than the median rank"}};
      a.points[1].audit = audit();
      a.points[2].audit = audit();
      a.work_depth = WorkDepth{96, 13.8, 16};
      a.intensity = 0.13;
      a.cores_until_memory_bound = 1.6;
      a.warnings = {{WarningCode::equal_times, "a warning of one curve"}};
    } else {
      a.models.notes = {"no model: too few K"};
      a.knees.notes = {"one run at a K: knees have no interval"};
      a.loss = LossShares{"breakdown", 16, 0, 0.3, 0.75, -0.05};
    }
    all.curves.push_back(std::move(a));
  }
  decide_by_these_knees(study, all);
  ShapeContest contest{"default", "jacobi", Mode::strong, {}};
  contest.entries = {
      {4, 4, "1 rank per node, 4 threads per rank, bind core",
       "4 ranks per node, 1 thread per rank, bind core", 1.08,
       Interval{1.05, 1.11, 0.968, "Hodges-Lehmann"}, false},
      {8, 8, "1 rank per node, 4 threads per rank, bind core",
       "4 ranks per node, 1 thread per rank, bind core", 1.01,
       Interval{0.99, 1.03, 0.968, "Hodges-Lehmann"}, true},
      {16, 16, "4 ranks per node, 1 thread per rank, bind core", "", 1, std::nullopt, false}};
  all.shapes = {contest};
  CollectiveAnswer collective;
  collective.case_name = "allreduce";
  AllreduceFit ring;
  ring.cost = {5e-6, 8e-11, 0};
  ring.relative_error = 0.03;
  AllreduceFit tree = ring;
  tree.algorithm = Allreduce::binomial_tree;
  tree.relative_error = 0.21;
  collective.model.fits = {ring, tree};
  collective.model.notes = {"gamma is inside beta"};
  collective.predictions = {
      {104857600, 64, 0.0192, Interval{0.018, 0.021, 0.9, "t"}, true,
       "at K=64 the all-reduce of 104857600 bytes takes 19.2 ms (18 to 21) by "
       "ring, extrapolated"}};
  all.collectives = {collective};
  all.queue = queue();
  all.bad_nodes = bad_nodes();
  all.warnings = {{WarningCode::bad_node, to_sentence(*all.bad_nodes)},
                  {WarningCode::collective_not_fitted, "a warning of the whole study"}};
  return all;
}

Document full_document() {
  StudyEvidence study = full_study();
  StudyAnalysis analysis = full_analysis(study);
  return make_document(std::move(study), std::move(analysis));
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/size.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/models/models.h"
#include "orchestrator/analysis/models/prediction.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cost/billing.h"
#include "orchestrator/model/money.h"

namespace kneepoint {
namespace {

constexpr int kMostNodes = 20'000;
constexpr double kLongestSeconds = 1e9;

Error wrong(const Mix& mix, const MixWorkload& one, const std::string& why) {
  return Error{ErrorCode::invalid, mix.path + ": workload '" + one.name + "': " + why};
}

std::string list_of(const std::vector<MixCurve::At>& points) {
  std::string text;
  for (const MixCurve::At& at : points) text += (text.empty() ? "" : ", ") + std::to_string(at.k);
  return text;
}

// The time of the baseline turns speedups into seconds.
Result<double> seconds_per_unit(const Mix& mix, const MixWorkload& one,
                                const StudyEvidence& evidence) {
  const bool relative = is_relative(evidence);
  if (relative && !one.baseline_seconds) {
    return wrong(mix, one,
                 evidence.id +
                     " holds speedups without times; say how long its smallest K takes, "
                     "such as `baseline: 2h`");
  }
  if (!relative && one.baseline_seconds) {
    return wrong(mix, one, "`baseline` is for studies that were imported without times");
  }
  return one.baseline_seconds.value_or(1);
}

Result<MixCurve> study_curve(const Mix& mix, const MixWorkload& one,
                             const StudyEvidence& evidence) {
  TRY_ASSIGN(const double scale, seconds_per_unit(mix, one, evidence));
  if (evidence.worker != mix.worker) {
    return wrong(mix, one,
                 evidence.id + " counts K in " + to_string(evidence.worker) +
                     "s, and this mix in " + to_string(mix.worker) + "s");
  }
  std::vector<MixCurve> found;
  std::string cases;
  for (const CurveMembers& members : group_curves(evidence)) {
    MixCurve curve;
    curve.study = evidence.id;
    for (const int index : members.points) {
      const PointEvidence& point = evidence.points[index];
      MixCurve::At at{point.point.k, valid_seconds(members, point), false};
      for (double& seconds : at.seconds) seconds *= scale;
      if (!at.seconds.empty()) curve.points.push_back(std::move(at));
      curve.failed +=
          static_cast<int>(std::ranges::count_if(point.runs, [](const RunEvidence& run) {
            return run.finished && run.state != AttemptState::succeeded;
          }));
    }
    if (curve.points.empty()) continue;
    const std::string name = members.case_name + " (" + to_string(members.mode) + ")";
    cases += (cases.empty() ? "" : ", ") + name;
    if (members.mode != one.mode) continue;
    if (!one.case_name.empty() && members.case_name != one.case_name) continue;
    found.push_back(std::move(curve));
  }
  if (found.size() == 1) return found.front();
  const std::string has = evidence.id + " has " + (cases.empty() ? "no valid run" : cases);
  if (found.empty()) {
    return wrong(mix, one,
                 std::string("no ") + to_string(one.mode) + " curve" +
                     (one.case_name.empty() ? "" : " of case '" + one.case_name + "'") + "; " +
                     has);
  }
  return wrong(mix, one, "several curves fit; name one with `case`: " + has);
}

// K between and beyond the measured ones, by the model that fits best.
void add_modelled(const MixWorkload& one, int most, MixCurve& curve) {
  Times times;
  for (const MixCurve::At& at : curve.points) times.push_back({at.k, at.seconds, 1});
  const auto known = ordered(times);
  if (!known) return;
  const ModelsAnswer models = fit_models(one.mode, *known);
  const ModelFit* best = adequate_model(models);
  if (best == nullptr) return;
  const int last = static_cast<int>(std::min<double>(most, kPredictTo * known->back().k));
  for (const int k : one.ks.empty() ? usual_ks(last) : one.ks) {
    const bool there = std::ranges::any_of(curve.points, [&](const auto& at) { return at.k == k; });
    const double seconds = best->coefficients.at(k);
    if (there || k > last || !(seconds > 0)) continue;
    curve.points.push_back({k, {seconds}, true});
  }
  std::ranges::sort(curve.points, [](const auto& a, const auto& b) { return a.k < b.k; });
}

void add_by_law(const MixWorkload& one, int most, MixCurve& curve) {
  const MixModel& model = *one.model;
  for (const int k : one.ks.empty() ? usual_ks(most) : one.ks) {
    const double growth = model.log_coefficient * std::log2(k);
    const double share =
        one.mode == Mode::strong ? model.serial + (1 - model.serial) / k + growth : 1 + growth;
    curve.points.push_back({k, {model.t1_seconds * share}, true});
  }
}

Result<void> keep_allowed(const Mix& mix, const MixWorkload& one, MixCurve& curve) {
  if (one.ks.empty()) return {};
  for (const int k : one.ks) {
    const bool there = std::ranges::any_of(curve.points, [&](const auto& at) { return at.k == k; });
    if (!there) {
      return wrong(mix, one,
                   "K=" + std::to_string(k) +
                       " was not measured; there are K=" + list_of(curve.points) +
                       (mix.modelled ? "" : ", or others with `modelled: true`"));
    }
  }
  std::erase_if(curve.points,
                [&](const auto& at) { return std::ranges::find(one.ks, at.k) == one.ks.end(); });
  return {};
}

Use use_of_job(const Mix& mix, int k) {
  const int nodes = (k + mix.workers_per_node - 1) / mix.workers_per_node;
  const bool gpus = mix.worker == WorkerUnit::gpu;
  return {nodes, gpus ? nodes * mix.workers_per_node : 0, gpus ? 0 : k, k};
}

std::int64_t scaled(std::int64_t micros, double by) {
  return by == 1 ? micros : round_micros(to_units(micros) * by);
}

// What an hour of one node costs, whether it is busy or not.
std::int64_t held_node_hour(const Mix& mix, const PriceItem& item) {
  PriceItem plain = item;  // what is charged for a run as a whole doesn't come with the node
  plain.minimum = plain.setup = plain.teardown = 0;
  plain.granularity = 1;
  plain.per_job = plain.per_hour = 0;
  plain.per_gb_egress = plain.per_gb_hour = 0;
  plain.licences.clear();
  return bill_run(plain, use_of_job(mix, mix.workers_per_node), kHour).total;
}

Result<int> nodes_of(const Mix& mix, std::int64_t node_hour, const PriceBook& book) {
  if (mix.workers) return *mix.workers / mix.workers_per_node;
  const double an_hour = to_units(*mix.budget_micros) / mix.budget_hours;
  const double nodes = std::floor(an_hour / to_units(node_hour) * (1 + 1e-12));
  if (nodes < 1) {
    return Error{ErrorCode::invalid,
                 mix.path + ": budget: buys no node: one costs " +
                     rounded_text({node_hour, book.currency}) + " an hour, and the budget is " +
                     rounded_text({round_micros(an_hour), book.currency}) + " an hour"};
  }
  return static_cast<int>(std::min<double>(nodes, kMostNodes));
}

Result<SizingWorkload> sizing_workload(const Mix& mix, const MixWorkload& one,
                                       const MixCurve& curve, const PriceItem& item,
                                       const WhatIf& factors, std::vector<std::string>& notes) {
  SizingWorkload out;
  out.name = one.name;
  out.mode = one.mode;
  out.per_hour = one.per_hour * factors.load;
  out.periodic = one.periodic;
  out.spread = one.spread;
  out.value = one.value;
  out.deadline_seconds = one.deadline_seconds;
  out.in_time = one.in_time;
  if (curve.failed > 0) {
    notes.push_back(one.name + ": " + counted(curve.failed, "run") + " of " + curve.study +
                    " failed; jobs are taken to succeed, in the time of those that did");
  }
  const int of = one.result_workers.value_or(curve.points.back().k);
  for (const MixCurve::At& at : curve.points) {
    SizingOption option;
    option.k = at.k;
    option.modelled = at.modelled;
    const Use use = use_of_job(mix, at.k);
    option.nodes = use.nodes;
    const double share = one.mode == Mode::weak ? static_cast<double>(of) / at.k : 1;
    for (const double seconds : at.seconds) option.times.push_back(seconds * share);
    option.seconds = median(option.times);
    if (option.seconds > kLongestSeconds) continue;
    const auto time = expected_time(item.spot, use.nodes, from_seconds(option.seconds));
    if (!time) {
      notes.push_back(one.name + ": K=" + std::to_string(at.k) +
                      " is left out: interrupted that often it would practically never end");
      continue;
    }
    // Interruptions lengthen the job as well as its bill.
    const double longer = to_seconds(*time) / option.seconds;
    if (longer > 1 + 1e-9) {
      option.seconds *= longer;
      for (double& seconds : option.times) seconds *= longer;
    }
    option.job_micros = scaled(bill_run(item, use, *time).total, factors.price);
    out.options.push_back(std::move(option));
  }
  if (out.options.empty()) return wrong(mix, one, "no K is left that comes to an end");
  return out;
}

}  // namespace

Result<std::vector<MixCurve>> mix_curves(const Context& context, const Mix& mix) {
  std::unique_ptr<StudyStore> store;
  std::vector<MixCurve> curves;
  for (const MixWorkload& one : mix.workloads) {
    MixCurve curve;
    const int most = mix.workers.value_or(kMostNodes);
    if (!one.study.empty()) {
      if (!store) {
        TRY_ASSIGN(store, open_database(context, StudyStore::Access::read_only));
      }
      const auto row = find_study(*store, one.study);
      if (!row) return row.error().in(mix.path + ": workload '" + one.name + "'");
      TRY_ASSIGN(const StudyEvidence evidence, store->evidence(row->row));
      TRY_ASSIGN(curve, study_curve(mix, one, evidence));
    }
    for (const MixTime& at : one.times) curve.points.push_back({at.k, {at.seconds}, false});
    if (one.model) add_by_law(one, most, curve);
    if (mix.modelled && !one.model) add_modelled(one, most, curve);
    TRY(keep_allowed(mix, one, curve));
    curves.push_back(std::move(curve));
  }
  return curves;
}

Result<SizingMix> sizing_mix(const Mix& mix, const std::vector<MixCurve>& curves,
                             const Prices& prices, const WhatIf& factors,
                             std::vector<std::string>& notes) {
  const auto& [book, item] = prices;
  SizingMix out;
  out.pay = mix.held ? Pay::held : Pay::used;
  out.backfill = mix.backfill;
  out.seed = mix.seed;
  out.node_hour_micros = scaled(held_node_hour(mix, item), factors.price);
  if (mix.held && out.node_hour_micros <= 0) {
    return Error{ErrorCode::invalid, mix.path + ": item '" + item.name + "' of " + book.path +
                                         " has no price for an hour of a " + to_string(mix.worker) +
                                         ", which `pay: held` and " + "`budget` go by"};
  }
  TRY_ASSIGN(out.nodes, nodes_of(mix, out.node_hour_micros, book));
  if (out.nodes > kMostNodes) {
    return Error{ErrorCode::invalid, mix.path + ": workers: " + std::to_string(out.nodes) +
                                         " nodes; at most " + std::to_string(kMostNodes) +
                                         " can be cut"};
  }
  bool charged = false;
  for (std::size_t w = 0; w < mix.workloads.size(); ++w) {
    TRY_ASSIGN(SizingWorkload one,
               sizing_workload(mix, mix.workloads[w], curves[w], item, factors, notes));
    for (const SizingOption& option : one.options) charged = charged || option.job_micros > 0;
    out.workloads.push_back(std::move(one));
  }
  if (!charged) {
    return Error{ErrorCode::invalid, mix.path + ": item '" + item.name + "' of " + book.path +
                                         " charges nothing for jobs whose workers are " +
                                         to_string(mix.worker) + "s"};
  }
  return out;
}

}  // namespace kneepoint

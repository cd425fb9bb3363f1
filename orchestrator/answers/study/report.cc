// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/report.h"

#include <algorithm>
#include <thread>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"

namespace kneepoint {
namespace {

constexpr int kMostThreads = 8;

}  // namespace

AnalysisOptions analysis_options() {
  AnalysisOptions options;
  options.bootstrap.threads =
      std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads);
  return options;
}

AnalysisOptions analysis_options(const StudyEvidence& evidence) {
  AnalysisOptions options = analysis_options();
  options.bootstrap.seed = evidence.seed;
  return options;
}

ReportAnswer analyse_priced(StudyEvidence evidence, const std::optional<Prices>& prices,
                            const GateOptions& builds) {
  AnalysisOptions options = analysis_options();
  options.builds = builds;
  ReportAnswer answer;
  answer.analysis = analyse(evidence, options);
  answer.study = std::move(evidence);
  if (prices && !is_relative(answer.study)) {
    answer.prices = prices;
    answer.costs = cost_curves(answer.study, answer.analysis, prices->book, prices->item,
                               analysis_options(answer.study).bootstrap);
  }
  return answer;
}

Result<ReportAnswer> report_study(const Context& context, const ReportRequest& request) {
  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, request.study));
  TRY_ASSIGN(const std::optional<Prices> prices, prices_of(request.prices, row));
  TRY_ASSIGN(StudyEvidence evidence, store->evidence_in_detail(row.row));
  if (request.prices.book && is_relative(evidence)) {
    return wrong_flag("--prices", evidence.id +
                                      " holds speedups without times: see kneepoint recommend "
                                      "--baseline");
  }
  // A plan that this version can't read leaves the thresholds at their defaults.
  const auto both = read_stored_plan(row.plan_text, row.plan_path, row.site_text);
  return analyse_priced(std::move(evidence), prices, both ? both->plan.gate : GateOptions{});
}

}  // namespace kneepoint

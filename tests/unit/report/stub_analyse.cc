// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/study_analysis.h"
namespace kneepoint {
StudyAnalysis analyse(const StudyEvidence& evidence, const AnalysisOptions& options) {
  StudyAnalysis out;
  out.summary = summarise(evidence);
  for (const Curve& c : out.summary.curves) {
    CurveAnalysis a;
    Times times;
    for (const PointSummary& p : c.points) {
      a.points.emplace_back();
      TimesAtK at{p.point.k, {}, 1};
      for (const auto& r : evidence.points[p.index].runs)
        if (r.state == AttemptState::succeeded) at.seconds.push_back(r.seconds);
      if (!at.seconds.empty()) times.push_back(at);
    }
    if (!times.empty()) {
      a.times = *ordered(times);
      a.models = fit_models(c.mode, a.times);
      KneeOptions ko;
      ko.floors = {evidence.knee_floor, 0.8, 0.5};
      ko.bootstrap = options.bootstrap;
      a.knees = find_knees(c.mode, a.times, ko);
      if (!a.models.fits.empty()) {
        a.best_intervals = model_intervals(c.mode, a.times, a.models.fits.front().terms);
        a.predictions =
            predict_times(a.times, a.models, {2 * a.times.back().k, 4 * a.times.back().k}, {});
      }
    }
    out.curves.push_back(a);
  }
  return out;
}
}  // namespace kneepoint

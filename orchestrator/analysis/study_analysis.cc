// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/study_analysis.h"

#include "orchestrator/analysis/parts.h"
#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

// A weak curve alone can't give the serial fraction: its strong sibling's best model does.
void add_scaled_speedups(StudyAnalysis& study) {
  for (std::size_t w = 0; w < study.curves.size(); ++w) {
    const Curve& weak = study.summary.curves[w];
    if (weak.mode != Mode::weak) continue;
    for (std::size_t s = 0; s < study.curves.size(); ++s) {
      const Curve& strong = study.summary.curves[s];
      if (strong.mode != Mode::strong || strong.build != weak.build ||
          strong.case_name != weak.case_name || strong.shape_name != weak.shape_name ||
          strong.provenance != weak.provenance || study.curves[s].models.fits.empty()) {
        continue;
      }
      const auto& serial = study.curves[s].models.fits.front().serial_fraction;
      if (serial) add_gustafson(weak, *serial, study.curves[w].points);
      break;
    }
  }
}

// Runs of one allocation share more than their nodes, so that shuffling them proves nothing.
BadNodeVerdict look_for_bad_nodes(const StudyEvidence& evidence, const QueueUse& queue,
                                  std::uint64_t seed) {
  if (queue.packed) {
    BadNodeVerdict verdict;
    verdict.why_not =
        "runs were packed: the steps of an allocation are on nested nodes, so that a node can't be "
        "told from its allocation; one job per run can tell";
    return verdict;
  }
  BadNodeOptions options;
  options.seed = seed;
  return find_bad_nodes(evidence, options);
}

void add_queue(const StudyEvidence& evidence, std::uint64_t seed, StudyAnalysis& study) {
  study.queue = queue_use(evidence);
  if (!study.queue) return;
  study.bad_nodes = look_for_bad_nodes(evidence, *study.queue, seed);
  if (!study.bad_nodes->bad.empty()) {
    study.warnings.push_back({"bad_node", to_sentence(*study.bad_nodes)});
  }
}

}  // namespace

StudyAnalysis analyse(const StudyEvidence& evidence, const AnalysisOptions& options) {
  StudyAnalysis study;
  study.summary = summarise(evidence);
  AnalysisOptions seeded = options;
  if (seeded.bootstrap.seed == 0) seeded.bootstrap.seed = evidence.seed;
  const std::vector<CurveMembers> members = group_curves(evidence);
  ENSURE(members.size() == study.summary.curves.size(), "one summary for each curve");
  study.curves.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    study.curves.push_back(analyse_curve(evidence, members[i], study.summary.curves[i], seeded));
  }
  add_scaled_speedups(study);
  study.shapes = contests(evidence, study.warnings);
  study.collectives = collective_answers(evidence, study.warnings);
  study.builds = compare_builds(evidence, options.builds);
  add_queue(evidence, seeded.bootstrap.seed, study);
  if (evidence.points.empty()) {
    study.warnings.push_back({"no_points", "the study has no points: nothing is computed"});
  }
  return study;
}

}  // namespace kneepoint

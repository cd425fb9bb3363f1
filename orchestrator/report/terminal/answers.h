// SPDX-License-Identifier: Apache-2.0
//
// Answers as text for a terminal: words first, in lines of at most `width` columns, then the
// tables. As JSON an answer is what its struct describes (base/json_put.h).
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/result.h"

namespace kneepoint {

struct RecommendAnswer;
struct CompareAnswer;
struct AuditAnswer;
struct SizeAnswer;
struct ImportAnswer;
struct RunStory;
struct PredictAnswer;
struct IsoPrediction;
struct TrainingAnswer;
struct UtilisationAnswer;
struct StudyPrediction;
struct CurvePrediction;
struct Mix;
struct SizedCut;

std::string to_text(const RecommendAnswer& answer, int width);
std::string to_text(const CompareAnswer& answer, int width);
std::string to_text(const AuditAnswer& answer, int width);
std::string to_text(const SizeAnswer& answer, int width);
std::string to_text(const ImportAnswer& answer, int width);
std::string to_text(const RunStory& story);

std::string to_text(const PredictAnswer& answer, int width);
std::string to_text(const IsoPrediction& answer, int width);
std::string to_text(const TrainingAnswer& answer, int width);
std::string to_text(const UtilisationAnswer& answer, int width);
std::string to_text(const StudyPrediction& answer, int width);
// With the sentences of what was refused, and warnings.
std::string to_json(const StudyPrediction& answer);

// Of a study's curve, one sentence each, without the full stop: what has no prediction, and why not
// to believe the rest too readily.
std::vector<std::string> refusals_of(const CurvePrediction& curve);
std::vector<std::string> warnings_of(const CurvePrediction& curve);

// A cut as configuration, to be looked at and pasted; nothing is applied. `nodes`: of the whole
// cluster. Kubernetes is refused where it is not known what a worker asks of it.
std::string slurm_config(const Mix& mix, int nodes, const SizedCut& cut);
Result<std::string> kubernetes_config(const Mix& mix, int nodes, const SizedCut& cut);

}  // namespace kneepoint

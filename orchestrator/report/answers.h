// SPDX-License-Identifier: Apache-2.0
//
// The answer in words: which K to use on each curve by the plan's knee rule, one sentence per
// curve, and the one line that opens a report. What is said was decided in analysis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/analysis/study_analysis.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

// One curve and all that was found about it. Points into the study it was made of.
struct CurveView {
  const Curve* curve = nullptr;
  const KneeAnswer* floor_knee = nullptr;  // by the plan's floor
  const RecommendedK* to_use = nullptr;    // by the plan's rule
  const CurveAnalysis* analysis = nullptr;
  std::string label;

  const PointSummary* largest() const { return curve->largest(); }
};

// Where its times come from, when it is not from runs of ours.
bool is_simulated(const StudyEvidence& study);
bool is_imported(const StudyEvidence& study);

// "jacobi strong", with build, shape and provenance where the study has several. One per curve.
std::vector<std::string> curve_labels(const StudySummary& summary);

std::vector<CurveView> curve_views(const StudyAnalysis& analysis);

// The knee by the plan's rule; nullptr when that rule has no answer on this curve.
const Knee* decisive_knee(const CurveView& view);

// The curves of one case: build, case, shapes and provenance are the same, at most one of each
// mode. Indexes into `views`, in their order.
std::vector<std::vector<std::size_t>> curves_by_case(const std::vector<CurveView>& views);

// The parts of a curve's sentence; "" where there is nothing to say.
struct CurveAnswer {
  std::string none;        // why there is no answer; all else is empty then
  std::string rule;        // "the rule usl_peak has no answer here"
  std::string knee;        // "the knee is K=6.2 (6 to 6.4) at a floor of 0.7"
  std::optional<int> k;    // to use
  std::string efficiency;  // there: "E 0.813 [0.810, 0.816]"
  std::string possible;    // "K=8 is possible (E ...)"
  std::string limit;       // "80% of the loss at K=16 is communication"
  std::string turning;     // "beyond K=66 the job gets slower"
  std::string relative;    // "all relative to K0=2"
};
CurveAnswer answer_of(const CurveView& view);

// "load imbalance": a part of a loss.
const char* loss_name(LossPart part);

// "6.3", "66": a K that may lie between whole ones.
std::string k_text(double k);

// "jacobi strong: the knee is K=6.2 (6.1 to 6.3) at a floor of 0.7, so use K=4 (...); ...".
std::string sentence_of(const CurveView& view);

// One line for the whole study.
std::string headline_of(const StudySummary& summary, const std::vector<std::string>& labels);

// ---- What a reader must know before believing the tables, and whether the study is red. Nothing
// here depends on wall-clock time or on the number of attempts.

std::vector<std::string> notes_of(const StudyEvidence& study, const StudySummary& summary,
                                  const std::vector<std::string>& labels);

// "" when the study is not red. A study that still runs is red only for points that are all failed.
std::string red_reason_of(const StudyEvidence& study, const StudySummary& summary,
                          const std::vector<std::string>& labels);

// ---- The five questions that one asks of any scaling proposal, answered from the study. What the
// study can't answer is "not known", with what to measure.

struct QuestionAnswer {
  std::vector<std::string> about;  // labels of curves or names of cases; empty: the whole study
  bool known = true;
  std::string text;
  bool needs_prices = false;  // they would make it known
  static constexpr auto fields() {
    using T = QuestionAnswer;
    return described(one_line, KP_NAMED(about, known, text));
  }
};

struct Question {
  std::string question;
  std::vector<QuestionAnswer> answers;  // equal answers are one; never empty
  KP_DESCRIBED(Question, question, answers);
};

std::vector<Question> questions_of(const StudyAnalysis& analysis,
                                   const std::vector<CurveView>& views);

// Prices are known: no more "not known" of money.
void answer_prices(const std::string& currency, std::vector<Question>& questions);

// "jacobi strong, jacobi weak: not known: ..."; at most four names.
std::string to_line(const QuestionAnswer& answer);
// All answers for a person to read: the first six, then how many more there are.
std::vector<std::string> to_lines(const Question& question);

}  // namespace kneepoint

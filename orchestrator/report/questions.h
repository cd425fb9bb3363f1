// SPDX-License-Identifier: Apache-2.0
//
// The five questions that one asks of any scaling proposal, answered from the study. What the study
// can't answer is "not known", with what to measure.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/report/answers.h"

namespace kneepoint {

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

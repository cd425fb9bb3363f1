// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/answers.h"

#include <gtest/gtest.h>

#include "orchestrator/report/document.h"
#include "tests/unit/analysis/evidence_builder.h"
#include "tests/unit/report/full_analysis.h"

namespace kneepoint {
namespace {

std::vector<std::string> lines_of(const Document& document, std::size_t question) {
  std::vector<std::string> lines;
  for (const QuestionAnswer& answer : document.questions.at(question).answers) {
    lines.push_back(to_line(answer));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Questions, AreFiveInAFixedOrder) {
  const Document document = full_document();
  ASSERT_EQ(document.questions.size(), 5u);
  EXPECT_EQ(document.questions[0].question, "What is the serial fraction?");
  EXPECT_EQ(document.questions[1].question, "Does the problem grow with the cluster?");
  EXPECT_EQ(document.questions[2].question, "Is it compute or memory bound?");
  EXPECT_EQ(document.questions[3].question, "What do the collectives cost?");
  EXPECT_EQ(document.questions[4].question, "Does the efficiency justify the money?");
  for (const Question& question : document.questions) EXPECT_FALSE(question.answers.empty());
}

TEST(Questions, TheSerialFractionComesFromTheBestModel) {
  EXPECT_EQ(lines_of(full_document(), 0),
            (Lines{"jacobi strong: 5.0% (4.8% to 5.2%) by the model amdahl_log: no speedup above "
                   "20.0, 34% of it reached"}));
}

TEST(Questions, WithTwoKItIsKarpFlattsAndTheMissingKAreNamed) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0, 1.01, 0.99, 1.0, 1.02});
  b.add(Mode::strong, 2, {0.55, 0.551, 0.549, 0.55, 0.552});
  StudyAnalysis analysis;
  analysis.summary = summarise(b.study);
  analysis.curves.resize(1);
  analysis.curves[0].models.not_fitted = {{"amdahl", kOne | kInverseK, {4, 8}, "it needs 4 K"}};
  const Document document = make_document(b.study, std::move(analysis));
  ASSERT_EQ(lines_of(document, 0).size(), 1u);
  EXPECT_NE(lines_of(document, 0)[0].find("by Karp-Flatt at K=2; serial work and overhead cannot "
                                          "be separated with these K; add K=4, 8"),
            std::string::npos)
      << lines_of(document, 0)[0];
}

TEST(Questions, AWeakStudyDoesNotKnowItAndSaysWhatToMeasure) {
  EvidenceBuilder b;
  b.add(Mode::weak, 1, {1.0, 1.01});
  b.add(Mode::weak, 2, {1.1, 1.11});
  StudyAnalysis analysis;
  analysis.summary = summarise(b.study);
  analysis.curves.resize(1);
  const Document document = make_document(b.study, std::move(analysis));
  EXPECT_EQ(lines_of(document, 0),
            (Lines{"not known: a problem that grows can't show it; measure mode strong"}));
  EXPECT_EQ(lines_of(document, 1),
            (Lines{"jacobi: not known: only a problem that grows was measured; if yours is fixed, "
                   "measure mode strong"}));
  EXPECT_EQ(lines_of(document, 3),
            (Lines{"jacobi weak: not known: the ranks reported no split of their time; measure a "
                   "program that does"}));
}

TEST(Questions, BothModesAreCompared) {
  EXPECT_EQ(lines_of(full_document(), 1),
            (Lines{"jacobi: measured both ways: strong scaling pays to K=4, weak scaling up to the "
                   "largest, K=16; growing the problem is the way to use more workers"}));
}

TEST(Questions, TheRooflineNamesTheLimit) {
  const Lines lines = lines_of(full_document(), 2);
  EXPECT_EQ(lines[0],
            "jacobi strong: memory bound at K=16: 0.13 flops per byte, the limits meet at 4.2; the "
            "node's memory is the limit from 2 cores on");
}

TEST(Questions, CollectivesAreSharesOfTAndWhatTheFitPredicts) {
  const Lines lines = lines_of(full_document(), 3);
  EXPECT_EQ(lines.back().rfind("allreduce: at K=64 the all-reduce of 104857600 bytes", 0), 0u);
  EXPECT_EQ(lines[0].rfind("jacobi strong, jacobi weak: 15% of T is communication at K=16", 0), 0u)
      << lines[0];
}

TEST(Questions, MoneyIsWorkerTimeAndSaysThatItIs) {
  const Lines lines = lines_of(full_document(), 4);
  EXPECT_EQ(
      lines[0],
      "jacobi strong: at K=4 each result takes 23% more worker-hours than at K=1, at K=16 139% "
      "more; by the plan's rule it pays up to K=4");
  EXPECT_EQ(lines.back().rfind("not known: prices", 0), 0u);
}

TEST(Questions, EqualAnswersAreOneWithAtMostFourNames) {
  EvidenceBuilder b;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) b.add(Mode::strong, 1, {1.0}, name);
  StudyAnalysis analysis;
  analysis.summary = summarise(b.study);
  analysis.curves.resize(6);
  const Document document = make_document(b.study, std::move(analysis));
  EXPECT_EQ(lines_of(document, 0),
            (Lines{"a strong, b strong, c strong, d strong, 2 more: not known: measure a second "
                   "K"}));
}

TEST(Questions, ManyDifferentAnswersAreCutForPeople) {
  Question question{"What?", {}};
  for (int i = 0; i < 9; ++i) question.answers.push_back({{}, true, std::to_string(i)});
  const Lines lines = to_lines(question);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines.back(), "and 3 more answers; --json has them all");
}

}  // namespace
}  // namespace kneepoint

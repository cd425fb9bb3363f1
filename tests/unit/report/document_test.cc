// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/document.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/analysis/evidence_builder.h"
#include "tests/unit/report/full_analysis.h"
#include "tests/unit/report/sample_study.h"

namespace kneepoint {
namespace {

StudyEvidence with_rule(const std::string& rule) {
  StudyEvidence study = full_study();
  study.knee_rule = rule;
  return study;
}

std::string strong_sentence(const std::string& rule) {
  const StudyEvidence study = with_rule(rule);
  return make_document(study, full_analysis(study)).sentences.front();
}

bool has_note(const Document& document, const std::string& part) {
  return std::any_of(document.notes.begin(), document.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

const std::vector<double> kTimesAtOne = {1.00, 1.01, 0.99, 1.00, 1.02};

std::vector<double> times(double factor) {
  std::vector<double> out = kTimesAtOne;
  for (double& t : out) t *= factor;
  return out;
}

TEST(Document, OneCurveAnswersInOneLine) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, kTimesAtOne);
  b.add(Mode::strong, 2, times(0.55));
  const Document document = make_document(b.study);
  EXPECT_EQ(document.headline, "use K=2 for jacobi strong");
  EXPECT_EQ(document.sentences,
            std::vector<std::string>{"jacobi strong: the knee is beyond K=2 at a floor of 0.7, so "
                                     "use K=2 (E 0.909 [0.891, 0.927])"});
  EXPECT_FALSE(document.red);
  EXPECT_EQ(document.red_reason, "");
  EXPECT_TRUE(has_note(document, "Intervals are over runs"));
}

TEST(Document, RecommendsWhatIsSureAndNamesWhatIsPossible) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, kTimesAtOne);
  b.add(Mode::strong, 2, times(0.55));
  b.add(Mode::strong, 4, times(0.356));
  const Document document = make_document(b.study);
  EXPECT_EQ(document.headline, "use K=2 for jacobi strong");
  EXPECT_EQ(document.sentences.front(),
            "jacobi strong: the knee is beyond K=4 at a floor of 0.7, so use K=2 (E 0.909 [0.891, "
            "0.927]); K=4 is possible (E 0.702 [0.688, 0.716])");
}

TEST(Document, WithOneRunAtAPointItSaysThatThereIsNoInterval) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0});
  b.add(Mode::strong, 2, {0.55});
  b.add(Mode::strong, 4, {0.5});
  const Document document = make_document(b.study);
  EXPECT_EQ(document.sentences.front(),
            "jacobi strong: the knee is K=2.7 at a floor of 0.7, so use K=2 (E 0.909, no "
            "interval)");
  EXPECT_TRUE(has_note(document, "One run at a point has no interval"));
}

TEST(Document, ThreeRunsCarryTheWordsThatTheyMust) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0, 1.01, 0.99});
  b.add(Mode::strong, 2, {0.55, 0.56, 0.54});
  EXPECT_TRUE(has_note(make_document(b.study),
                       "n=3: no distribution-free 95% interval exists; Welch's t on logs"));
}

TEST(Document, UnderTheFloorAtOnceRecommendsTheBaseline) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, kTimesAtOne);
  b.add(Mode::strong, 2, times(0.95));
  EXPECT_EQ(make_document(b.study).sentences.front(),
            "jacobi strong: the knee is below K=2 at a floor of 0.7, so use K=1 (the baseline)");
}

TEST(Document, CurvesWithoutAnAnswerComeLastInTheHeadline) {
  EvidenceBuilder b;
  auto& dead = b.add(Mode::strong, 1, {});
  b.add_run(dead, RunEvidence{});
  b.add(Mode::weak, 1, kTimesAtOne);
  b.add(Mode::weak, 2, kTimesAtOne);
  EXPECT_EQ(make_document(b.study).headline,
            "use K=2 for jacobi weak, no answer for jacobi strong");
}

TEST(Document, AStudyInWhichNothingRanIsRed) {
  EvidenceBuilder b;
  auto& p = b.add(Mode::strong, 1, {});
  b.add_run(p, RunEvidence{});
  b.study.state = "interrupted";
  const Document document = make_document(b.study);
  EXPECT_TRUE(document.red);
  EXPECT_EQ(document.red_reason, "nothing ran");
  EXPECT_EQ(document.headline, "no answer for jacobi strong");
  EXPECT_EQ(document.sentences.front(), "jacobi strong: no answer, no point has a valid run");
  EXPECT_EQ(to_terminal(document, {}).rfind("RED: nothing ran", 0), 0u);
}

TEST(Document, AStudyWithoutPointsIsRed) {
  StudyEvidence study;
  study.state = "finished";
  const Document document = make_document(study);
  EXPECT_EQ(document.red_reason, "nothing ran: the study has no points");
  EXPECT_EQ(document.headline, "no answer: the study has no points");
}

TEST(Document, AStudyThatRunsStillIsNotRedForWhatHasNotRun) {
  EvidenceBuilder b;
  auto& p = b.add(Mode::strong, 1, {});
  b.add_run(p, RunEvidence{});
  b.study.state = "running";
  const Document document = make_document(b.study);
  EXPECT_FALSE(document.red) << document.red_reason;
  EXPECT_TRUE(has_note(document, "The study is running: 0 of 1 runs are done"));
}

TEST(Document, AStudyWhoseEveryRunFailedIsRed) {
  EvidenceBuilder b;
  for (const int k : {1, 2}) {
    auto& p = b.add(Mode::strong, k, {});
    for (int i = 0; i < 2; ++i) b.add_run(p, failed_run(AttemptState::failed, Reason::exit_code));
  }
  const Document document = make_document(b.study);
  EXPECT_TRUE(document.red);
  EXPECT_EQ(document.red_reason,
            "every run of the study failed: jacobi strong K=1: exit_code (r1, r2); jacobi strong "
            "K=2: exit_code (r3, r4)");
}

TEST(Document, APointWhoseEveryRunFailedIsRedAndNamed) {
  const Document document = make_document(study_without_baseline());
  EXPECT_TRUE(document.red);
  EXPECT_NE(document.red_reason.find("every run failed at 2 of 5 points: jacobi strong K=1"),
            std::string::npos)
      << document.red_reason;
  EXPECT_NE(document.sentences.front().find("relative to K0=2"), std::string::npos)
      << document.sentences.front();
}

TEST(Document, AFewFailedRepeatsAreNotedButNotRed) {
  const Document document = make_document(sample_study());
  EXPECT_FALSE(document.red);
  EXPECT_TRUE(has_note(document, "jacobi strong K=4: 1 of 5 repeats failed: wrong_answer (r15)"));
  EXPECT_TRUE(has_note(document, "oversubscribed (jacobi strong K=4; jacobi weak K=4)"));
  EXPECT_TRUE(has_note(document, "emulated (synthetic strong K=1, 2, 4, 8, 16)"));
}

TEST(Document, FiguresOfAStandInForAGpuAreNowhereShownAsAGpus) {
  EvidenceBuilder b;
  for (const int k : {1, 2}) {
    auto& p = b.add(Mode::strong, k, {1.0 / k, 1.01 / k});
    for (auto& run : p.runs) run.provenance = "device=CPU stand-in (no GPU); program=1";
  }
  b.study.worker = WorkerUnit::gpu;
  const Document document = make_document(b.study);
  EXPECT_NE(document.headline.find("(CPU stand-in, no GPU)"), std::string::npos);
  ASSERT_FALSE(document.findings.empty());
  EXPECT_NE(document.findings.front().find("no figure here is one of a GPU"), std::string::npos);
  EXPECT_TRUE(has_note(document, "CPU stand-in, no GPU ("));
  for (const std::string& text :
       {to_terminal(document, {}), to_markdown(document), to_csv(document), to_json(document)}) {
    EXPECT_NE(text.find("CPU stand-in, no GPU"), std::string::npos) << text;
  }
  EXPECT_NE(to_json(document).find("\"stand_in\": true"), std::string::npos);
  const Document other = make_document(sample_study());
  EXPECT_EQ(to_json(other).find("stand_in"), std::string::npos);
}

TEST(Document, ManyFailuresAreCountedRatherThanListed) {
  EvidenceBuilder b;
  for (int k = 1; k <= 20; ++k) {
    auto& p = b.add(Mode::strong, k, {1.0 / k});
    for (int i = 0; i < 12; ++i) b.add_run(p, failed_run(AttemptState::lost, Reason::node_failed));
  }
  const Document document = make_document(b.study);
  EXPECT_TRUE(has_note(document, "K=1: 12 of 13 repeats failed: node_failed (12 runs)"));
  EXPECT_TRUE(has_note(document, "and 10 more points with failed repeats"));
  EXPECT_LT(document.notes.size(), 20u);
}

TEST(Document, SimulatedTimesAreCalledThat) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, kTimesAtOne);
  b.study.backend = "simulated";
  EXPECT_TRUE(has_note(make_document(b.study), "no machine was measured"));
}

TEST(Document, ManyCurvesAreNamedInTheHeadlineUpToFour) {
  EvidenceBuilder b;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    b.add(Mode::strong, 1, kTimesAtOne, name);
    b.add(Mode::strong, 2, times(0.55), name);
  }
  const Document document = make_document(b.study);
  EXPECT_EQ(document.headline,
            "use K=2 for a strong, K=2 for b strong, K=2 for c strong, K=2 for d strong, and 2 "
            "more curves");
  EXPECT_EQ(document.sentences.size(), 6u);
}

TEST(Document, BuildsAndShapesAreNamedWhereThereAreSeveral) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, kTimesAtOne);
  b.add(Mode::strong, 1, kTimesAtOne).point.build = "new";
  b.add(Mode::strong, 1, kTimesAtOne).point.shape.threads_per_rank = 2;
  const Document document = make_document(b.study);
  EXPECT_EQ(document.sentences[1], "jacobi strong, build new: no answer, only K=1 has a valid run");
  EXPECT_EQ(document.sentences[2],
            "jacobi strong, build default, 1 rank per node, 2 threads per rank, bind core: no "
            "answer, only K=1 has a valid run");
}

TEST(Document, SuperlinearCarriesAFlagAndANote) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, kTimesAtOne);
  b.add(Mode::strong, 2, times(0.4));
  const Document document = make_document(b.study);
  EXPECT_TRUE(has_note(document, "E>1 (jacobi strong K=2): more than ideal needs a cause"));
  EXPECT_NE(to_terminal(document, {}).find("E>1 (superlinear; see methods)"), std::string::npos);
}

TEST(Document, OneSentenceHoldsKneeCauseAndEnd) {
  EXPECT_EQ(strong_sentence("efficiency"),
            "jacobi strong: the knee is K=6.2 (6 to 6.4) at a floor of 0.7, so use K=4 (E 0.813 "
            "[0.810, 0.816]); communication explains 80% of the loss at K=16; the model amdahl_log "
            "has it slower beyond about K=58, extrapolated");
}

TEST(Document, TheRuleOfThePlanDecides) {
  const std::pair<const char*, const char*> expected[] = {
      {"power", "the knee is K=8 (7.8 to 8.2) by the rule power, so use K=8 "},
      {"marginal", "the knee is K=8 (7.8 to 8.2) by the rule marginal, so use K=8 "},
      {"min_time", "the knee is beyond K=16 by the rule min_time, so use K=16 "},
      {"usl_peak", "beyond K=16 by the rule usl_peak (extrapolated: about K=61), so use K=16 "},
      {"kneedle", "the knee is K=7 (6.8 to 7.2) by the rule kneedle, so use K=4 "},
  };
  for (const auto& [rule, part] : expected) {
    EXPECT_NE(strong_sentence(rule).find(part), std::string::npos) << strong_sentence(rule);
  }
}

TEST(Document, ARuleWithoutAnAnswerLeavesItToTheFloor) {
  const StudyEvidence study = with_rule("usl_peak");
  const Document document = make_document(study, full_analysis(study));
  EXPECT_EQ(document.sentences[1].rfind("jacobi weak: the rule usl_peak has no answer here; the "
                                        "knee is beyond K=16 at a floor of 0.7, so use K=16",
                                        0),
            0u)
      << document.sentences[1];
}

TEST(Document, InsideTheRangeTheTurnIsStatedPlainly) {
  const StudyEvidence study = full_study();
  StudyAnalysis analysis = full_analysis(study);
  analysis.curves[0].models.fits[0].fastest_k = 11.2;
  analysis.curves[0].models.fits[0].fastest_in_range = true;
  const Document document = make_document(study, std::move(analysis));
  EXPECT_NE(document.sentences[0].find("; beyond K=11 the job gets slower"), std::string::npos)
      << document.sentences[0];
}

}  // namespace
}  // namespace kneepoint

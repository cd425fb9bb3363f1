// SPDX-License-Identifier: Apache-2.0
//
// What the gate keeps: nothing is overwritten, everything comes back as it was put.
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

class GateBookTest : public StoreTest {};

TEST_F(GateBookTest, ABaselineIsReplacedAndStaysListed) {
  auto store = open();
  EXPECT_FALSE(store->baseline("a-00000000").value());
  const PinnedBuild all{"", BuildKind::path, "/opt/app", "abc"};
  const PinnedBuild one{"jacobi", BuildKind::image, "r/app:1", ""};
  ASSERT_TRUE(store->put_baseline({"a-00000000", "a-00000000-3", "why", "me", 7, 0, {all, one}}));
  const auto first = store->baseline("a-00000000").value();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->study, "a-00000000-3");
  EXPECT_EQ(first->builds, (std::vector<PinnedBuild>{all, one}));
  EXPECT_EQ(*first->build_of("jacobi"), one);
  EXPECT_EQ(*first->build_of("other"), all);
  ASSERT_TRUE(store->put_baseline({"a-00000000", "a-00000000-9", "", "", 8, 0, {}}));
  ASSERT_TRUE(store->put_baseline({"b-00000000", "b-00000000-1", "", "", 9, 0, {}}));
  const auto list = store->baselines().value();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_GT(list[2].dropped_ns, 0);
  EXPECT_EQ(list[2].builds.size(), 2u);
  EXPECT_EQ(store->baseline("a-00000000").value()->build_of("jacobi"), nullptr);
  EXPECT_TRUE(store->drop_baseline("a-00000000").value());
  EXPECT_FALSE(store->drop_baseline("a-00000000").value());
  EXPECT_TRUE(store->baseline("b-00000000").value());
}

TEST_F(GateBookTest, AChangeIsAcknowledgedOnce) {
  auto store = open();
  EXPECT_TRUE(store->put_acknowledged({"a-0", "a-0-3", "first", "me", 1}).value());
  EXPECT_FALSE(store->put_acknowledged({"a-0", "a-0-3", "second", "you", 2}).value());
  const auto list = store->acknowledged("a-0").value();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].note, "first");
  EXPECT_TRUE(store->acknowledged("b-0").value().empty());
}

TEST_F(GateBookTest, ImportedNightsComeByDateAllOrNone) {
  auto store = open();
  const ImportedTime time{"app", Mode::weak, 4, 1.5};
  ASSERT_TRUE(store->put_imported_nights(
      {"a-0", "h.csv", "hash", {{"2", 2, "v2", {time, time}}, {"1", 1, "", {time}}}}));
  const auto again = store->put_imported_nights(
      {"a-0", "h.csv", "hash", {{"3", 3, "", {time}}, {"1", 1, "", {}}}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::exists);
  const auto nights = store->imported_nights("a-0").value();
  ASSERT_EQ(nights.size(), 2u);
  EXPECT_EQ(nights[0].night, "1");
  EXPECT_EQ(nights[1].build, "v2");
  EXPECT_EQ(nights[1].times, (std::vector<ImportedTime>{time, time}));
  EXPECT_EQ(store->drop_imported_nights("a-0").value(), 2);
}

TEST_F(GateBookTest, TheNewestCalibrationCounts) {
  auto store = open();
  Calibration noise{"a-0", 5, 0.02, 0.01, std::nullopt, 0.03, 0.04, 5, 20, 7, 25};
  ASSERT_TRUE(store->put_calibration(noise));
  noise.made_ns = 6;
  noise.node_sd = 0.5;
  ASSERT_TRUE(store->put_calibration(noise));
  const auto found = store->calibration("a-0").value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->made_ns, 6);
  EXPECT_EQ(found->night_sd, 0.01);
  EXPECT_EQ(found->node_sd, 0.5);
  EXPECT_EQ(found->recommended_history, 25);
  EXPECT_FALSE(store->calibration("b-0").value());
}

TEST_F(GateBookTest, AVerdictIsKeptWhenItSaysSomethingElse) {
  auto store = open();
  const StudyRow study = create(*store);
  const std::string series = study.name + "-" + study.hash8;
  EXPECT_TRUE(store->put_verdict({study.id, "PASS", "why", "line", 1}).value());
  EXPECT_FALSE(store->put_verdict({study.id, "PASS", "why", "line", 2}).value());
  EXPECT_TRUE(store->put_verdict({study.id, "SUSPECT", "why", "line", 2}).value());
  EXPECT_FALSE(store->put_verdict({"nobody", "PASS", "", "", 1}));
  const auto list = store->verdicts(series).value();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].verdict, "SUSPECT");
  EXPECT_EQ(store->verdicts("").value().size(), 1u);
  EXPECT_TRUE(store->verdicts("other-0").value().empty());
  ASSERT_TRUE(store->delete_study(study.row));
  EXPECT_TRUE(store->verdicts("").value().empty());
}

TEST_F(GateBookTest, ANightHasTheValidRunsAndWhatTheyRanOn) {
  auto store = open();
  const StudyRow study = create(*store);
  put_matrix(*store, study.row);
  const auto runs = store->runs(study.row).value();
  const auto end = [&](const RunRow& run, int number, AttemptState state, double seconds,
                       std::vector<Fact> facts) {
    const AttemptRow attempt = store->put_attempt(run.row, number, "a").value();
    AttemptResult result;
    result.seconds = seconds;
    result.compute_seconds = seconds / 2;
    result.facts = std::move(facts);
    if (state == AttemptState::succeeded) {
      ASSERT_TRUE(store->put_result(attempt.row, result));
    }
    drive(*store, attempt, state,
          state == AttemptState::succeeded ? Reason::none : Reason::exit_code);
  };
  const Fact node{"n1", "cpu.model", "A"}, program{"run", "program.hash", "f00"};
  end(runs[0], 1, AttemptState::failed, 0, {});
  end(runs[0], 2, AttemptState::succeeded, 3, {node, program, {"n1", "load", "7"}});
  end(runs[3], 1, AttemptState::succeeded, 4, {{"n2", "cpu.model", "B"}, program});
  end(runs[1], 1, AttemptState::failed, 0, {});
  const GateNight night = store->gate_night(study.row).value();
  EXPECT_EQ(night.id, study.id);
  EXPECT_EQ(night.environment, "cpu.model=A + B");
  EXPECT_EQ(night.program, "f00");
  ASSERT_EQ(night.points.size(), 1u);
  EXPECT_EQ(night.points[0].key, make_point(1).key());
  EXPECT_EQ(night.points[0].seconds, (std::vector<double>{3, 4}));
  EXPECT_EQ(night.points[0].compute, (std::vector<double>{1.5, 2}));
  EXPECT_FALSE(store->gate_night(99));
}

TEST_F(GateBookTest, StudiesOfASeriesGoByTheirNumber) {
  auto store = open();
  create(*store, "jacobi", "0a1b2c3d", 2);
  create(*store, "jacobi", "0a1b2c3d", 1);
  create(*store, "jacobi", "ffffffff", 1);
  create(*store, "other", "0a1b2c3d", 1);
  const auto studies = store->series_studies("jacobi", "0a1b2c3d").value();
  ASSERT_EQ(studies.size(), 2u);
  EXPECT_EQ(studies[0].n, 1);
  EXPECT_EQ(studies[1].id, "jacobi-0a1b2c3d-2");
  EXPECT_EQ(store->other_series("jacobi", "0a1b2c3d").value(),
            std::vector<std::string>{"jacobi-ffffffff"});
}

}  // namespace
}  // namespace kneepoint

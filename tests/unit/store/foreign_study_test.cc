// SPDX-License-Identifier: Apache-2.0
//
// A study's rows out of a database and into another: all of them, and nothing that is not ours.
#include <map>
#include <set>

#include "orchestrator/store/database.h"

#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

class ForeignStudyTest : public StoreTest {
 protected:
  void SetUp() override {
    store_ = open();
    create(*store_, "other", "ffffffff");  // row ids differ from places
    put_matrix(*store_, store_->find_study("other").value().row);
    study_ = create(*store_).row;
    put_matrix(*store_, study_);
    const auto runs = store_->runs(study_).value();
    drive(*store_, store_->put_attempt(runs[0].row, 1, "kp-a1").value(), AttemptState::failed,
          Reason::exit_code);
    finish(runs[0].row, 2);
    finish(runs[1].row, 1);
    ASSERT_TRUE(store_->put_round(study_, {0, "hash"}));
    ASSERT_TRUE(store_->put_event(study_, {5, "round", "r", 1, 1}));
  }

  void finish(RowId run, int number) {
    const AttemptRow attempt = store_->put_attempt(run, number, "kp-x").value();
    drive(*store_, attempt, AttemptState::succeeded, Reason::none, 100, 200);
    AttemptResult result;
    result.seconds = 1.5;
    result.samples = {{0, true, 9, 8, 7, 6, 1, 2}, {1, false, 5, 4, 3, 2, 1, 0}};
    result.ranks = {{0, "n1", "0", 1, 2, 3.5}};
    result.metrics = {{"residual", 0.25, "", "lower"}};
    result.facts = {{"n1", "cpu.model", "X"}, {"run", "program.hash", "abc"}};
    result.profile = {{0, true, 1, 10, 1, 2, 3, 0, 0, 0}};
    result.operations = {{"MPI_Send", "point_to_point", 3, 4, 5, 6}};
    ASSERT_TRUE(store_->put_result(attempt.row, result));
    ASSERT_TRUE(store_->finish_run(run));
  }

  ForeignStudy foreign() {
    ForeignStudy out;
    out.row = store_->find_study("jacobi").value();
    out.row.hash8 = "12345678";
    out.row.id = "jacobi-12345678-1";
    out.row.state = "finished";
    out.tables = store_->study_tables(study_).value();
    return out;
  }

  RowTable& table(ForeignStudy& study, const std::string& name) {
    for (RowTable& one : study.tables) {
      if (one.name == name) return one;
    }
    ADD_FAILURE() << name;
    return study.tables.front();
  }

  void refused(const ForeignStudy& study, const std::string& why) {
    const auto put = store_->put_foreign_study(study);
    ASSERT_FALSE(put) << why;
    EXPECT_NE(put.error().message.find(why), std::string::npos) << put.error().message;
    EXPECT_EQ(store_->studies().value().size(), 2U) << "nothing stays of it";
  }

  std::unique_ptr<StudyStore> store_;
  RowId study_ = 0;
};

TEST_F(ForeignStudyTest, EverythingArrivesAndGoesOutAgainAsItCame) {
  const ForeignStudy out = foreign();
  const auto put = store_->put_foreign_study(out);
  ASSERT_TRUE(put) << put.error().message;
  EXPECT_EQ(put->id, "jacobi-12345678-1");
  EXPECT_EQ(put->seed, 18446744073709551615ULL);
  EXPECT_EQ(put->runs, 6);
  const auto again = store_->study_tables(put->row).value();
  EXPECT_EQ(again, out.tables);
  const auto before = store_->evidence_in_detail(study_).value();
  const auto after = store_->evidence_in_detail(put->row).value();
  ASSERT_EQ(before.points.size(), after.points.size());
  EXPECT_EQ(after.points[0].point.key(), before.points[0].point.key());
  EXPECT_EQ(after.points[0].runs[0].seconds, 1.5);
  EXPECT_EQ(after.points[0].runs[0].attempts, 2);
  EXPECT_EQ(after.points[0].runs[0].provenance, before.points[0].runs[0].provenance);
  ASSERT_EQ(after.points[0].details.size(), 1U);
  EXPECT_EQ(after.points[0].details[0].operations.size(), 1U);
}

TEST_F(ForeignStudyTest, WhatIsNotOursIsRefused) {
  ForeignStudy study = foreign();
  study.tables.front().name = "sqlite_master";
  refused(study, "not one that this kneepoint knows");
  study = foreign();
  table(study, "runs").columns[0] = "number) VALUES (1); DROP TABLE studies; --";
  refused(study, "is not one that this kneepoint knows");
  study = foreign();
  table(study, "runs").columns[1] = table(study, "runs").columns[0];
  refused(study, "is there twice");
  study = foreign();
  study.tables.push_back(study.tables.front());
  refused(study, "twice, or in the wrong order");
  study = foreign();
  table(study, "events").columns.emplace_back("study");
  refused(study, "column 'study'");
}

TEST_F(ForeignStudyTest, RowsThatDontFitAreRefused) {
  ForeignStudy study = foreign();
  table(study, "attempts").rows[0][0] = std::int64_t{99};  // its run
  refused(study, "refers to no row of runs");
  study = foreign();
  table(study, "attempts").rows[0][0] = std::string("1");
  refused(study, "refers to no row of runs");
  study = foreign();
  table(study, "points").rows[0].pop_back();
  refused(study, "a row of another length");
  study = foreign();
  const auto& columns = table(study, "runs").columns;
  const auto repeat = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), "repeat") -
                                               columns.begin());
  table(study, "runs").rows[0][repeat] = std::string("x");  // STRICT
  refused(study, "table runs: row 1");
}

TEST_F(ForeignStudyTest, EveryTableTravelsOrIsKnownToStay) {
  // What the gate keeps is of a series, and its verdicts rest on other studies of the database.
  std::set<std::string> known = {"studies",
                                 "leases",
                                 "requests",
                                 "pushed_records",
                                 "series_baselines",
                                 "pinned_builds",
                                 "acknowledged_changes",
                                 "imported_nights",
                                 "imported_times",
                                 "calibrations",
                                 "verdicts"};
  for (const std::string& one : travelling_tables()) known.insert(one);
  auto database = Database::open_read_only(path()).value();
  auto row = database
                 ->query(
                     "SELECT name FROM sqlite_master WHERE type = 'table'"
                     " AND name NOT LIKE 'sqlite_%'")
                 .value();
  int count = 0;
  for (std::string name; row.next().value(); ++count) {
    row.read(name);
    EXPECT_EQ(known.count(name), 1U)
        << name << " is a new table: add it to kTravelling of store_pack.cc, or to this list";
  }
  EXPECT_GE(count, 16);
}

}  // namespace
}  // namespace kneepoint

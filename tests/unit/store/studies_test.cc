// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/store/database.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

class StudiesTest : public StoreTest {};

TEST_F(StudiesTest, AStudyReadsBackWholeAfterReopening) {
  { create(*open()); }
  const StudyRow row = open()->find_study("jacobi-0a1b2c3d-1").value();
  EXPECT_EQ(row.id, "jacobi-0a1b2c3d-1");
  EXPECT_EQ(row.name, "jacobi");
  EXPECT_EQ(row.hash8, "0a1b2c3d");
  EXPECT_EQ(row.n, 1);
  EXPECT_EQ(row.state, "running");
  EXPECT_EQ(row.backend, "simulated");
  EXPECT_EQ(row.site, "here");
  EXPECT_EQ(row.plan_path, "plans/jacobi.yaml");
  EXPECT_EQ(row.plan_text, "study: jacobi\n");
  EXPECT_EQ(row.site_text, "backend: simulated\n");
  EXPECT_EQ(row.work_dir, "/shared/jacobi");
  EXPECT_EQ(row.worker, WorkerUnit::node);
  EXPECT_EQ(row.seed, 18446744073709551615ULL);
  EXPECT_EQ(row.knee_rule, "efficiency");
  EXPECT_EQ(row.knee_floor, 0.75);
  EXPECT_EQ(row.created_ns, clock_.wall());
  EXPECT_EQ(row.updated_ns, clock_.wall());
  EXPECT_EQ(row.runs + row.succeeded + row.failed, 0);
}

TEST_F(StudiesTest, TheSameStudyIsCreatedOnce) {
  auto store = open();
  create(*store);
  auto again = store->create_study(make_study(), make_site(), 1, "/shared/x");
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, ErrorCode::exists);
  EXPECT_EQ(again.error().message, "study jacobi-0a1b2c3d-1 exists already in " + path());
}

TEST_F(StudiesTest, ListsTheNewestFirstWithCountsOfRuns) {
  auto store = open();
  const StudyRow old = create(*store);
  put_matrix(*store, old.row);
  const auto runs = store->runs(old.row).value();
  drive(*store, store->put_attempt(runs[0].row, 1, "kp-1").value(), AttemptState::succeeded);
  drive(*store, store->put_attempt(runs[1].row, 1, "kp-2").value(), AttemptState::timed_out);
  ASSERT_TRUE(store->finish_run(runs[0].row));
  ASSERT_TRUE(store->finish_run(runs[1].row));
  clock_.advance(kHour);
  create(*store, "allreduce");

  const auto listed = store->studies().value();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].name, "allreduce");
  EXPECT_EQ(listed[1].name, "jacobi");
  EXPECT_EQ(listed[1].runs, 6);
  EXPECT_EQ(listed[1].succeeded, 1);
  EXPECT_EQ(listed[1].failed, 1);
}

TEST_F(StudiesTest, TheNewestOfASeriesHasTheLargestNumber) {
  auto store = open();
  EXPECT_FALSE(store->newest_of_series("jacobi", "0a1b2c3d").value().has_value());
  for (int n = 1; n <= 11; ++n) create(*store, "jacobi", "0a1b2c3d", n);
  create(*store, "jacobi", "ffffffff", 12);
  EXPECT_EQ(store->newest_of_series("jacobi", "0a1b2c3d").value()->n, 11);
  EXPECT_FALSE(store->newest_of_series("other", "0a1b2c3d").value().has_value());
}

TEST_F(StudiesTest, StateAndPlanChangeWithTheTimeOfTheChange) {
  auto store = open();
  const StudyRow study = create(*store);
  clock_.advance(kMinute);
  ASSERT_TRUE(store->set_study_state(study.row, "interrupted"));
  Study larger = make_study();
  larger.plan.text = "study: jacobi # more\n";
  larger.plan.path = "elsewhere.yaml";
  larger.plan.knee = {"efficiency", 0.5};
  ASSERT_TRUE(store->update_study_plan(study.row, larger));
  const StudyRow row = store->find_study(study.id).value();
  EXPECT_EQ(row.state, "interrupted");
  EXPECT_EQ(row.plan_text, "study: jacobi # more\n");
  EXPECT_EQ(row.plan_path, "elsewhere.yaml");
  EXPECT_EQ(row.knee_floor, 0.5);
  EXPECT_EQ(row.created_ns + kMinute, row.updated_ns);
}

TEST_F(StudiesTest, PricesOfTheSiteAreKeptAndReplaced) {
  auto store = open();
  Site site = make_site();
  site.price = {"prices.yaml", "fat", "currency: EUR"};
  const StudyRow study = store->create_study(make_study(), site, 7, "/shared/x").value();
  EXPECT_EQ(study.price.book, "prices.yaml");
  EXPECT_EQ(study.price.item, "fat");
  EXPECT_EQ(study.price.text, "currency: EUR");
  ASSERT_TRUE(store->set_study_price(study.row, {}));
  EXPECT_EQ(store->find_study(study.id).value().price.text, "");
  EXPECT_EQ(store->set_study_price(99, {}).error().code, ErrorCode::not_found);
}

TEST_F(StudiesTest, AnUnknownStateOrStudyIsRefused) {
  auto store = open();
  const StudyRow study = create(*store);
  EXPECT_EQ(store->set_study_state(study.row, "done").error().code, ErrorCode::invalid);
  EXPECT_EQ(store->set_study_state(99, "finished").error().code, ErrorCode::not_found);
  EXPECT_EQ(store->update_study_plan(99, make_study()).error().code, ErrorCode::not_found);
  EXPECT_EQ(store->delete_study(99).error().code, ErrorCode::not_found);
  EXPECT_EQ(store->evidence(99).error().code, ErrorCode::not_found);
}

TEST_F(StudiesTest, DeletingAStudyLeavesNoRowOfItAndAllOfOthers) {
  auto store = open();
  for (const char* name : {"jacobi", "keep"}) {
    const StudyRow study = create(*store, name);
    put_matrix(*store, study.row);
    const auto run = store->runs(study.row).value().front();
    const auto attempt = store->put_attempt(run.row, 1, "kp").value();
    AttemptResult result;
    result.samples = {Sample{}};
    result.ranks = {RankTotal{}};
    result.metrics = {Metric{"time", 1, "s"}};
    result.facts = {Fact{"run", "mpi", "4.1"}};
    ASSERT_TRUE(store->put_result(attempt.row, result));
    ASSERT_TRUE(store->put_event(study.row, Event{1, "state", "x", 1, 1}));
    ASSERT_TRUE(store->put_round(study.row, RoundRow{0, "hash"}));
    ASSERT_TRUE(store->put_request(study.row, RequestKind::cancel));
    ASSERT_TRUE(
        store->acquire_lease(study.row, Lease{"host", 1, 0}, [](const Lease&) { return true; }));
  }
  auto database = Database::open_read_only(path());
  const auto rows = [&] {
    std::vector<std::int64_t> counts;
    for (const char* table :
         {"studies", "points", "point_parameters", "rounds", "runs", "attempts", "samples",
          "rank_totals", "metrics", "provenance", "events", "leases", "requests"}) {
      counts.push_back(
          (*database)->number_of("SELECT COUNT(*) FROM " + std::string(table)).value());
    }
    return counts;
  };
  const auto both = rows();
  ASSERT_TRUE(store->delete_study(store->find_study("jacobi").value().row));
  const auto one = rows();
  for (std::size_t i = 0; i < both.size(); ++i) {
    EXPECT_GT(one[i], 0) << i;
    EXPECT_EQ(2 * one[i], both[i]) << i;
  }
}

class ChoiceTest : public ::testing::Test {
 protected:
  const std::vector<StudyName> known_ = {
      {5, "jacobi-bbbb0000-1", "jacobi"},
      {4, "jacobi-aaaa0000-2", "jacobi"},
      {3, "jacobi-aaaa0000-1", "jacobi"},
      {2, "cg-12345678-1", "cg"},
      {1, "jacobi-nightly-00000000-1", "jacobi-nightly"},
  };
  RowId row(const std::string& words) { return choose_study(words, known_, "x.db").value(); }
  Error error(const std::string& words) { return choose_study(words, known_, "x.db").error(); }
};

TEST_F(ChoiceTest, AnIdANameOrAUniqueBeginningIsEnough) {
  EXPECT_EQ(row("jacobi-aaaa0000-1"), 3);
  EXPECT_EQ(row("jacobi"), 5);  // of that name the newest, not "ambiguous beginning"
  EXPECT_EQ(row("c"), 2);
  EXPECT_EQ(row("jacobi-b"), 5);
  EXPECT_EQ(row("jacobi-nightly"), 1);
}

TEST_F(ChoiceTest, AnAmbiguousBeginningListsWhatItCouldBe) {
  EXPECT_EQ(error("jacobi-a").code, ErrorCode::invalid);
  EXPECT_EQ(error("jacobi-a").message,
            "'jacobi-a' could be any of jacobi-aaaa0000-2, jacobi-aaaa0000-1; type more of the id");
}

TEST_F(ChoiceTest, AnUnknownOneGetsASuggestionAndTheList) {
  EXPECT_EQ(error("jacoby").code, ErrorCode::not_found);
  EXPECT_EQ(error("jacoby").message,
            "no study 'jacoby' in x.db, did you mean 'jacobi'? There are: jacobi-bbbb0000-1, "
            "jacobi-aaaa0000-2, jacobi-aaaa0000-1, cg-12345678-1, jacobi-nightly-00000000-1");
  EXPECT_TRUE(error("zzzzzzzzz").message.starts_with("no study 'zzzzzzzzz' in x.db; there are: "));
  EXPECT_EQ(error("").code, ErrorCode::invalid);
}

TEST_F(ChoiceTest, ALongListIsCut) {
  std::vector<StudyName> many;
  for (int i = 0; i < 25; ++i) many.push_back({i, "s-00000000-" + std::to_string(i), "t"});
  const Error cut = choose_study("s-", many, "x.db").error();
  EXPECT_NE(cut.message.find("s-00000000-9 and 15 more (kneepoint list)"), std::string::npos)
      << cut.message;
}

TEST_F(ChoiceTest, WithoutStudiesItSaysSo) {
  EXPECT_EQ(choose_study("jacobi", {}, "x.db").error().message,
            "no study 'jacobi': there are no studies yet in x.db");
}

}  // namespace
}  // namespace kneepoint

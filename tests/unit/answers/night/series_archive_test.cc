// SPDX-License-Identifier: Apache-2.0
//
// A series as parts of a pack and back: every value of it, decisions too.
#include "orchestrator/answers/night/series_archive.h"

#include <gtest/gtest.h>

#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

void add_study(SeriesArchive& to, int n) {
  StudyRow& row = to.studies.emplace_back();
  row.n = n;
  row.name = "night";
  row.hash8 = "0123abcd";
  row.id = "night-0123abcd-" + std::to_string(n);
  row.state = "finished";
  row.backend = "slurm";
  row.plan_text = "study: night\n\"quoted\"\n";
  row.worker = WorkerUnit::gpu;
  row.seed = 0xFFFFFFFFFFFFFFFFULL;
  row.knee_rule = "efficiency";
  row.knee_floor = 0.5;
  row.price.item = "node";
  row.created_ns = 1'700'000'000'000'000'000 + n;
  if (to.tables.empty())
    to.tables = {{"points", {"study", "key", "k"}, {}}, {"runs", {"study", "number"}, {}}};
  to.tables[0].rows.push_back({std::int64_t{n}, std::string("p1"), std::int64_t{1}});
  for (int i = 1; i <= n; ++i) to.tables[1].rows.push_back({std::int64_t{n}, std::int64_t{i}});
}

SeriesArchive archive() {
  SeriesArchive out{"1.0", "night", "0123abcd", {}, {}, {}};
  add_study(out, 1);
  add_study(out, 3);
  out.decisions = {{"baseline", {"study", "note"}, {{"night-0123abcd-1", "release"}}}};
  return out;
}

Pack pack_of(const std::vector<TarMember>& parts) {
  return open_pack(write_pack(parts, "").value(), std::nullopt).value();
}

TEST(SeriesArchive, ComesBackAsItWas) {
  const SeriesArchive was = archive();
  const Pack pack = pack_of(parts_of(was));
  ASSERT_TRUE(is_series_archive(pack));
  const auto read = archive_of(pack);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->studies.size(), 2u);
  EXPECT_EQ(read->tables, was.tables);
  EXPECT_EQ(read->decisions, was.decisions);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->studies[i].id, was.studies[i].id);
    EXPECT_EQ(read->studies[i].plan_text, was.studies[i].plan_text);
    EXPECT_EQ(read->studies[i].worker, WorkerUnit::gpu);
    EXPECT_EQ(read->studies[i].seed, was.studies[i].seed);
    EXPECT_EQ(read->studies[i].price.item, "node");
    EXPECT_EQ(read->studies[i].created_ns, was.studies[i].created_ns);
    EXPECT_EQ(read->studies[i].knee_floor, 0.5);
  }
  const auto again = parts_of(*read), before = parts_of(was);
  ASSERT_EQ(again.size(), before.size());
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_EQ(again[i].bytes, before[i].bytes);
}

// The bytes that 0.1.0 wrote: they are read for ever.
TEST(SeriesArchive, OfTheFirstReleaseIsRead) {
  const std::vector<TarMember> old = {
      {"data/series.ndjson",
       "[\"format\",\"kneepoint\",\"name\",\"hash8\"]\n"
       "[\"kneepoint.series/1\",\"0.1.0\",\"night\",\"0123abcd\"]\n"},
      {"data/studies.ndjson",
       "[\"n\",\"state\",\"backend\",\"site\",\"plan_path\",\"plan_text\",\"site_text\",\"worker\","
       "\"seed\",\"knee_rule\",\"knee_floor\",\"price_path\",\"price_item\",\"price_text\","
       "\"created_ns\",\"updated_ns\"]\n"
       "[2,\"finished\",\"slurm\",\"here\",\"p.yaml\",\"study: night\\n\",\"\",\"node\",-1,"
       "\"efficiency\",0.7,\"\",\"\",\"\",1700000000000000000,1700000000000000001]\n"},
      {"data/points.ndjson", "[\"study\",\"key\",\"k\"]\n[2,\"p1\",1]\n"},
      {"data/baseline.ndjson",
       "[\"study\",\"note\",\"who\",\"made_ns\"]\n[\"night-0123abcd-2\",\"1.0\",\"me\",5]\n"},
      {"data/pinned_builds.ndjson",
       "[\"workload\",\"kind\",\"value\",\"hash\"]\n[\"\",\"path\",\"/opt/app\",\"ab\"]\n"},
      {"data/acknowledged_changes.ndjson", "[\"study\",\"note\",\"who\",\"made_ns\"]\n"},
      {"data/imported_nights.ndjson",
       "[\"night\",\"order_ns\",\"build\"]\n[\"2026-01-01\",7,\"b1\"]\n"},
      {"data/imported_times.ndjson",
       "[\"night\",\"case\",\"mode\",\"k\",\"seconds\"]\n[0,\"app\",\"weak\",4,1.0]\n"},
      {"data/calibrations.ndjson",
       "[\"made_ns\",\"repeat_sd\",\"night_sd\",\"node_sd\",\"false_alarm_rate\","
       "\"smallest_detectable\",\"repeats\",\"nights\",\"recommended_repeats\","
       "\"recommended_history\"]\n[9,0.01,0.02,null,0.0,0.05,5,6,5,12]\n"},
      {"data/verdicts.ndjson",
       "[\"study\",\"verdict\",\"why\",\"line\",\"made_ns\"]\n"
       "[\"night-0123abcd-2\",\"PASS\",\"why\",\"PASS  line\",10]\n"}};
  const auto read = archive_of(pack_of(old));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->series(), "night-0123abcd");
  EXPECT_EQ(read->studies.at(0).id, "night-0123abcd-2");
  EXPECT_EQ(read->studies.at(0).seed, 0xFFFFFFFFFFFFFFFFULL);
  EXPECT_EQ(read->tables.size(), 1u);
  ASSERT_EQ(read->decisions.size(), 7u);
  const auto store =
      StudyStore::open(":memory:", StudyStore::Access::read_write, system_clock()).value();
  for (const RowTable& table : read->decisions) {
    if (table.name == "verdicts") continue;  // its study is not here
    const auto put = store->put_series_table("night-0123abcd", table, "a.tar", "sum");
    EXPECT_TRUE(put) << put.error().message;
  }
  EXPECT_EQ(store->baseline("night-0123abcd").value()->builds.at(0).value, "/opt/app");
  EXPECT_EQ(store->imported_nights("night-0123abcd").value().at(0).times.at(0),
            (ImportedTime{"app", Mode::weak, 4, 1.0}));
  EXPECT_EQ(store->calibration("night-0123abcd").value()->recommended_history, 12);
  const auto again = parts_of(*read);
  ASSERT_EQ(again.size(), old.size());
  for (std::size_t i = 0; i < old.size(); ++i) EXPECT_EQ(again[i].bytes, old[i].bytes);
}

TEST(SeriesArchive, WithoutDecisionsIsOneToo) {
  SeriesArchive bare = archive();
  bare.decisions.clear();
  const auto read = archive_of(pack_of(parts_of(bare)));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->decisions.empty());
}

TEST(SeriesArchive, WhatIsNotOneIsRefusedByItsTable) {
  const std::vector<TarMember> good = parts_of(archive());
  const auto refused = [&](const std::string& part, const std::string& bytes) {
    std::vector<TarMember> parts = good;
    for (TarMember& one : parts) {
      if (one.name == part) one.bytes = bytes;
    }
    const auto read = archive_of(pack_of(parts));
    EXPECT_FALSE(read) << part << ": " << bytes;
    if (!read) {
      EXPECT_EQ(read.error().message.rfind(part, 0), 0u) << read.error().message;
    }
  };
  refused("data/series.ndjson", "[\"format\"]\n[\"x\"]\n");
  refused("data/studies.ndjson", "[\"n\"]\n");
  refused("data/studies.ndjson", "[\"n\"]\n[\"one\"]\n");
  refused("data/points.ndjson", "[\"key\"]\n[\"p1\"]\n");
  refused("data/points.ndjson", "[\"study\",\"key\"]\n[7,\"p1\"]\n");
  refused("data/runs.ndjson", "[\"study\",\"point\"]\n[3,1]\n[1,1]\n");
}

// A series of one night with every kind of decision, as an archive and back.
class SeriesOfStudies : public StoreTest {
 protected:
  SeriesOfStudies() : store_(open()) {
    const StudyRow study = create(*store_);
    put_matrix(*store_, study.row);
    for (const RunRow& run : store_->runs(study.row).value()) {
      const AttemptRow attempt = store_->put_attempt(run.row, 1, "kp-x").value();
      drive(*store_, attempt, AttemptState::succeeded, Reason::none, 100, 200);
      AttemptResult result;
      result.seconds = 1;
      EXPECT_TRUE(store_->put_result(attempt.row, result));
      EXPECT_TRUE(store_->finish_run(run.row));
    }
    EXPECT_TRUE(store_->set_study_state(study.row, "finished"));
    series_ = study.name + "-" + study.hash8;
    EXPECT_TRUE(store_->put_baseline(
        {series_,
         study.id,
         "release",
         "me",
         5,
         0,
         {{"", BuildKind::path, "/opt/app", "ab"}, {"w", BuildKind::image, "reg/app:1", ""}}}));
    EXPECT_TRUE(store_->put_acknowledged({series_, study.id, "wanted", "me", 6}));
    EXPECT_TRUE(store_->put_imported_nights(
        {series_,
         "h.csv",
         "hash",
         {{"2026-01-02", 8, "", {{"app", Mode::strong, 1, 2.5}}},
          {"2026-01-01", 7, "b1", {{"app", Mode::weak, 4, 1.0}, {"app", Mode::strong, 1, 3}}}}}));
    Calibration calibration;
    calibration.series = series_;
    calibration.made_ns = 9;
    calibration.repeat_sd = 0.01;
    calibration.night_sd = 0.02;
    calibration.recommended_history = 12;
    EXPECT_TRUE(store_->put_calibration(calibration));
    EXPECT_TRUE(store_->put_verdict({study.id, "PASS", "why", "PASS  line", 10}));
    archive_ = {"1.0", study.name, study.hash8, {store_->find_study(study.id).value()}, {}, {}};
    archive_.tables = store_->study_tables(study.row).value();
    for (RowTable& table : archive_.tables) {
      table.columns.insert(table.columns.begin(), "study");
      for (auto& row : table.rows) row.insert(row.begin(), std::int64_t{1});
    }
    archive_.decisions = store_->series_tables(series_).value();
  }

  void refused(const std::string& table, std::size_t column, const Cell& cell) {
    SeriesArchive forged = archive_;
    for (RowTable& one : forged.decisions) {
      if (one.name == table) one.rows.at(0).at(column) = cell;
    }
    const auto tried = try_import_series(pack_of(parts_of(forged)));
    ASSERT_FALSE(tried) << table;
    EXPECT_NE(tried.error().message.find(table), std::string::npos) << tried.error().message;
  }

  std::unique_ptr<StudyStore> store_;
  std::string series_;
  SeriesArchive archive_;
};

TEST_F(SeriesOfStudies, EveryDecisionComesBack) {
  const auto tried = try_import_series(pack_of(parts_of(archive_)));
  ASSERT_TRUE(tried) << tried.error().message;
  EXPECT_EQ(*tried, series_);

  TemporaryFolder folder;
  const auto other =
      StudyStore::open(folder.file("x.db"), StudyStore::Access::read_write, clock_).value();
  create(*other);
  for (const RowTable& table : archive_.decisions) {
    const auto put = other->put_series_table(series_, table, "a.tar", "sum");
    ASSERT_TRUE(put) << put.error().message;
  }
  const Baseline baseline = other->baseline(series_).value().value();
  EXPECT_EQ(baseline.note, "release");
  EXPECT_EQ(baseline.builds, store_->baseline(series_).value()->builds);
  EXPECT_EQ(other->acknowledged(series_).value().at(0).note, "wanted");
  const auto nights = other->imported_nights(series_).value();
  const auto before = store_->imported_nights(series_).value();
  ASSERT_EQ(nights.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(nights[i].night, before[i].night);
    EXPECT_EQ(nights[i].times, before[i].times);
  }
  EXPECT_EQ(other->calibration(series_).value()->night_sd, 0.02);
  EXPECT_FALSE(other->calibration(series_).value()->node_sd);
  EXPECT_EQ(other->verdicts(series_).value().at(0).line, "PASS  line");
}

TEST_F(SeriesOfStudies, ADecisionThatCantBeIsRefused) {
  refused("pinned_builds", 1, std::string("folder"));
  refused("imported_times", 0, std::int64_t{9});
  refused("imported_times", 0, std::int64_t{-1});
  refused("imported_times", 2, std::string("sideways"));
  refused("calibrations", 1, std::string("noisy"));
  refused("verdicts", 1, std::string("FINE"));
  SeriesArchive alone = archive_;
  alone.decisions.front().rows.clear();
  const auto tried = try_import_series(pack_of(parts_of(alone)));
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.error().message, "data/pinned_builds.ndjson: there is no baseline");
}

}  // namespace
}  // namespace kneepoint

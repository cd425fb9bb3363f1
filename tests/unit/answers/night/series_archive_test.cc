// SPDX-License-Identifier: Apache-2.0
//
// A series as parts of a pack and back: every value of it, decisions too.
#include "orchestrator/answers/night/series_archive.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

void add_study(SeriesArchive& to, int n) {
  StudyRow& row = to.rows.emplace_back();
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
  SeriesArchive out;
  out.head = {{kSeriesFormat, "1.0", "night", "0123abcd"}};
  add_study(out, 1);
  add_study(out, 3);
  out.baseline = {{out.series(), "night-0123abcd-1", "release", "me", 5, 0, {}}};
  out.builds = {{"", BuildKind::path, "/opt/app", "ab"}, {"w", BuildKind::image, "reg/app:1", ""}};
  out.acknowledged = {{out.series(), "night-0123abcd-3", "wanted", "me", 6}};
  out.nights = {{"2026-01-01", 7, "b1", {}}, {"2026-01-02", 8, "", {}}};
  out.times = {{0, {"app", Mode::weak, 4, 1.0}}, {0, {"app", Mode::strong, 1, 2.5}}};
  Calibration& calibration = out.calibration.emplace_back();
  calibration.series = out.series();
  calibration.made_ns = 9;
  calibration.repeat_sd = 0.01;
  calibration.night_sd = 0.02;
  calibration.repeats = 5;
  out.verdicts = {{"night-0123abcd-3", "PASS", "why", "PASS  line", 10}};
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
  ASSERT_EQ(read->rows.size(), 2u);
  EXPECT_EQ(read->tables, was.tables);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->rows[i].id, was.rows[i].id);
    EXPECT_EQ(read->rows[i].plan_text, was.rows[i].plan_text);
    EXPECT_EQ(read->rows[i].worker, WorkerUnit::gpu);
    EXPECT_EQ(read->rows[i].seed, was.rows[i].seed);
    EXPECT_EQ(read->rows[i].price.item, "node");
    EXPECT_EQ(read->rows[i].created_ns, was.rows[i].created_ns);
    EXPECT_EQ(read->rows[i].knee_floor, 0.5);
  }
  EXPECT_EQ(read->baseline.at(0).study, "night-0123abcd-1");
  EXPECT_EQ(read->baseline.at(0).series, was.series());
  EXPECT_EQ(read->builds, was.builds);
  EXPECT_EQ(read->acknowledged.at(0).note, "wanted");
  ASSERT_EQ(read->nights.size(), 2u);
  EXPECT_EQ(read->nights[1].night, "2026-01-02");
  ASSERT_EQ(read->times.size(), 2u);
  EXPECT_EQ(read->times[1].time, was.times[1].time);
  EXPECT_EQ(read->calibration.at(0).night_sd, 0.02);
  EXPECT_FALSE(read->calibration.at(0).node_sd);
  EXPECT_EQ(read->verdicts.at(0).line, "PASS  line");
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
  EXPECT_EQ(read->rows.at(0).id, "night-0123abcd-2");
  EXPECT_EQ(read->rows.at(0).seed, 0xFFFFFFFFFFFFFFFFULL);
  EXPECT_EQ(read->builds.at(0).value, "/opt/app");
  EXPECT_EQ(read->times.at(0).time, (ImportedTime{"app", Mode::weak, 4, 1.0}));
  EXPECT_EQ(read->calibration.at(0).recommended_history, 12);
  const auto again = parts_of(*read);
  ASSERT_EQ(again.size(), old.size());
  for (std::size_t i = 0; i < old.size(); ++i) EXPECT_EQ(again[i].bytes, old[i].bytes);
}

TEST(SeriesArchive, WithoutDecisionsIsOneToo) {
  SeriesArchive bare;
  bare.head = {{kSeriesFormat, "", "night", "0123abcd"}};
  add_study(bare, 1);
  const auto read = archive_of(pack_of(parts_of(bare)));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->baseline.empty());
  EXPECT_TRUE(read->calibration.empty());
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
  refused("data/verdicts.ndjson", "[\"study\"]\n[\"x\"]\n");
  refused("data/imported_times.ndjson",
          "[\"night\",\"case\",\"mode\",\"k\",\"seconds\"]\n[9,\"a\",\"weak\",1,1.0]\n");
}

}  // namespace
}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// A series as parts of a pack and back: every value of it, decisions too.
#include "orchestrator/cli/series_archive.h"

#include <gtest/gtest.h>

namespace kneepoint::cli {
namespace {

ForeignStudy study(int n) {
  ForeignStudy out;
  out.row.n = n;
  out.row.name = "night";
  out.row.hash8 = "0123abcd";
  out.row.id = "night-0123abcd-" + std::to_string(n);
  out.row.state = "finished";
  out.row.backend = "slurm";
  out.row.plan_text = "study: night\n\"quoted\"\n";
  out.row.seed = 0xFFFFFFFFFFFFFFFFULL;
  out.row.knee_rule = "efficiency";
  out.row.knee_floor = 0.5;
  out.row.created_ns = 1'700'000'000'000'000'000 + n;
  out.tables = {{"points", {"key", "k"}, {{std::string("p1"), std::int64_t{1}}}},
                {"runs", {"point", "number"}, {}}};
  for (int i = 1; i <= n; ++i) {
    out.tables[1].rows.push_back({std::int64_t{1}, std::int64_t{i}});
  }
  return out;
}

SeriesArchive archive() {
  SeriesArchive out;
  out.name = "night";
  out.hash8 = "0123abcd";
  out.kneepoint = "1.0";
  out.studies = {study(1), study(3)};
  out.baseline = Baseline{out.series(), "night-0123abcd-1", "release", "me", 5, 0, {}};
  out.baseline->builds = {{"", BuildKind::path, "/opt/app", "ab"},
                          {"w", BuildKind::image, "reg/app:1", ""}};
  out.acknowledged = {{out.series(), "night-0123abcd-3", "wanted", "me", 6}};
  out.nights = {
      {"2026-01-01", 7, "b1", {{"app", Mode::weak, 4, 1.0}, {"app", Mode::strong, 1, 2.5}}},
      {"2026-01-02", 8, "", {}}};
  Calibration calibration;
  calibration.series = out.series();
  calibration.made_ns = 9;
  calibration.repeat_sd = 0.01;
  calibration.night_sd = 0.02;
  calibration.repeats = 5;
  out.calibration = calibration;
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
  ASSERT_EQ(read->studies.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->studies[i].tables, was.studies[i].tables);
    EXPECT_EQ(read->studies[i].row.id, was.studies[i].row.id);
    EXPECT_EQ(read->studies[i].row.plan_text, was.studies[i].row.plan_text);
    EXPECT_EQ(read->studies[i].row.seed, was.studies[i].row.seed);
    EXPECT_EQ(read->studies[i].row.created_ns, was.studies[i].row.created_ns);
    EXPECT_EQ(read->studies[i].row.knee_floor, 0.5);
  }
  EXPECT_EQ(read->baseline->study, "night-0123abcd-1");
  EXPECT_EQ(read->baseline->builds, was.baseline->builds);
  EXPECT_EQ(read->acknowledged.at(0).note, "wanted");
  ASSERT_EQ(read->nights.size(), 2u);
  EXPECT_EQ(read->nights[0].times, was.nights[0].times);
  EXPECT_EQ(read->nights[1].night, "2026-01-02");
  EXPECT_EQ(read->calibration->night_sd, 0.02);
  EXPECT_FALSE(read->calibration->node_sd);
  EXPECT_EQ(read->verdicts.at(0).line, "PASS  line");
  EXPECT_EQ(parts_of(*read).size(), parts_of(was).size());
}

TEST(SeriesArchive, WithoutDecisionsIsOneToo) {
  SeriesArchive bare;
  bare.name = "night";
  bare.hash8 = "0123abcd";
  bare.studies = {study(1)};
  const auto read = archive_of(pack_of(parts_of(bare)));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->baseline);
  EXPECT_FALSE(read->calibration);
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
}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
//
// Which nights count: where a segment begins, what of tables and baselines does, and what the gate
// says of the times and numbers of a series' studies.
#include "orchestrator/analysis/gate/history.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kBegin = 1'767'225'600 * kSecond;  // 2026-01-01

// Numbered from 1, made so many hours after the first one was to be made.
std::vector<SeriesStudy> made_after(const std::vector<int>& hours) {
  std::vector<SeriesStudy> studies;
  for (const int hour : hours) {
    SeriesStudy& one = studies.emplace_back();
    one.n = static_cast<int>(studies.size());
    one.id = "night-" + std::to_string(one.n);
    one.state = "finished";
    one.created_ns = kBegin + hour * kHour;
  }
  return studies;
}

using Notes = std::vector<std::string>;

TEST(CalendarNotes, NightsOneADayNeedNoWords) {
  EXPECT_EQ(calendar_notes({}), Notes{});
  EXPECT_EQ(calendar_notes(made_after({0})), Notes{});
  EXPECT_EQ(calendar_notes(made_after({0, 24, 48, 72, 96, 120, 144, 168, 192, 216})), Notes{});
}

TEST(CalendarNotes, AClockThatWasSetBackIsSaidWithBothTimes) {
  EXPECT_EQ(calendar_notes(made_after({0, 24, 12, 36})),
            Notes{"the clock was set back: night-3 was made at 2026-01-01T12:00:00Z, night-2 at "
                  "2026-01-02T00:00:00Z; nights go by their numbers"});
  EXPECT_EQ(calendar_notes(made_after({0, 24, 24})), Notes{}) << "the same time is not back";
  EXPECT_EQ(calendar_notes(made_after({48, 24, 0})).size(), 2u) << "one for each time";
}

TEST(CalendarNotes, NumbersWithoutAStudyAreCounted) {
  std::vector<SeriesStudy> studies = made_after({0, 24, 48, 72});
  studies.erase(studies.begin() + 1);
  EXPECT_EQ(calendar_notes(studies), Notes{"1 number of the series without a study here"});
  studies.erase(studies.begin());
  EXPECT_EQ(calendar_notes(studies), Notes{"2 numbers of the series without a study here"})
      << "those before the first count too";
}

TEST(CalendarNotes, NightsThatAreMissingAreSaidOnceTheUsualStepIsKnown) {
  const Notes missing = {
      "nights are missing: up to 96 h 00 min between two of them, where 24 h 00 min is usual"};
  EXPECT_EQ(calendar_notes(made_after({0, 24, 48, 72, 96, 120, 144, 168, 264})), missing);
  EXPECT_EQ(calendar_notes(made_after({0, 24, 48, 72, 96, 120, 144, 240})), Notes{})
      << "seven steps are too few to know";
  EXPECT_EQ(calendar_notes(made_after({0, 24, 48, 72, 96, 120, 144, 168, 240})), Notes{})
      << "a weekend is three days";
}

TEST(CalendarNotes, AStepBackIsNoStepOfTheCalendar) {
  const Notes notes = calendar_notes(made_after({0, 24, 48, 72, 96, 120, 144, 168, 0, 24}));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].rfind("the clock was set back: night-9 ", 0), 0u) << notes[0];
}

TEST(CalendarNotes, StudiesThatShareANightAreSaid) {
  EXPECT_EQ(calendar_notes(made_after({0, 24, 48, 49, 72, 96, 120, 144, 145, 168})),
            Notes{"2 studies soon after the one before: they may share its night, but count"});
}

TEST(CalendarNotes, StudiesWithinTheHourAreNoNights) {
  std::vector<SeriesStudy> studies = made_after({0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  for (std::size_t i = 0; i < studies.size(); ++i) {
    studies[i].created_ns += static_cast<Nanoseconds>(i) * kSecond;
  }
  studies.back().created_ns += 30 * kMinute;
  EXPECT_EQ(calendar_notes(studies), Notes{});
}

StudyEvidence evidence_of_tonight() {
  EvidenceBuilder builder;
  builder.add(Mode::strong, 1, {1.0});
  return builder.study;
}

// So many studies a day apart; tonight is the last.
SeriesFacts series_of_nights(int count) {
  SeriesFacts facts;
  for (int i = 0; i < count; ++i) {
    SeriesStudy& one = facts.studies.emplace_back();
    one.row = i + 1;
    one.n = i + 1;
    one.id = "night-" + std::to_string(one.n);
    one.state = "finished";
    one.created_ns = kBegin + i * 24 * kHour;
  }
  facts.tonight = facts.studies.back();
  return facts;
}

class Segments : public ::testing::Test {
 protected:
  Segment find(const SeriesFacts& facts) {
    read_.clear();
    const auto found = find_segment(facts, evidence_of_tonight(), [&](const SeriesStudy& study) {
      read_.push_back(study.id);
      GateNight night;
      night.id = study.id;
      night.environment = study.n < new_nodes_since_ ? "cpu.model=A" : "cpu.model=B";
      return Result<GateNight>(night);
    });
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : Segment();
  }

  static std::vector<std::string> ids_of(const Segment& segment) {
    std::vector<std::string> ids;
    for (const GateNight& night : segment.nights) ids.push_back(night.id);
    return ids;
  }

  int new_nodes_since_ = 0;
  std::vector<std::string> read_;
};

TEST_F(Segments, HaveAllFinishedStudiesUpToTonight) {
  SeriesFacts facts = series_of_nights(5);
  facts.studies[1].state = "cancelled";
  facts.tonight = facts.studies[3];
  const Segment segment = find(facts);
  EXPECT_EQ(ids_of(segment), (Notes{"night-1", "night-3", "night-4"}));
  EXPECT_EQ(segment.notes, Notes{"1 study of the series not finished"});
  EXPECT_EQ(segment.changed, "");
  EXPECT_FALSE(segment.baseline);
}

TEST_F(Segments, BeginWithTonightWhereTheEnvironmentIsNew) {
  new_nodes_since_ = 4;
  const Segment segment = find(series_of_nights(4));
  EXPECT_EQ(ids_of(segment), Notes{"night-4"});
  EXPECT_EQ(segment.changed, "cpu.model=A before, cpu.model=B tonight");
  EXPECT_EQ(segment.notes, Notes{});
}

TEST_F(Segments, BeginWhereTheEnvironmentChangedBeforeAndReadNoFurther) {
  new_nodes_since_ = 4;
  const Segment segment = find(series_of_nights(6));
  EXPECT_EQ(ids_of(segment), (Notes{"night-4", "night-5", "night-6"}));
  EXPECT_EQ(segment.changed, "");
  EXPECT_EQ(segment.notes, Notes{"3 nights before the environment last changed"});
  EXPECT_EQ(read_, (Notes{"night-6", "night-5", "night-4", "night-3"}));
}

TEST_F(Segments, BeginWithTheStudyAtWhichAChangeWasAcknowledged) {
  SeriesFacts facts = series_of_nights(6);
  facts.acknowledged = {{"series", "night-3", "wanted", "me", 0}};
  facts.baseline = Baseline{.study = "night-2"};
  facts.imported = {{"2025-12-01", 0, "", {{"jacobi", Mode::strong, 1, 1.0}}}};
  const Segment segment = find(facts);
  EXPECT_EQ(ids_of(segment), (Notes{"night-3", "night-4", "night-5", "night-6"}));
  EXPECT_EQ(segment.imported, 0) << "tables are older than the segment";
  EXPECT_FALSE(segment.baseline);
  EXPECT_EQ(segment.notes,
            (Notes{"2 nights before the change that was acknowledged at night-3",
                   "the baseline night-2 is of an earlier segment: nothing is compared with it"}));
  facts.acknowledged[0].study = "night-6";
  EXPECT_EQ(ids_of(find(facts)), Notes{"night-6"});
}

TEST_F(Segments, HaveNinetyNightsBeforeTonightAtMostAndABaselineFromFurtherBack) {
  SeriesFacts facts = series_of_nights(200);
  facts.baseline = Baseline{.study = "night-3"};
  const Segment segment = find(facts);
  EXPECT_EQ(segment.nights.size(), 91u);
  EXPECT_EQ(segment.nights.front().id, "night-110");
  ASSERT_TRUE(segment.baseline);
  EXPECT_EQ(segment.baseline->id, "night-3");
  EXPECT_EQ(read_.size(), 92u);
}

TEST_F(Segments, HoldNothingAgainstABaselineThatIsTonightNotFinishedOrElsewhere) {
  SeriesFacts facts = series_of_nights(3);
  facts.baseline = Baseline{.study = "night-2"};
  EXPECT_EQ(find(facts).baseline->id, "night-2");
  facts.baseline->study = "night-3";
  EXPECT_FALSE(find(facts).baseline);
  facts.baseline->study = "night-9";
  EXPECT_EQ(find(facts).notes, Notes{"the baseline night-9 is no finished study before this one"});
  facts = series_of_nights(200);
  facts.baseline = Baseline{.study = "night-3"};
  new_nodes_since_ = 4;
  EXPECT_FALSE(find(facts).baseline) << "of another environment, further back than was read";
}

TEST_F(Segments, BeginWithNightsOfTablesThatAreOlderThanTheFirstStudy) {
  SeriesFacts facts = series_of_nights(2);
  const ImportedTime time{"jacobi", Mode::strong, 1, 1.0};
  facts.imported = {{"2025-12-30", kBegin - 2 * kHour, "v1", {time}},
                    {"2025-12-31", kBegin - 1 * kHour, "v1", {{"other", Mode::strong, 1, 1.0}}},
                    {"2026-01-01", kBegin, "v1", {time}}};
  const Segment segment = find(facts);
  EXPECT_EQ(ids_of(segment), (Notes{"2025-12-30", "night-1", "night-2"}));
  EXPECT_EQ(segment.imported, 1);
  EXPECT_EQ(segment.notes, (Notes{"1 imported night not before the first study of the series",
                                  "1 imported night without a point of this study"}));
}

TEST_F(Segments, ThatAreYoungNameOtherSeriesOfTheName) {
  SeriesFacts facts = series_of_nights(2);
  facts.other_series = {"a", "b", "c", "d", "e"};
  EXPECT_EQ(find(facts).notes,
            Notes{"other plans or sites of this name are other series, whose nights don't count "
                  "here: a, b, c and 2 more"});
  facts.studies = series_of_nights(9).studies;
  facts.tonight = facts.studies.back();
  EXPECT_EQ(find(facts).notes, Notes{});
}

TEST_F(Segments, ThatCannotBeReadSayWhy) {
  const auto found = find_segment(series_of_nights(3), evidence_of_tonight(),
                                  [](const SeriesStudy& study) -> Result<GateNight> {
                                    return Error{ErrorCode::corrupt, study.id + " is torn"};
                                  });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "night-3 is torn");
}

TEST(CheckNight, AnImportedStudyAndOneOfTwoBuildsAreNone) {
  EXPECT_TRUE(check_night("x-1", "slurm", false));
  EXPECT_EQ(check_night("x-1", "import", false).error().message,
            "x-1 was imported: it is not part of a nightly series");
  EXPECT_EQ(check_night("x-1", "local", true).error().message,
            "x-1 compares two builds: it is not part of a nightly series");
}

TEST(CheckBaseline, MustBeAFinishedNightWithAValidRun) {
  SeriesStudy study;
  study.id = "x-1";
  study.state = "finished";
  EXPECT_TRUE(check_baseline(study, 1));
  EXPECT_EQ(check_baseline(study, 0).error().code, ErrorCode::conflict);
  study.state = "running";
  EXPECT_EQ(check_baseline(study, 2).error().message,
            "x-1 is running with 2 valid runs; a baseline must be finished");
  study.backend = "import";
  EXPECT_EQ(check_baseline(study, 2).error().code, ErrorCode::invalid);
}

TEST(SortedNights, KnowThoseThatSayTheSameInWhateverOrder) {
  const ImportedTime a{"jacobi", Mode::strong, 1, 1.0}, b{"jacobi", Mode::strong, 2, 0.5};
  const std::vector<ImportedNight> there = {{"1", 1, "v1", {a, b}}, {"2", 2, "v1", {a}}};
  const SortedNights sorted = sort_nights(
      {{"1", 1, "v1", {b, a}}, {"2", 2, "v1", {b}}, {"3", 3, "v1", {a}}, {"2", 2, "v2", {a}}},
      there);
  EXPECT_EQ(sorted.known, 1u);
  EXPECT_EQ(sorted.differing, (std::vector<std::size_t>{1, 3}));
  ASSERT_EQ(sorted.fresh.size(), 1u);
  EXPECT_EQ(sorted.fresh[0].night, "3");
}

}  // namespace
}  // namespace kneepoint

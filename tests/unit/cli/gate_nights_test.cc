// SPDX-License-Identifier: Apache-2.0
//
// What the gate says of the times and numbers of a series' studies: clocks set back, numbers and
// nights that are missing, studies that share a night.
#include "orchestrator/cli/gate_nights.h"

#include <gtest/gtest.h>

namespace kneepoint::cli {
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

}  // namespace
}  // namespace kneepoint::cli

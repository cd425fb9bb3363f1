// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/run_table.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

RunRow row(RowId id, std::optional<AttemptState> last, bool finished = false) {
  RunRow r;
  r.row = id;
  r.number = static_cast<int>(id);
  r.point = 7;
  r.finished = finished;
  if (last) {
    r.last = AttemptRow{};
    r.last->state = *last;
    r.last->allocation = "kp-x-1-" + std::to_string(id) + "-a1";
    r.attempts = 1;
  }
  return r;
}

TEST(RunTable, AStartSortsRunsIntoFinishedActiveAndWaiting) {
  RunTable table;
  table.load({row(1, AttemptState::succeeded, true), row(2, AttemptState::failed, true),
              row(3, AttemptState::submitting), row(4, AttemptState::running), row(5, std::nullopt),
              row(6, AttemptState::planned), row(8, AttemptState::cancelled)},
             {{7, 0}}, "/w");
  EXPECT_EQ(table.succeeded(), 1);
  EXPECT_EQ(table.failed(), 1);
  ASSERT_EQ(table.active().size(), 2U);
  EXPECT_FALSE(table.allocation_of(table.active()[0]).handed_over);  // its name is to be looked up
  EXPECT_TRUE(table.allocation_of(table.active()[1]).handed_over);
  EXPECT_EQ(table.waiting().size(), 3U);
}

TEST(RunTable, RunsOfPointsThatThePlanNoLongerHasAreLeftAlone) {
  RunTable table;
  table.load({row(1, std::nullopt)}, {{8, 0}}, "/w");
  EXPECT_EQ(table.total(), 0);
}

TEST(RunTable, LoadingAgainOnlyAddsWhatIsNew) {
  RunTable table;
  table.load({row(1, std::nullopt)}, {{7, 0}}, "/w");
  table.load({row(1, std::nullopt), row(2, std::nullopt)}, {{7, 0}}, "/w");
  EXPECT_EQ(table.total(), 2);
  EXPECT_EQ(table.waiting().size(), 2U);
}

TEST(RunTable, AnEndedAttemptFinishesItsRunOrWaitsAgain) {
  RunTable table;
  table.load({row(3, AttemptState::running), row(4, AttemptState::running)}, {{7, 0}}, "/w");
  table.end_attempt(0, AttemptState::lost, false, true);
  EXPECT_EQ(table.waiting().size(), 1U);
  EXPECT_EQ(table.at(0).spent, 1);
  table.end_attempt(1, AttemptState::succeeded, true, false);
  EXPECT_TRUE(table.active().empty());
  EXPECT_EQ(table.succeeded(), 1);
}

TEST(RunTable, ExpectsOfARunWhatItsPointTookBefore) {
  RunTable table;
  EXPECT_EQ(table.expected_seconds(0), 0);
  table.note_elapsed(0, 2);
  table.note_elapsed(0, 4);
  EXPECT_DOUBLE_EQ(table.expected_seconds(0), 3);
}

}  // namespace
}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Pictures change when the study does, and cost little when it does not.
#include "orchestrator/server/dashboard/study_watch.h"

#include <nlohmann/json.hpp>

#include "tests/fakes/fake_hooks.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

class StudyWatchTest : public StoreTest {
 protected:
  void SetUp() override {
    store_ = open();
    study_ = create(*store_);
    put_matrix(*store_, study_.row);
    auto watch = StudyWatch::open(path(), hooks_, clock_);
    ASSERT_TRUE(watch) << watch.error().message;
    watch_ = std::move(*watch);
  }

  nlohmann::json now() { return nlohmann::json::parse(watch_->json(study_.id).value()); }

  AttemptRow begin(int run, AttemptState state = AttemptState::running) {
    const RowId row = store_->runs(study_.row).value().at(static_cast<std::size_t>(run - 1)).row;
    AttemptRow attempt = store_->put_attempt(row, 1, "kp-x").value();
    for (const AttemptState to : {AttemptState::submitting, AttemptState::queued, state}) {
      const AttemptState from = attempt.state;
      if (from == to) break;
      attempt.state = to;
      attempt.nodes = "n1";
      attempt.waiting = to == AttemptState::queued ? "Resources" : "";
      attempt.submitted_ns = 5 * kSecond;
      attempt.started_ns = to == AttemptState::running ? 10 * kSecond : 0;
      EXPECT_TRUE(store_->change_attempt(attempt, from));
    }
    return attempt;
  }
  void end_well(AttemptRow attempt, double seconds) {
    AttemptResult result;
    result.seconds = seconds;
    attempt.ended_ns = attempt.started_ns + 3 * kSecond;
    for (const AttemptState to : {AttemptState::collecting, AttemptState::succeeded}) {
      const AttemptState from = attempt.state;
      attempt.state = to;
      ASSERT_TRUE(store_->change_attempt(attempt, from));
    }
    ASSERT_TRUE(store_->put_result(attempt.row, result));
    ASSERT_TRUE(store_->finish_run(attempt.run));
  }

  FakeHooks hooks_;
  std::unique_ptr<StudyStore> store_;
  StudyRow study_;
  std::unique_ptr<StudyWatch> watch_;
};

TEST_F(StudyWatchTest, APictureHasThePointsBeforeAnythingRan) {
  const auto picture = now();
  EXPECT_EQ(picture["schema"], "kneepoint.api/1");
  EXPECT_EQ(picture["study"]["id"], study_.id);
  EXPECT_EQ(picture["study"]["runs"], 6);
  EXPECT_EQ(picture["study"]["running"], false);
  EXPECT_FALSE(picture["study"].contains("headline"));
  ASSERT_EQ(picture["curves"].size(), 2U);
  const auto& point = picture["curves"][0]["points"][0];
  EXPECT_EQ(point["k"], 1);
  EXPECT_EQ(point["planned"], 2);
  EXPECT_EQ(point["done"], 0);
  EXPECT_TRUE(point["seconds"].is_null());
  EXPECT_TRUE(point["efficiency"].is_null());
  EXPECT_EQ(picture["curves"][0]["floor"], 0.75);
  EXPECT_TRUE(picture["seconds_left"].is_null());
}

TEST_F(StudyWatchTest, WhatRunsAndWhatWaitsIsShown) {
  begin(1);
  begin(2, AttemptState::queued);
  ASSERT_TRUE(store_->put_event(study_.row, {7 * kSecond, "state", "<script>", 1, 1}));
  const auto picture = now();
  ASSERT_EQ(picture["active"].size(), 2U);
  EXPECT_EQ(picture["active"][0]["run"], 1);
  EXPECT_EQ(picture["active"][0]["state"], "running");
  EXPECT_EQ(picture["active"][0]["nodes"], "n1");
  EXPECT_EQ(picture["active"][0]["since"], "1970-01-01T00:00:10Z");
  EXPECT_EQ(picture["active"][1]["state"], "queued");
  EXPECT_EQ(picture["waiting"][0], "Resources");
  EXPECT_EQ(picture["events"].back()["text"], "<script>");
  EXPECT_EQ(picture["events"].back()["run"], 1);
}

TEST_F(StudyWatchTest, PointsFirmUpAndTheTimeLeftFollows) {
  ASSERT_TRUE(store_->acquire_lease(study_.row, {"elsewhere", 4711, clock_.wall()},
                                    [](const Lease&) { return true; }));
  hooks_.live_pid = 4711;
  end_well(begin(1), 2.0);
  begin(2);
  const auto picture = now();
  EXPECT_EQ(picture["study"]["running"], true);
  EXPECT_EQ(picture["curves"][0]["points"][0]["done"], 1);
  EXPECT_EQ(picture["curves"][0]["points"][0]["seconds"], 2.0);
  EXPECT_EQ(picture["seconds_left"], 15.0) << "five runs of 3 s each, one at a time";
}

TEST_F(StudyWatchTest, TheEvidenceIsReadOnlyWhenARunHasEnded) {
  now();
  const auto first = watch_->frame(study_.id).value();
  now();
  EXPECT_EQ(watch_->evidence_reads(), 1U);
  begin(1);
  const auto second = watch_->frame(study_.id).value();
  EXPECT_GT(second.version, first.version);
  EXPECT_EQ(watch_->evidence_reads(), 1U);
  end_well(begin(2), 1.0);
  EXPECT_GT(watch_->frame(study_.id)->version, second.version);
  EXPECT_EQ(watch_->evidence_reads(), 2U);
}

TEST_F(StudyWatchTest, AHeartbeatIsNoChange) {
  const Lease lease{"elsewhere", 4711, clock_.wall()};
  hooks_.live_pid = 4711;
  ASSERT_TRUE(store_->acquire_lease(study_.row, lease, [](const Lease&) { return true; }));
  const auto before = watch_->frame(study_.id).value();
  clock_.advance(kSecond);
  ASSERT_TRUE(store_->renew_lease(study_.row, lease));
  EXPECT_EQ(watch_->frame(study_.id)->version, before.version);
  hooks_.live_pid = 0;  // killed: nobody writes that down
  EXPECT_GT(watch_->frame(study_.id)->version, before.version);
}

TEST_F(StudyWatchTest, TheStreamEndsWithTheStudyOrWithItsDeletion) {
  EXPECT_FALSE(watch_->frame(study_.id)->last);
  ASSERT_TRUE(store_->set_study_state(study_.row, "finished"));
  const auto over = watch_->frames({study_.id}).at(0);
  EXPECT_TRUE(over.last);
  EXPECT_TRUE(over.bytes->starts_with("event: study\ndata: {"));
  EXPECT_TRUE(over.bytes->ends_with("\n\nevent: end\ndata: {}\n\n"));
  ASSERT_TRUE(store_->delete_study(study_.row));
  const auto gone = watch_->frames({study_.id}).at(0);
  EXPECT_TRUE(gone.last);
  EXPECT_EQ(*gone.bytes, "event: end\ndata: {}\n\n");
}

TEST_F(StudyWatchTest, HostileNamesStayOneLineOfJson) {
  const std::string name =
      "<script>alert(1)</script>\"'\\\n\xF0\x9F\x98\x80" + std::string(10000, 'x');
  const StudyRow row = create(*store_, name, "0a1b2c3e");
  const auto frame = watch_->frame(row.id);
  ASSERT_TRUE(frame) << frame.error().message;
  const std::string& bytes = *frame->bytes;
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), '\n'), 3) << "one event";
  const auto picture = nlohmann::json::parse(watch_->json(row.id).value());
  EXPECT_EQ(picture["study"]["name"], name);
}

}  // namespace
}  // namespace kneepoint

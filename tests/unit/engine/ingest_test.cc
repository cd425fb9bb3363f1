// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/ingest.h"

#include <gtest/gtest.h>

#include "agents/wire/record.h"
#include "orchestrator/base/hash.h"

namespace kneepoint {
namespace {

// Writes a well-formed record file line by line.
class Writer {
 public:
  template <typename R>
  Writer& add(const R& r) {
    text_ += record::to_line(seq_++, r);
    return *this;
  }
  std::string end(record::End end) {
    end.count = seq_;
    end.checksum = hex64(fnv1a64(text_));
    return text_ + record::to_line(seq_, end);
  }
  std::string cut() const { return text_; }

 private:
  int seq_ = 0;
  std::string text_;
};

Writer begun() {
  Writer w;
  w.add(record::Begin{"r1-a1", 5});
  return w;
}

record::Sample sample(int i, bool warmup, std::int64_t ns) {
  return {i, warmup, ns, ns, ns, ns / 2, ns / 4, ns - ns / 2 - ns / 4};
}

Point harness_point(int ranks, int iterations) {
  Point p;
  p.own_harness = true;
  p.shape.ranks = ranks;
  p.iterations = iterations;
  return p;
}

const record::End kGood{.outcome = "succeeded", .reason = "none"};

Ingested take(const Point& p, const std::string& text, const Observation& seen = {}) {
  return ingest(p, {"r1-a1", true, text}, seen, false);
}

TEST(Ingest, TimeIsTheMeanSampleTimesTheIterations) {
  Writer w = begun();
  w.add(sample(0, true, 900)).add(sample(1, false, 1'000'000)).add(sample(2, false, 3'000'000));
  w.add(record::RankTotal{0, "n1", "0", 10, 5, 8}).add(record::Check{true, ""});
  w.add(record::Done{2});
  const Ingested in = take(harness_point(1, 2), w.end(kGood));
  EXPECT_EQ(in.state, AttemptState::succeeded) << in.detail;
  EXPECT_DOUBLE_EQ(in.result.seconds, 0.004);
  EXPECT_DOUBLE_EQ(in.result.compute_seconds, 0.002);
  EXPECT_EQ(in.result.samples.size(), 3U);
  EXPECT_EQ(in.result.hosts, "n1");
  EXPECT_DOUBLE_EQ(in.result.work_total, 8);
}

TEST(Ingest, AnExtractedTimeComesFirstInItsOwnUnit) {
  Writer w = begun();
  w.add(record::Metric{"time", 250, "ms"});
  EXPECT_DOUBLE_EQ(take(Point{}, w.end(kGood)).result.seconds, 0.25);
}

TEST(Ingest, AProgramWithoutSamplesIsSplitAsItsProfileSays) {
  Writer w = begun();
  w.add(record::Metric{"time", 1, "s"});  // half of the window
  w.add(record::RankProfile{0, true, 1, 2'000'000'000, 400'000'000, 0, 200'000'000, 0, 0, 0});
  w.add(record::RankProfile{1, true, 1, 2'000'000'000, 200'000'000, 0, 0, 0, 200'000'000, 0});
  w.add(record::Operation{"MPI_Allreduce", "collective", 10, 80, 600'000'000, 400'000'000});
  const Ingested in = take(Point{}, w.end(kGood));
  EXPECT_EQ(in.state, AttemptState::succeeded) << in.detail;
  EXPECT_DOUBLE_EQ(in.result.communication_seconds, (0.3 + 0.1) / 2);
  EXPECT_DOUBLE_EQ(in.result.compute_seconds, (0.7 + 0.8) / 2);
  ASSERT_EQ(in.result.profile.size(), 2U);
  EXPECT_EQ(in.result.profile[1].other_ns, 200'000'000);
  ASSERT_EQ(in.result.operations.size(), 1U);
  EXPECT_EQ(in.result.operations[0].calls, 10);
}

TEST(Ingest, SamplesSplitARunWhateverItsProfileSays) {
  Writer w = begun();
  w.add(sample(1, false, 1'000'000));
  w.add(record::RankProfile{0, true, 1, 2'000'000, 2'000'000, 0, 0, 0, 0, 0});
  EXPECT_DOUBLE_EQ(take(Point{}, w.end(kGood)).result.compute_seconds, 0.0005);
}

TEST(Ingest, ATimeThatIsNotPositiveIsNoTime) {
  Writer w = begun();
  w.add(sample(1, false, 0));
  const Ingested in = take(Point{}, w.end(kGood));
  EXPECT_EQ(in.state, AttemptState::failed);
  EXPECT_EQ(in.reason, Reason::no_time);
}

TEST(Ingest, AWrongAnswerNeverBecomesATime) {
  Writer w = begun();
  w.add(sample(1, false, 1'000'000)).add(record::Check{false, "residual 3.0, expected < 1e-9"});
  w.add(record::RankTotal{0, "n1", "0", 10, 5, 8}).add(record::Done{1});
  const Ingested in = take(harness_point(1, 1), w.end(kGood));
  EXPECT_EQ(in.state, AttemptState::failed);
  EXPECT_EQ(in.reason, Reason::wrong_answer);
  EXPECT_EQ(in.detail, "residual 3.0, expected < 1e-9");
  EXPECT_EQ(in.result.seconds, 0);
  EXPECT_EQ(in.result.samples.size(), 1U);  // kept all the same
}

TEST(Ingest, RanksThatDidNotTakePartAreNoticed) {
  Writer w = begun();
  w.add(sample(1, false, 1'000'000)).add(record::RankTotal{0, "n1", "0", 10, 5, 8});
  w.add(record::Done{1});
  const Ingested in = take(harness_point(4, 1), w.end(kGood));
  EXPECT_EQ(in.state, AttemptState::invalid);
  EXPECT_EQ(in.reason, Reason::bad_record);
  EXPECT_NE(in.detail.find("1 ranks reported where 4"), std::string::npos);
}

TEST(Ingest, AHarnessThatNeverSaidItWasDoneIsInvalid) {
  Writer w = begun();
  w.add(sample(1, false, 1'000'000)).add(record::RankTotal{0, "n1", "0", 10, 5, 8});
  EXPECT_EQ(take(harness_point(1, 1), w.end(kGood)).reason, Reason::no_end_record);
}

TEST(Ingest, RecordsWithoutAnEndMeanALostAttempt) {
  const Ingested in = take(Point{}, begun().cut());
  EXPECT_EQ(in.state, AttemptState::lost);
  EXPECT_EQ(in.reason, Reason::agent_died);
}

TEST(Ingest, WhatTheBackendKnowsOfTheEndIsBelieved) {
  Observation seen;
  seen.preempted = true;
  EXPECT_EQ(take(Point{}, begun().cut(), seen).state, AttemptState::preempted);
  EXPECT_EQ(take(Point{}, begun().cut(), seen).detail, "preempted before it could finish");
  seen.detail = "pod j-0 on node n1: EvictionByEvictionAPI";
  EXPECT_EQ(take(Point{}, begun().cut(), seen).detail, seen.detail);
  seen.preempted = false;
  seen.reason = Reason::time_limit;
  EXPECT_EQ(take(Point{}, begun().cut(), seen).state, AttemptState::timed_out);
  seen.reason = Reason::node_failed;
  EXPECT_EQ(take(Point{}, begun().cut(), seen).reason, Reason::node_failed);
}

TEST(Ingest, AStepThatLostAPodIsLostUnlessTheBackendKnowsBetter) {
  const record::End lost{.outcome = "lost", .reason = "node_failed", .detail = "pod j-2.j is gone"};
  Observation seen;
  seen.state = AllocationState::ended;
  const auto with = [&] { return take(Point{}, begun().end(lost), seen); };
  EXPECT_EQ(with().state, AttemptState::lost);
  EXPECT_EQ(with().reason, Reason::node_failed);
  EXPECT_EQ(with().detail, "pod j-2.j is gone");
  seen.reason = Reason::oom;
  seen.detail = "pod j-2 was killed for want of memory";
  EXPECT_EQ(with().state, AttemptState::failed);
  EXPECT_EQ(with().reason, Reason::oom);
  seen.reason = Reason::user_cancelled;
  EXPECT_EQ(with().state, AttemptState::cancelled);
  seen.preempted = true;
  EXPECT_EQ(with().state, AttemptState::preempted);
}

TEST(Ingest, ANodeThatFailedIsNoFaultOfTheProgramOrOfAUser) {
  Observation seen;
  seen.state = AllocationState::ended;
  seen.reason = Reason::node_failed;
  seen.detail = "Slurm ended job 7 as NODE_FAIL, failed node n1";
  const auto expect_lost = [&](const std::string& records) {
    const Ingested in = take(Point{}, records, seen);
    EXPECT_EQ(in.state, AttemptState::lost) << records;
    EXPECT_EQ(in.reason, Reason::node_failed) << records;
    EXPECT_EQ(in.detail, seen.detail) << records;
  };
  expect_lost(begun().end(kGood));  // it ended well, but printed no time
  expect_lost(begun().end({.outcome = "failed", .reason = "killed_by_signal", .signal = 9}));
  expect_lost(begun().end({.outcome = "cancelled", .reason = "user_cancelled"}));
  expect_lost(begun().cut());
  Writer timed = begun();
  timed.add(record::Metric{"time", 1, "s"});
  EXPECT_EQ(take(Point{}, timed.end(kGood), seen).state, AttemptState::succeeded);
  Writer wrong = begun();
  wrong.add(record::Check{false, "residual 3"});
  EXPECT_EQ(take(Point{}, wrong.end(kGood), seen).reason, Reason::wrong_answer);
}

TEST(Ingest, AStepThatWasStoppedWaitsForTheEndOfItsAllocation) {
  const auto progress = [](const std::string& text) { return progress_of({"r1-a1", true, text}); };
  EXPECT_EQ(progress(begun().cut()), StepProgress::running);
  EXPECT_EQ(progress(begun().end(kGood)), StepProgress::ended);
  EXPECT_EQ(progress(begun().end({.outcome = "cancelled", .reason = "user_cancelled"})),
            StepProgress::stopped);
  EXPECT_EQ(progress(begun().end({.outcome = "lost", .reason = "node_failed"})),
            StepProgress::stopped);
}

TEST(Ingest, MangledBytesAreInvalidAndSaySo) {
  Writer w = begun();
  w.add(record::Metric{"time", 1, "s"});
  std::string text = w.end(kGood);
  text[text.find("\"value\":1") + 8] = '7';
  const Ingested in = take(Point{}, text);
  EXPECT_EQ(in.state, AttemptState::invalid);
  EXPECT_EQ(in.reason, Reason::bad_record);
  EXPECT_FALSE(in.detail.empty());
}

TEST(Ingest, OutcomesAndExitCodesPassThrough) {
  record::End end{.outcome = "failed", .reason = "exit_code", .exit_code = 7};
  end.detail = "exited with 7";
  const Ingested in = take(Point{}, begun().end(end));
  EXPECT_EQ(in.state, AttemptState::failed);
  EXPECT_EQ(in.exit_code, 7);
  EXPECT_EQ(in.detail, "exited with 7");
}

TEST(Ingest, BindingThatDiffersIsFlagged) {
  Writer w = begun();
  w.add(record::Provenance{"run", {{"binding", "differs: rank 1 may run on 0-1"}}});
  w.add(record::Metric{"time", 1, "s"});
  const Ingested in = take(Point{}, w.end(kGood));
  EXPECT_TRUE(in.result.binding_differs);
  EXPECT_EQ(in.result.facts.size(), 1U);
}

TEST(Ingest, OtherProgramsOnTheMachineAreNoticed) {
  const auto busy = [](const char* others) {
    Writer w = begun();
    w.add(record::Provenance{"run", {{"cpu.others", others}}});
    w.add(record::Metric{"time", 1, "s"});
    return take(Point{}, w.end(kGood)).result.machine_busy;
  };
  EXPECT_FALSE(busy("0.08"));
  EXPECT_TRUE(busy("1.83"));
}

TEST(Ingest, OurOwnStopDecidesUnlessTheRunHadEndedWell) {
  Ingested in;
  in.state = AttemptState::failed;
  overrule(Reason::user_cancelled, in);
  EXPECT_EQ(in.state, AttemptState::cancelled);
  overrule(Reason::time_limit, in);
  EXPECT_EQ(in.state, AttemptState::timed_out);
  overrule(Reason::pending_too_long, in);
  EXPECT_EQ(in.state, AttemptState::failed);
  in.state = AttemptState::succeeded;
  overrule(Reason::user_cancelled, in);
  EXPECT_EQ(in.state, AttemptState::succeeded);
}

TEST(NeverBegan, IsHandedOverAgainAtMostThreeTimes) {
  const Observation seen;
  EXPECT_FALSE(end_without_begin(Reason::none, seen, AttemptState::queued, 2));
  const auto end = end_without_begin(Reason::none, seen, AttemptState::queued, 3);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, AttemptState::lost);
  EXPECT_TRUE(end_without_begin(Reason::none, seen, AttemptState::running, 1));
}

TEST(NeverBegan, WhatSomebodyTookOutOfTheQueueIsNotPutThereAgain) {
  Observation seen;
  seen.reason = Reason::user_cancelled;
  seen.detail = "CANCELLED by user 0";
  const auto end = end_without_begin(Reason::none, seen, AttemptState::queued, 1);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, AttemptState::cancelled);
  EXPECT_EQ(end->detail, "CANCELLED by user 0");
}

TEST(Placement, IsTakenOnceAndWaitingEndsWithTheQueue) {
  AttemptRow attempt;
  Observation seen;
  seen.state = AllocationState::queued;
  seen.detail = "Priority";
  EXPECT_TRUE(take_placement(seen, attempt));
  EXPECT_FALSE(take_placement(seen, attempt));
  EXPECT_EQ(attempt.waiting, "Priority");
  seen.state = AllocationState::running;
  seen.nodes = "n[1-2]";
  EXPECT_TRUE(take_placement(seen, attempt));
  EXPECT_EQ(attempt.waiting, "");
  EXPECT_EQ(attempt.nodes, "n[1-2]");
}

TEST(Ingest, AStepsNodesAreThoseThatItsAgentTells) {
  Point point;
  point.metrics = {{"time", "t=(.*)", "s", "stdout"}};
  Writer w = begun();
  w.add(record::Provenance{"run", {{"nodes", "n[1,5-6]"}}}).add(record::Metric{"time", 2, "s"});
  const Ingested out = take(point, w.end(kGood));
  EXPECT_EQ(out.nodes, "n[1,5-6]");
  EXPECT_EQ(out.result.hosts, "n1,n5,n6") << "no rank said where it was";
  Writer told = begun();
  told.add(record::Provenance{"run", {{"nodes", "n[1-2]"}}});
  told.add(record::RankTotal{0, "n1", "0", 10, 5, 8});
  EXPECT_EQ(take(harness_point(1, 1), told.cut()).result.hosts, "n1")
      << "what ranks say comes first";
  EXPECT_EQ(take(harness_point(1, 1), begun().cut()).nodes, "");
}

TEST(Ingest, AStepThatStoodStillWhileItWasTimedDoesNotCount) {
  Point point;
  const auto with = [&](Nanoseconds suspended_ns) {
    Writer w;
    w.add(record::Begin{"r1-a1", 100 * kSecond}).add(record::Metric{"time", 0.25, "s"});
    record::End end = kGood;
    end.elapsed_ns = 10 * kSecond;
    Observation seen;
    seen.suspended_ns = suspended_ns;
    return take(point, w.end(end), seen);
  };
  EXPECT_EQ(with(0).state, AttemptState::succeeded);
  EXPECT_EQ(with(105 * kSecond).state, AttemptState::preempted);
  EXPECT_EQ(with(105 * kSecond).detail,
            "suspended for a while by the backend: its time does not count");
  EXPECT_EQ(with(99 * kSecond).state, AttemptState::succeeded) << "before it began";
  EXPECT_EQ(with(111 * kSecond).state, AttemptState::succeeded) << "after it had ended";
}

}  // namespace
}  // namespace kneepoint

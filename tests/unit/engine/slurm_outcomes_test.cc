// SPDX-License-Identifier: Apache-2.0
//
// The way from Slurm's word for the end of a job to the outcome of its run and to what follows, as
// docs/reference/outcomes.md tells it: for a step that was cut off, and for one that never began.
#include <gtest/gtest.h>

#include "agents/wire/record.h"
#include "orchestrator/backend/slurm/watch.h"
#include "orchestrator/engine/ingest.h"
#include "orchestrator/engine/retry.h"

namespace kneepoint {
namespace {

using S = AttemptState;

Observation seen_as(const std::string& word, bool started) {
  SlurmJob job;
  job.id = "7";
  job.state = word;
  if (started) {
    job.started = kSecond;
    job.nodes = "n1";
  }
  const SlurmMeaning meaning = meaning_of(job, kHour);
  Observation seen;
  seen.state = meaning.state;
  seen.reason = meaning.reason;
  seen.preempted = meaning.preempted;
  seen.detail = meaning.detail;
  return seen;
}

struct Row {
  const char* word;
  S state;
  Reason reason;
  Next next;  // with retries left
};

TEST(SlurmOutcomes, OfAStepThatWasCutOff) {
  const Row rows[] = {
      {"FAILED", S::lost, Reason::agent_died, Next::again},
      {"CANCELLED", S::cancelled, Reason::user_cancelled, Next::leave},
      {"TIMEOUT", S::timed_out, Reason::time_limit, Next::finish},
      {"DEADLINE", S::timed_out, Reason::time_limit, Next::finish},
      {"OUT_OF_MEMORY", S::failed, Reason::oom, Next::again},
      {"NODE_FAIL", S::lost, Reason::node_failed, Next::again},
      {"BOOT_FAIL", S::lost, Reason::node_failed, Next::again},
      {"PREEMPTED", S::preempted, Reason::none, Next::again},
  };
  const std::string begun = record::to_line(0, record::Begin{"r1-a1", 5});
  for (const Row& row : rows) {
    SCOPED_TRACE(row.word);
    const Observation seen = seen_as(row.word, true);
    ASSERT_EQ(seen.state, AllocationState::ended);
    const Ingested outcome = ingest(Point{}, {"r1-a1", true, begun}, seen, false);
    EXPECT_EQ(outcome.state, row.state) << to_string(outcome.state);
    EXPECT_EQ(outcome.reason, row.reason) << to_string(outcome.reason);
    EXPECT_NE(outcome.detail.find(row.word), std::string::npos) << outcome.detail;
    EXPECT_EQ(after_attempt(outcome.state, outcome.reason, 1, 2).next, row.next);
  }
}

TEST(SlurmOutcomes, OfAStepThatNeverBegan) {
  // Handed over again, which costs no attempt; the third time in a row it is lost.
  for (const char* word : {"FAILED", "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "REVOKED"}) {
    SCOPED_TRACE(word);
    const Observation seen = seen_as(word, false);
    EXPECT_FALSE(end_without_begin(Reason::none, seen, S::queued, 1));
    const auto third = end_without_begin(Reason::none, seen, S::queued, kMostConsecutiveFailures);
    ASSERT_TRUE(third);
    EXPECT_EQ(third->state, S::lost);
    EXPECT_NE(third->detail.find(word), std::string::npos) << third->detail;
  }
  // Not to be put there again.
  const Row rows[] = {
      {"CANCELLED", S::cancelled, Reason::user_cancelled, Next::leave},
      {"DEADLINE", S::failed, Reason::pending_too_long, Next::finish},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.word);
    const auto end = end_without_begin(Reason::none, seen_as(row.word, false), S::queued, 1);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->state, row.state) << to_string(end->state);
    EXPECT_EQ(end->reason, row.reason) << to_string(end->reason);
    EXPECT_EQ(after_attempt(end->state, end->reason, 1, 2).next, row.next);
  }
}

}  // namespace
}  // namespace kneepoint

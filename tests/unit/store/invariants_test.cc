// SPDX-License-Identifier: Apache-2.0
//
// A database as the store leaves it keeps every rule; each kind of damage breaks the rule that is
// meant for it.
#include "orchestrator/store/invariants.h"

#include <fstream>

#include "orchestrator/store/database.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

using S = AttemptState;

class InvariantsTest : public StoreTest {
 protected:
  // One run of T = 5 x 2 ms = 10 ms that succeeded, one that is being run, the others open.
  void SetUp() override {
    auto store = open();
    study_ = create(*store).row;
    put_matrix(*store, study_);
    ASSERT_TRUE(store->put_round(study_, {0, ""}));
    const std::vector<RunRow> runs = store->runs(study_).value();
    AttemptRow done = store->put_attempt(runs[0].row, 1, "kp-a").value();
    done.submissions = 1;
    for (const S to : {S::submitting, S::queued, S::running, S::collecting}) {
      const S from = done.state;
      done.state = to;
      ASSERT_TRUE(store->change_attempt(done, from));
    }
    AttemptResult result;
    for (int i = 0; i < 3; ++i) {
      result.samples.push_back({i, false, 2'000'000, 2'000'000, 2'000'000, 2'000'000, 0, 0});
    }
    result.seconds = 0.01;
    ASSERT_TRUE(store->put_result(done.row, result));
    done.state = S::succeeded;
    ASSERT_TRUE(store->change_attempt(done, S::collecting));
    ASSERT_TRUE(store->finish_run(runs[0].row));
    AttemptRow active = store->put_attempt(runs[1].row, 1, "kp-b").value();
    active.submissions = 1;
    active.state = S::submitting;
    ASSERT_TRUE(store->change_attempt(active, S::planned));
  }

  DatabaseFindings look() {
    auto found = find_violations(path(), clock_.wall());
    EXPECT_TRUE(found.has_value()) << found.error().message;
    return found ? *found : DatabaseFindings{};
  }

  // As somebody with another tool would.
  void damage(const std::string& sql) {
    auto database = Database::open_writable(path(), Journal::wal).value();
    ASSERT_TRUE(database->run_script(
        "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; " + sql));
  }

  void breaks(const std::string& rule, const std::string& sql, const std::string& words) {
    damage(sql);
    const DatabaseFindings found = look();
    ASSERT_FALSE(found.violations.empty()) << rule;
    EXPECT_EQ(found.violations[0].rule, rule) << found.violations[0].what;
    EXPECT_NE(found.violations[0].what.find(words), std::string::npos) << found.violations[0].what;
  }

  RowId study_ = 0;
};

TEST_F(InvariantsTest, HoldInADatabaseAsTheStoreLeavesIt) {
  const DatabaseFindings found = look();
  for (const Violation& one : found.violations) ADD_FAILURE() << one.rule << ": " << one.what;
  EXPECT_EQ(found.studies, 1);
  EXPECT_EQ(found.attempts, 2);
  EXPECT_EQ(found.samples, 3);
  EXPECT_GE(found.rules.size(), 16U);
}

TEST_F(InvariantsTest, AnOutcomeThatIsNotThatOfItsAttempt) {
  breaks("run_outcome", "UPDATE runs SET outcome = 'failed' WHERE number = 1",
         "r1 is failed, and its newest attempt is succeeded");
}

TEST_F(InvariantsTest, AFinishedRunWhoseAttemptGoesOn) {
  breaks("run_outcome", "UPDATE runs SET outcome = 'failed' WHERE number = 2",
         "r2 is failed, and its newest attempt is submitting");
}

TEST_F(InvariantsTest, ATimeThatDoesNotFollowFromTheSamples) {
  breaks("run_time", "UPDATE attempts SET seconds = 0.005 WHERE state = 'succeeded'",
         "T is 0.005 s, and what it reported comes to 0.01 s");
}

TEST_F(InvariantsTest, ASampleThatIsMissing) {
  breaks("samples", "DELETE FROM samples WHERE iteration = 1", "has 2 timed samples");
}

TEST_F(InvariantsTest, ATimeOfARunThatDidNotSucceed) {
  breaks("attempt_result", "UPDATE attempts SET seconds = 3 WHERE state = 'submitting'",
         "is submitting and has a T of 3");
}

TEST_F(InvariantsTest, AnEarlierAttemptThatIsNotOver) {
  breaks("attempt_state",
         "INSERT INTO attempts (run, number, allocation, state, submissions, reason)"
         " SELECT run, 2, 'kp-c', 'failed', 1, 'oom' FROM attempts WHERE state = 'submitting'",
         "is submitting although a later attempt was made");
}

TEST_F(InvariantsTest, AttemptsThatAreMissing) {
  breaks("attempt_number", "UPDATE attempts SET number = 3 WHERE state = 'submitting'",
         "1 attempts, and the last is a3");
}

TEST_F(InvariantsTest, WordsThatNobodyKnows) {
  breaks("word", "UPDATE attempts SET reason = 'bad_luck' WHERE state = 'submitting'",
         "'bad_luck' is no reason");
}

TEST_F(InvariantsTest, RowsThatReferToNothing) {
  breaks("foreign_key", "INSERT INTO metrics (attempt, name, value, unit) VALUES (999, 'x', 1, '')",
         "a row of metrics refers to a row of attempts that does not exist");
}

TEST_F(InvariantsTest, ARoundWithoutEvidence) {
  breaks("round", "INSERT INTO rounds VALUES ((SELECT id FROM studies), 1, 'nonsense', 5)",
         "round 1 rests on \"nonsense\"");
}

TEST_F(InvariantsTest, ALeaseFromTheFuture) {
  breaks("lease",
         "INSERT INTO leases VALUES ((SELECT id FROM studies), 'h', 5, 9000000000000000000)",
         "lies in the future");
}

TEST_F(InvariantsTest, APriceThatTheStudyNeverHad) {
  breaks("price", "UPDATE attempts SET price = 2 WHERE state = 'succeeded'",
         "is billed by price 2, which the study does not have");
}

TEST_F(InvariantsTest, OfManyOnlySomeAreTold) {
  damage(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)"
      " INSERT INTO events (study, run_number, attempt_number, wall_ns, kind, text)"
      " SELECT (SELECT id FROM studies), 1000 + i, 0, 1, 'x', 'x' FROM n");
  const DatabaseFindings found = look();
  ASSERT_EQ(found.violations.size(), kMostViolations + 1);
  EXPECT_EQ(found.violations.back().what, "and more of the same");
}

TEST_F(InvariantsTest, PagesThatAreOverwrittenAreFoundBeforeAnythingIsJudged) {
  { damage("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE"); }
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::streamoff>(file.tellg());
  for (std::streamoff at = 8192; at < size; at += 4096) {
    file.seekp(at);
    file << std::string(64, '\x7f');
  }
  file.close();
  const auto found = find_violations(path(), clock_.wall());
  if (found) {
    ASSERT_FALSE(found->violations.empty());
    EXPECT_EQ(found->violations[0].rule, "integrity");
  } else {
    EXPECT_FALSE(found.error().message.empty());
  }
}

TEST_F(InvariantsTest, AnotherFileIsAnError) {
  std::ofstream(folder_.file("text.db")) << "nothing of ours";
  EXPECT_FALSE(find_violations(folder_.file("text.db"), clock_.wall()));
  EXPECT_FALSE(find_violations(folder_.file("none.db"), clock_.wall()));
}

}  // namespace
}  // namespace kneepoint

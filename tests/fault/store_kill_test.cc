// SPDX-License-Identifier: Apache-2.0
//
// kill -9 of a writer: every commit it was told of is there afterwards, nothing of the transaction
// it died in is, and the file is sound. The writer reports each commit through a pipe, and the
// parent kills it after a number of reports, so that it dies at a different place each time.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/random.h"
#include "orchestrator/store/database.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

class StoreKillTest : public StoreTest {
 protected:
  // Attempts of one run, three events with each, until killed.
  [[noreturn]] void write_for_ever(RowId study, RowId run, int next, int report) {
    auto store = StudyStore::open(path(), StudyStore::Access::read_write, clock_);
    if (!store) ::_exit(1);
    for (;; ++next) {
      auto transaction = (*store)->begin();
      if (!transaction || !(*store)->put_attempt(run, next, "kp")) ::_exit(2);
      for (int i = 0; i < 3; ++i) {
        if (!(*store)->put_event(study, Event{1, "state", "x", 1, next})) ::_exit(3);
      }
      if (!(*transaction)->commit()) ::_exit(4);
      if (::write(report, &next, sizeof next) != sizeof next) ::_exit(5);
    }
  }
};

TEST_F(StoreKillTest, EveryReportedCommitSurvivesAndNoHalfOne) {
  RowId study = 0, run = 0;
  {
    auto store = open();
    study = create(*store).row;
    put_matrix(*store, study);
    run = store->runs(study).value().front().row;
  }
  Random random(20260101);
  int stored = 0;
  for (int kill = 0; kill < 30; ++kill) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(pipe[0]);
      write_for_ever(study, run, stored + 1, pipe[1]);
    }
    ::close(pipe[1]);
    int reported = 0;
    for (auto left = random.below(40) + 1; left > 0; --left) {
      ASSERT_EQ(::read(pipe[0], &reported, sizeof reported), ssize_t{sizeof reported});
    }
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself: " << status;
    for (int late = 0; ::read(pipe[0], &late, sizeof late) == ssize_t{sizeof late};)
      reported = late;
    ::close(pipe[0]);

    auto store = open();
    ASSERT_NE(store, nullptr);
    const auto attempts = store->attempts(run).value();
    ASSERT_GE(static_cast<int>(attempts.size()), reported);
    ASSERT_LE(static_cast<int>(attempts.size()), reported + 1);  // committed, not yet reported
    ASSERT_EQ(store->events(study, 1).value().size(), 3 * attempts.size());
    stored = static_cast<int>(attempts.size());
  }
  auto database = Database::open_read_only(path());
  auto sound = (*database)->query("PRAGMA integrity_check");
  ASSERT_TRUE(sound->next().value());
  std::string answer;
  sound->read(answer);
  EXPECT_EQ(answer, "ok");
}

TEST_F(StoreKillTest, AReaderFindsTheCommitsOfAKilledWriterWithoutOneComingBack) {
  RowId study = 0, run = 0;
  {
    auto store = open();
    study = create(*store).row;
    put_matrix(*store, study);
    run = store->runs(study).value().front().row;
  }
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) write_for_ever(study, run, 1, pipe[1]);
  ::close(pipe[1]);
  int reported = 0;
  ASSERT_EQ(::read(pipe[0], &reported, sizeof reported), ssize_t{sizeof reported});
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(pipe[0]);
  auto reader = open(StudyStore::Access::read_only);
  ASSERT_NE(reader, nullptr);
  EXPECT_GE(reader->attempts(run).value().size(), 1U);
}

}  // namespace
}  // namespace kneepoint

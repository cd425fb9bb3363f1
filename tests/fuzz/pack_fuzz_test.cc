// SPDX-License-Identifier: Apache-2.0
//
// Rows of a pack changed by a seeded hand, as a forger with the right sums could: each study is
// refused, or gives a whole report. The seed of a failure is in its message.
#include <gtest/gtest.h>

#include "orchestrator/answers/pack/import_pack.h"
#include "orchestrator/base/random.h"
#include "orchestrator/report/document.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

constexpr int kPackRounds = 400;

const std::vector<Cell> kStrange = {Cell(),
                                    std::int64_t{0},
                                    std::int64_t{-1},
                                    std::int64_t{1},
                                    std::int64_t{7},
                                    std::int64_t{1} << 40,
                                    INT64_MAX,
                                    INT64_MIN,
                                    0.0,
                                    -1.5,
                                    1e-300,
                                    1e308,
                                    0.5,
                                    std::string(),
                                    std::string("x"),
                                    std::string("succeeded"),
                                    std::string("\0\x1b[31m", 6),
                                    std::string("weak")};

class PackFuzz : public StoreTest {
 protected:
  void SetUp() override {
    store_ = open();
    const RowId study = create(*store_).row;
    put_matrix(*store_, study);
    double seconds = 2;
    for (const RunRow& run : store_->runs(study).value()) {
      const AttemptRow attempt = store_->put_attempt(run.row, 1, "kp-x").value();
      drive(*store_, attempt, AttemptState::succeeded, Reason::none, 100, 200);
      AttemptResult result;
      result.seconds = seconds *= 0.9;
      result.samples = {{0, false, 400'000'000, 4, 3, 2, 1, 0}};
      result.ranks = {{0, "n1", "0", 1, 2, 3.5}};
      result.facts = {{"n1", "cpu.model", "X"}};
      result.work_total = 100;
      ASSERT_TRUE(store_->put_result(attempt.row, result));
      ASSERT_TRUE(store_->finish_run(run.row));
    }
    base_.row = store_->find_study("jacobi").value();
    base_.row.hash8 = "12345678";
    base_.row.id = "jacobi-12345678-1";
    base_.row.state = "finished";
    base_.tables = store_->study_tables(study).value();
  }

  ForeignStudy changed(Random& random) const {
    ForeignStudy study = base_;
    for (std::uint64_t i = 0; i <= random.below(3); ++i) {
      RowTable& table = study.tables[random.below(study.tables.size())];
      if (table.rows.empty()) continue;
      auto& row = table.rows[random.below(table.rows.size())];
      Cell& cell = row[random.below(row.size())];
      // Mostly of the kind that the schema takes.
      for (int tries = 0; tries < 8; ++tries) {
        const Cell& other = kStrange[random.below(kStrange.size())];
        if (tries < 7 && other.index() != cell.index()) continue;
        cell = other;
        break;
      }
    }
    return study;
  }

  std::unique_ptr<StudyStore> store_;
  ForeignStudy base_;
};

TEST_F(PackFuzz, EveryStudyIsRefusedOrReported) {
  AnalysisOptions options;
  options.bootstrap.replicates = 20;
  int taken = 0;
  for (int round = 0; round < kPackRounds; ++round) {
    SCOPED_TRACE("seed " + std::to_string(round));
    Random random(static_cast<std::uint64_t>(round), "pack fuzz");
    const ForeignStudy study = changed(random);
    auto transaction = store_->begin().value();  // never committed
    const auto put = store_->put_foreign_study(study);
    if (!put) continue;
    auto evidence = store_->evidence_in_detail(put->row);
    if (!evidence || !check_foreign_evidence(*evidence)) continue;
    ++taken;
    const Document document = make_document(std::move(*evidence), options);
    const std::string json = to_json(document);
    ASSERT_EQ(json.find("nan,"), std::string::npos);
    ASSERT_FALSE(to_terminal(document, TerminalStyle{}).empty());
  }
  EXPECT_GT(taken, kPackRounds / 10) << "the hand is too heavy: nothing is taken any more";
}

}  // namespace
}  // namespace kneepoint

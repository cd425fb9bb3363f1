// SPDX-License-Identifier: Apache-2.0
//
// What the store's tests share: a real database file in a folder of its own, removed afterwards,
// and a study to put into it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "orchestrator/store/study_store.h"
#include "tests/fakes/fake_clock.h"

namespace kneepoint {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kp-store-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline Point make_point(int k, Mode mode = Mode::strong) {
  Point point;
  point.build = "default";
  point.workload = "jacobi";
  point.case_name = "jacobi[order=2,tile=8]";
  point.parameters = {{"order", "2"}, {"tile", "8"}};
  point.mode = mode;
  point.k = k;
  point.shape = Shape{k, k * 16, 16, 2, 0, Bind::socket};
  point.size = 512.5;
  point.has_size = true;
  point.results = 3;
  point.result_name = "solve";
  point.held_fixed = "the global grid of 512^3 cells";
  point.work_unit = "cells";
  point.command.argv = {"kp-jacobi3d", "--size", "512", "a \"quoted\" word"};
  point.own_harness = true;
  point.modelled_seconds = 1.25;
  point.iterations = 5;
  point.flops = 1e9;
  point.bytes = 2.5e8;
  point.parallelism = 4096;
  return point;
}

inline Study make_study(const std::string& name = "jacobi", const std::string& hash8 = "0a1b2c3d") {
  Study study;
  study.plan.study = name;
  study.plan.worker = WorkerUnit::node;
  study.plan.seed = 18446744073709551615ULL;  // needs all 64 bits
  study.plan.text = "study: " + name + "\n";
  study.plan.path = "plans/" + name + ".yaml";
  study.plan.knee = {"efficiency", 0.75};
  study.hash8 = hash8;
  study.points = {make_point(1), make_point(2), make_point(1, Mode::weak)};
  return study;
}

inline Site make_site() {
  Site site;
  site.name = "here";
  site.backend = BackendKind::simulated;
  site.text = "backend: simulated\n";
  return site;
}

// An open store with one study of three points and two repeats each.
class StoreTest : public ::testing::Test {
 protected:
  std::string path() const { return folder_.file("kneepoint.db"); }

  std::unique_ptr<StudyStore> open(StudyStore::Access access = StudyStore::Access::read_write) {
    auto store = StudyStore::open(path(), access, clock_);
    EXPECT_TRUE(store.has_value()) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }

  StudyRow create(StudyStore& store, const std::string& name = "jacobi",
                  const std::string& hash8 = "0a1b2c3d", int n = 1) {
    auto row = store.create_study(make_study(name, hash8), make_site(), n, "/shared/" + name);
    EXPECT_TRUE(row.has_value()) << row.error().message;
    return row.value();
  }

  // Round 0 in plan order: runs r1..r6.
  std::vector<RowId> put_matrix(StudyStore& store, RowId study) {
    auto points = store.put_points(study, make_study().points);
    EXPECT_TRUE(points.has_value()) << points.error().message;
    std::vector<PlannedRun> planned;
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (const RowId point : *points) {
        planned.push_back({point, repeat, 0, static_cast<int>(planned.size())});
      }
    }
    auto put = store.put_runs(study, planned);
    EXPECT_TRUE(put.has_value()) << put.error().message;
    return *points;
  }

  // Takes an attempt all the way, the legal way.
  static void drive(StudyStore& store, AttemptRow attempt, AttemptState end,
                    Reason reason = Reason::none, Nanoseconds started = 0, Nanoseconds ended = 0) {
    AttemptState from = attempt.state;
    for (const auto to :
         {AttemptState::submitting, AttemptState::running, AttemptState::collecting, end}) {
      attempt.state = to;
      attempt.started_ns = started;
      attempt.ended_ns = ended;
      attempt.reason = to == end ? reason : Reason::none;
      auto changed = store.change_attempt(attempt, from);
      ASSERT_TRUE(changed.has_value()) << changed.error().message;
      from = to;
    }
  }

  TemporaryFolder folder_;
  FakeClock clock_;
};

}  // namespace kneepoint

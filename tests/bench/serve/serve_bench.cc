// SPDX-License-Identifier: Apache-2.0
//
// kneepoint serve with 500 studies of 240 runs: a list of all of them takes less than 200 ms, and
// 200 open event streams less than 150 MB.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>

#include "tests/fakes/kneepoint_process.h"
#include "tests/fakes/web_caller.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

using testing_support::Place;
using testing_support::WebCaller;

constexpr int kStudies = 500;
constexpr int kRepeats = 80;  // of three points
constexpr std::size_t kStreams = 200;

long resident_kb(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    long kb = 0;
    if (word == "VmRSS:" && status >> kb) return kb;
  }
  return 0;
}

class ServeBench : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store =
        StudyStore::open(place_.path() + "/kneepoint.db", StudyStore::Access::read_write, clock_);
    ASSERT_TRUE(store) << store.error().message;
    auto transaction = (*store)->begin();
    for (int n = 1; n <= kStudies; ++n) {
      clock_.advance(kSecond);
      const auto row = (*store)->create_study(make_study("bench", "0a1b2c3d"), make_site(), n,
                                              "/shared/" + std::to_string(n));
      ASSERT_TRUE(row) << row.error().message;
      const auto points = (*store)->put_points(row->row, make_study().points);
      ASSERT_TRUE(points);
      std::vector<FinishedRun> runs;
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        for (const RowId point : *points) {
          runs.push_back({point, repeat, 1 + 0.001 * ((n * 31 + repeat) % 7), "", {}, {}});
        }
      }
      ASSERT_TRUE((*store)->put_finished_runs(row->row, runs));
      newest_ = row->row;
      if (n < kStudies) {
        ASSERT_TRUE((*store)->set_study_state(row->row, "finished"));
      }
    }
    ASSERT_TRUE((*transaction)->commit());
    store_ = std::move(*store);
    pid_ = place_.start({"serve", "--listen", "127.0.0.1:0"});
    ASSERT_TRUE(place_.wait_until(
        pid_, [&] { return place_.read("out").find('\n') != std::string::npos; }));
    const std::string url = place_.read("out");
    port_ = std::stoi(url.substr(url.rfind(':') + 1));
  }
  ~ServeBench() override {
    if (pid_ > 0) ::kill(pid_, SIGTERM);
  }

  Place place_;
  FakeClock clock_;
  std::unique_ptr<StudyStore> store_;
  RowId newest_ = 0;
  pid_t pid_ = 0;
  int port_ = 0;
};

TEST_F(ServeBench, FiveHundredStudiesAreListedInLessThan200Milliseconds) {
  WebCaller caller(port_);
  std::vector<double> milliseconds;
  for (int i = 0; i < 7; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = caller.ask("GET", "/api/v1/studies?limit=500");
    const auto end = std::chrono::steady_clock::now();
    ASSERT_EQ(answer.status, 200);
    EXPECT_NE(answer.body.find("bench-0a1b2c3d-1\""), std::string::npos);
    milliseconds.push_back(std::chrono::duration<double, std::milli>(end - begin).count());
  }
  std::cout << "500 studies of 240 runs: first " << milliseconds.front() << " ms, worst "
            << *std::max_element(milliseconds.begin(), milliseconds.end()) << " ms\n";
  EXPECT_LT(milliseconds.front(), 200);
  std::sort(milliseconds.begin(), milliseconds.end());
  EXPECT_LT(milliseconds[milliseconds.size() / 2], 200);
}

TEST_F(ServeBench, TwoHundredStreamsTakeLessThan150Megabytes) {
  std::vector<std::unique_ptr<WebCaller>> callers;
  const std::string path = "/api/v1/studies/bench-0a1b2c3d-500/events";
  for (std::size_t i = 0; i < kStreams; ++i) {
    callers.push_back(std::make_unique<WebCaller>(port_));
    ASSERT_TRUE(callers.back()->send(WebCaller::request("GET", path, "", "")));
  }
  for (auto& caller : callers) {
    ASSERT_EQ(caller->answer().status, 200);
    EXPECT_NE(caller->read_until("\n\n").find("\"state\":\"running\""), std::string::npos);
  }
  const long before = resident_kb(pid_);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(store_->put_event(newest_, {clock_.wall(), "note", "all shall see this", 0, 0}));
  for (auto& caller : callers) {
    EXPECT_NE(caller->read_until("\n\n").find("all shall see this"), std::string::npos);
  }
  const auto end = std::chrono::steady_clock::now();
  const long after = resident_kb(pid_);
  std::cout << kStreams << " streams: " << before / 1024 << " MB, after a change " << after / 1024
            << " MB; all had it after "
            << std::chrono::duration<double, std::milli>(end - begin).count() << " ms\n";
  EXPECT_LT(after, 150 * 1024);
  EXPECT_GT(after, 0);
}

}  // namespace
}  // namespace kneepoint

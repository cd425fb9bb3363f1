// SPDX-License-Identifier: Apache-2.0
//
// 2,000 agents push to one controller over TLS on loopback, within ten seconds, each at instants of
// its own; their nodes then die, so that what was pushed is all there is.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "tests/bench/child.h"
#include "tests/bench/push/push_load.h"

namespace kneepoint::bench {
namespace {

constexpr double kMostSeconds = 30;
constexpr double kMostP99 = 1000;  // ms
constexpr double kMostMegabytes = 300;

std::string read_line(int fd) {
  std::string line;
  char c = 0;
  while (::read(fd, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

TEST(PushBench, TwoThousandAgentsPushWithinTenSecondsAndAllIsInTheDatabaseWithinThirty) {
  const PushLoad load;
  const std::string folder = fresh_folder("push");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t controller = ::fork();
  if (controller == 0) {
    ::close(ends[0]);
    ::_exit(control(load, folder, ends[1]));
  }
  ::close(ends[1]);
  ASSERT_EQ(read_line(ends[0]), "ready");
  const Nanoseconds began = system_clock().steady();
  const int lost = push_all(load, folder);
  const double pushed = to_seconds(system_clock().steady() - began);
  std::istringstream text(read_line(ends[0]));
  const double stored = to_seconds(system_clock().steady() - began);
  ControllerFigures f;
  text >> f.p50_ms >> f.p99_ms >> f.pushes >> f.put_off >> f.refused >> f.connections >>
      f.peak_megabytes >> f.succeeded >> f.samples;
  int status = 0;
  ::waitpid(controller, &status, 0);
  ::close(ends[0]);
  std::printf(
      "bench: %d agents, %ld pushes over %ld TLS connections in %.1f s: p50 %.1f ms, p99 %.1f ms; "
      "%d runs and %ld samples in the database after %.1f s; controller at most %.0f MB\n",
      load.agents, f.pushes, f.connections, pushed, f.p50_ms, f.p99_ms, f.succeeded, f.samples,
      stored, f.peak_megabytes);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(f.pushes, load.agents * load.pushes);
  EXPECT_EQ(f.put_off + f.refused, 0);
  EXPECT_EQ(f.succeeded, load.agents);
  EXPECT_EQ(f.samples, static_cast<long>(load.agents) * load.samples);
  EXPECT_LT(stored, kMostSeconds);
  EXPECT_LT(f.p99_ms, kMostP99);
  EXPECT_LT(f.peak_megabytes, kMostMegabytes);
}

}  // namespace
}  // namespace kneepoint::bench

// SPDX-License-Identifier: Apache-2.0
//
// What a pair of probe calls costs, in the quickest of many batches.
#include <time.h>

#include <algorithm>
#include <cstdio>

#include "agents/probe/kneepoint/probe.h"

namespace {

double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

template <typename Body>
double best_of(const Body& body) {
  double best = 1e9;
  for (int batch = 0; batch < 100; ++batch) {
    const double from = now();
    for (int i = 0; i < 500; ++i) body();
    best = std::min(best, (now() - from) / 500);
  }
  return best;
}

}  // namespace

int main() {
  const double iteration = best_of([] {
    kp_iteration_begin();
    kp_iteration_end();
  });
  const double region = best_of([] {
    kp_region_begin("assemble");
    kp_region_end("assemble");
  });
  std::printf("enabled %d\niteration %.2f ns\nregion %.2f ns\n", kp_enabled(), iteration, region);
  return 0;
}

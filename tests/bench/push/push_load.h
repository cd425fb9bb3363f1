// SPDX-License-Identifier: Apache-2.0
//
// Both sides of the load: a controller (engine, endpoint and database as in `run`, on a backend
// that the bench scripts) and agents that push over TLS, each at instants of its own.
#pragma once

#include <string>

#include "orchestrator/base/clock.h"

namespace kneepoint::bench {

struct PushLoad {
  int agents = 2000;
  int pushes = 3;    // of each
  int samples = 90;  // of each
  Nanoseconds window = 10 * kSecond;
};

inline constexpr char kLoadHash[] = "0a1b2c3d";
std::string load_allocation(int run);  // as the engine names it
std::string load_attempt(int run);

struct ControllerFigures {
  double p50_ms = 0, p99_ms = 0;
  long pushes = 0, put_off = 0, refused = 0, connections = 0;
  double peak_megabytes = 0;
  int succeeded = 0;
  long samples = 0;  // in the database at the end
};

// To be called in a process of its own: drives the study until every agent's records are results.
// Writes "ready" to `out` when all attempts run, and the figures at the end. Exit code.
int control(const PushLoad& load, const std::string& folder, int out);

// All agents; how many pushes were not acknowledged.
int push_all(const PushLoad& load, const std::string& folder);

}  // namespace kneepoint::bench

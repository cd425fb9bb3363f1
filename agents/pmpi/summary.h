// SPDX-License-Identifier: Apache-2.0
//
// What one rank leaves behind, as text: lines of words, from "kneepoint-profile 1" to "end".
// agents/agent/supervise/rank_report.cc reads it. May be made by a signal handler: no heap, no
// stdio, and threads may be counting meanwhile.
#pragma once

#include <cstdint>

#include "agents/pmpi/counters.h"
#include "agents/probe/plain_text.h"

namespace kneepoint::pmpi {

struct RankFacts {
  int rank = 0;
  int ranks = 1;
  char host[256] = "";
  char cpus[1024] = "";   // as the kernel lists them: "0-3,8"
  Block* main = nullptr;  // of the thread that called MPI_Init
};

struct Window {
  ticks::Moment begin;      // MPI_Init has returned
  std::uint64_t open = 0;   // ticks counted before, while MPI_Pcontrol had not switched it off
  std::uint64_t since = 0;  // now open since then; 0: closed
};

// `complete`: MPI_Finalize was reached.
void write_summary(const RankFacts& facts, const Window& window, bool complete, PlainText& text);

}  // namespace kneepoint::pmpi

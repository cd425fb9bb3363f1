// SPDX-License-Identifier: Apache-2.0
//
// What one rank leaves behind, as text: lines of words, from "kneepoint-profile 1" to "end";
// agents/agent/supervise/rank_report.cc reads it. Into a file, once, whichever way the rank ends.
// What is needed then (names, room for the text) is made ready at MPI_Init, since a signal handler
// may only use what is there: no heap, no stdio, and threads may be counting meanwhile.
#pragma once

#include <cstddef>
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

RankFacts& rank_facts();
Window& window();

// Names the files in `folder`, which is made if its parent is there, and watches for the end.
void prepare_to_leave(const char* folder);
bool can_leave();

// `complete`: MPI_Finalize was reached. One at a time; in static room.
PlainText summary_text(bool complete);
bool write_all_ranks(const char* bytes, std::size_t size);
void leave(bool complete);  // this rank's own file, unless it has left
void left();                // nothing more to do

}  // namespace kneepoint::pmpi

// SPDX-License-Identifier: Apache-2.0
//
// The last thing a rank does for us: its summary into a file, once, whichever way it ends. What is
// needed then (names, room for the text) is made ready at MPI_Init, since a signal handler may only
// use what is there.
#pragma once

#include <cstddef>

#include "agents/pmpi/summary.h"

namespace kneepoint::pmpi {

RankFacts& rank_facts();
Window& window();

// Names the files in `folder`, which is made if its parent is there, and watches for the end.
void prepare_to_leave(const char* folder);
bool can_leave();

PlainText summary_text(bool complete);  // one at a time; in static room
bool write_all_ranks(const char* bytes, std::size_t size);
void leave(bool complete);  // this rank's own file, unless it has left
void left();                // nothing more to do

}  // namespace kneepoint::pmpi

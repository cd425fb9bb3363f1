// SPDX-License-Identifier: Apache-2.0
//
// What the harness says between ranks, always outside the timed region. `polite` waits by napping
// instead of spinning: for emulated workloads, whose ranks outnumber the cores.
#pragma once

#include <mpi.h>

#include <vector>

#include "agents/wire/record.h"
#include "workloads/harness/timers.h"

namespace kneepoint::workloads {

void meet(MPI_Comm comm, bool polite);                      // a barrier
int told_by_rank_0(MPI_Comm comm, int value, bool polite);  // rank 0's value, everywhere

// One iteration over all ranks; only rank 0's answer means anything.
record::Sample combine(MPI_Comm comm, Nanoseconds total, const Timers& timers, bool polite);

// One entry per rank in rank order on rank 0, empty elsewhere.
std::vector<record::RankTotal> gather_totals(MPI_Comm comm, const record::RankTotal& mine);

}  // namespace kneepoint::workloads

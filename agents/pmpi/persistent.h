// SPDX-License-Identifier: Apache-2.0
//
// What a persistent request sends each time it is started: noted when it is made, looked up by
// MPI_Start and MPI_Startall, forgotten when it is freed. Any thread may do any of it.
#pragma once

#include "agents/pmpi/wrapper.h"

namespace kneepoint::pmpi {

void note_persistent(MPI_Request request, std::uint64_t bytes);
void forget_persistent(MPI_Request request);
// Of all of them together; requests that nobody noted (of receiving) send nothing.
std::uint64_t started(const MPI_Request* requests, int count);

}  // namespace kneepoint::pmpi

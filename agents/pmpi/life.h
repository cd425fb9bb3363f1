// SPDX-License-Identifier: Apache-2.0
//
// From MPI_Init to the summary. C and Fortran entry points call these around the real ones; every
// one may be called twice, since one language may be made of the other.
#pragma once

namespace kneepoint::pmpi {

void after_init();        // MPI is there: the window opens
void before_finalize();   // the window closes, rank 0 gathers all summaries
void before_abort();      // this rank leaves its own
void control(int level);  // MPI_Pcontrol: 0 closes the window, others open it

}  // namespace kneepoint::pmpi

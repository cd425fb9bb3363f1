// SPDX-License-Identifier: Apache-2.0
//
// Threads inside a rank. OMP_NUM_THREADS decides; without it a rank has one thread, because a rank
// that takes every core it can see would fight with its neighbours.
#pragma once

namespace kneepoint::workloads {

void limit_threads_by_environment();  // call once, before the first kernel
int thread_count();                   // of the next parallel region; 1 without OpenMP

}  // namespace kneepoint::workloads

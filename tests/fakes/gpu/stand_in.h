// SPDX-License-Identifier: Apache-2.0
//
// CPU stand-ins for the shared libraries of CUDA, cuBLAS and NCCL: device memory is host memory, a
// stream is a queue with a thread of its own, a collective goes through shared memory. What they
// run says nothing of a GPU, so their device is called "CPU stand-in (no GPU)".
//
// Environment:
//   KNEEPOINT_STAND_IN_DEVICES   how many devices there are (8)
//   KNEEPOINT_STAND_IN_GEMM_MS, KNEEPOINT_STAND_IN_COLLECTIVE_MS   the least that one takes (0)
//   KNEEPOINT_STAND_IN_FAIL      WHAT@RANK:N, the Nth (from 1) on that rank of MPI's goes wrong:
//     out_of_memory   cudaMalloc says so
//     illegal_address work on a stream fails, counted in gemms
//     remote_error    a collective never ends, the communicator tells why
//     wrong_sum       an all-reduce adds one to its first element
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>

namespace kneepoint::stand_in {

constexpr const char* kName = "CPU stand-in (no GPU)";

// Puts work at the end of a stream; nullptr is the default one.
void enqueue(cudaStream_t stream, std::function<void()> work);

// From now on every call that asks about streams answers with this.
void fail_with(cudaError_t status);

// True when this call is the one that the script wants to fail; counts the calls.
bool is_to_fail(const std::string& what);

// Sleeps until so many milliseconds have passed since `begun`, as a variable of the environment
// says.
double now_seconds();
void last_at_least(double begun, const char* variable);

}  // namespace kneepoint::stand_in

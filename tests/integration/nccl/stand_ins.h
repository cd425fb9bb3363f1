// SPDX-License-Identifier: Apache-2.0
//
// The NCCL workloads as a test runs them: on CPU stand-ins of CUDA, cuBLAS and NCCL (see
// tests/fakes/gpu/stand_in.h), or on the real libraries.
#pragma once

#include <gtest/gtest.h>

#include "tests/integration/workloads/mpirun.h"

namespace kneepoint::workloads {

// Skips when the programs are not built.
class NcclTest : public ::testing::Test {
 protected:
  void SetUp() override;
};

// Where the stand-ins lie: for LD_LIBRARY_PATH.
std::string stand_ins();

// Arguments that make it quick on a CPU, then `more`.
std::vector<std::string> small(const std::string& program, const std::vector<std::string>& more);

Outcome on_stand_ins(int ranks, const std::string& program,
                     const std::vector<std::string>& arguments, Environment environment = {});

}  // namespace kneepoint::workloads

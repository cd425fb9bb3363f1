// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/nccl/stand_ins.h"

namespace kneepoint::workloads {

void NcclTest::SetUp() {
  if (KP_NCCL_BUILT == 0) {
    GTEST_SKIP() << "the NCCL workloads are not built here: CMake found no CUDA and NCCL; "
                    "'tests/nccl/toolkit fetch' fetches them, then ./check builds them";
  }
}

std::string stand_ins() {
  return KP_STAND_INS;
}

std::vector<std::string> small(const std::string& program, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"--size", "8", "--warmup", "0", "--iterations", "1"};
  if (program == "nccl_data_parallel") {
    arguments.insert(arguments.end(), {"--width", "16", "--layers", "2"});
  } else {
    arguments.insert(arguments.end(), {"--repeats", "1"});
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Outcome on_stand_ins(int ranks, const std::string& program,
                     const std::vector<std::string>& arguments, Environment environment) {
  environment.emplace_back("LD_LIBRARY_PATH", stand_ins());
  return mpirun(ranks, program, arguments, true, environment);
}

}  // namespace kneepoint::workloads

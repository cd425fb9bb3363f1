// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong on a GPU is an outcome with a name: in the records, on stderr and as status 4.
#include <filesystem>

#include "tests/integration/nccl/stand_ins.h"

namespace kneepoint::workloads {
namespace {

void expect_failure(const Outcome& o, const std::string& reason, const std::string& words) {
  EXPECT_EQ(o.exit_code, 4) << o.errors;
  EXPECT_TRUE(o.refused.empty()) << o.refused.front();
  EXPECT_FALSE(o.records.done.has_value());
  ASSERT_TRUE(o.records.failure.has_value()) << o.errors;
  EXPECT_EQ(o.records.failure->reason, reason);
  EXPECT_NE(o.records.failure->detail.find(words), std::string::npos) << o.records.failure->detail;
  EXPECT_NE(o.errors.find(o.records.failure->detail), std::string::npos) << o.errors;
}

const Environment kHost = {{"KNEEPOINT_NODE", "gpu-node-7"}};

Environment with(const std::string& name, const std::string& value) {
  Environment environment = kHost;
  environment.emplace_back(name, value);
  return environment;
}

TEST_F(NcclTest, WithoutADeviceTheyEndAtOnce) {
  for (const char* program : {"nccl_allreduce", "nccl_data_parallel"}) {
    for (const int ranks : {kAlone, 2}) {
      const Outcome o = on_stand_ins(ranks, program, {}, with("KNEEPOINT_STAND_IN_DEVICES", "0"));
      expect_failure(o, "no_device", "no CUDA device on gpu-node-7");
      EXPECT_TRUE(o.records.samples.empty());
      EXPECT_EQ(fact(o.records, "device"), "none");
    }
  }
}

// The real libraries find no driver here. Where there is a GPU, another test must look at it.
TEST_F(NcclTest, WithoutADeviceTheRealLibrariesSaySoToo) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU";
  for (const char* program : {"nccl_allreduce", "nccl_data_parallel"}) {
    const Outcome o = mpirun(2, program, {}, true, with("LD_LIBRARY_PATH", ""));
    expect_failure(o, "no_device", "no CUDA device on gpu-node-7");
    EXPECT_NE(fact(o.records, "cuda.runtime"), "");
    EXPECT_EQ(fact(o.records, "device"), "none");
  }
}

TEST_F(NcclTest, ARankBeyondTheDevicesOfItsHostIsNamed) {
  expect_failure(on_stand_ins(3, "nccl_allreduce", {}, with("KNEEPOINT_STAND_IN_DEVICES", "2")),
                 "no_device", "no CUDA device on gpu-node-7 for local rank 2: it has 2");
}

TEST_F(NcclTest, TwoRanksNeverShareADevice) {
  expect_failure(on_stand_ins(2, "nccl_allreduce", {}, with("KNEEPOINT_STAND_IN_DEVICES", "1")),
                 "no_device",
                 "no CUDA device on gpu-node-7 for local rank 1: local rank 0 has the same one");
}

TEST_F(NcclTest, WantOfDeviceMemoryIsOom) {
  expect_failure(on_stand_ins(2, "nccl_data_parallel", {"--size", "8", "--width", "16"},
                              with("KNEEPOINT_STAND_IN_FAIL", "out_of_memory@1:2")),
                 "oom", "bytes: cudaErrorMemoryAllocation (out of memory) on gpu-node-7, rank 1");
}

TEST_F(NcclTest, ACollectiveThatFailsIsADeviceError) {
  for (const char* program : {"nccl_allreduce", "nccl_data_parallel"}) {
    expect_failure(on_stand_ins(2, program, small(program, {"--iterations", "3"}),
                                with("KNEEPOINT_STAND_IN_FAIL", "remote_error@1:2")),
                   "device_error",
                   "a collective: NCCL says: remote process exited or there was a network error on "
                   "gpu-node-7, rank 1");
  }
}

TEST_F(NcclTest, WorkThatFailsOnTheDeviceIsADeviceError) {
  expect_failure(on_stand_ins(2, "nccl_data_parallel", {"--size", "8", "--width", "16"},
                              with("KNEEPOINT_STAND_IN_FAIL", "illegal_address@0:3")),
                 "device_error", "cudaErrorIllegalAddress");
}

TEST_F(NcclTest, AWrongSumIsAWrongAnswer) {
  for (const char* program : {"nccl_allreduce", "nccl_data_parallel"}) {
    const Outcome o = on_stand_ins(2, program, small(program, {}),
                                   with("KNEEPOINT_STAND_IN_FAIL", "wrong_sum@1:1"));
    EXPECT_EQ(o.exit_code, 3) << o.errors;
    EXPECT_FALSE(o.records.failure.has_value());
    ASSERT_TRUE(o.records.check.has_value());
    EXPECT_FALSE(o.records.check->passed) << o.records.check->detail;
  }
}

}  // namespace
}  // namespace kneepoint::workloads

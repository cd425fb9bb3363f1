// SPDX-License-Identifier: Apache-2.0
//
// Calls that failed become outcomes with a name: no_device, oom or device_error.
#include "workloads/nccl/device.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace kneepoint::workloads {
namespace {

constexpr int kNameLength = 256;  // as in cudaDeviceProp

// 12040 -> "12.4", as CUDA counts.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

Device::~Device() {
  if (comm_ != nullptr) ncclCommDestroy(comm_);
}

void Device::fail(const std::string& reason, const std::string& what) const {
  fail_run(setup_, {reason, what + " on " + host_ + ", rank " + std::to_string(setup_.rank)});
}

void Device::check(cudaError_t status, const char* call) const {
  if (status == cudaSuccess) return;
  fail(status == cudaErrorMemoryAllocation ? "oom" : "device_error",
       std::string(call) + ": " + cudaGetErrorName(status) + " (" + cudaGetErrorString(status) +
           ")");
}

void Device::check(cublasStatus_t status, const char* call) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  fail(status == CUBLAS_STATUS_ALLOC_FAILED ? "oom" : "device_error",
       std::string(call) + ": " + cublasGetStatusString(status));
}

void Device::check(ncclResult_t status, const char* call) const {
  if (status == ncclSuccess || status == ncclInProgress) return;
  fail("device_error", std::string(call) + ": NCCL says: " + ncclGetErrorString(status));
}

std::optional<record::Failure> Device::pick() {
  const cudaError_t counted = cudaGetDeviceCount(&visible_);
  if (counted != cudaSuccess || visible_ == 0) {
    const std::string why =
        counted == cudaSuccess ? "" : std::string(" (") + cudaGetErrorString(counted) + ")";
    return record::Failure{"no_device", "no CUDA device on " + host_ + why};
  }
  // A starter that gives each rank its own GPU lets it see that one alone.
  const int number = visible_ == 1 ? 0 : local_rank_;
  if (number >= visible_) {
    return record::Failure{"no_device", "no CUDA device on " + host_ + " for local rank " +
                                            std::to_string(local_rank_) + ": it has " +
                                            std::to_string(visible_)};
  }
  for (const cudaError_t status :
       {cudaSetDevice(number), cudaGetDeviceProperties(&properties_, number)}) {
    if (status == cudaSuccess) continue;
    return record::Failure{"device_error", "CUDA device " + std::to_string(number) + " of " +
                                               host_ +
                                               " can't be used: " + cudaGetErrorString(status)};
  }
  return std::nullopt;
}

// Two ranks on one GPU would time each other's work, and NCCL refuses it.
std::optional<record::Failure> Device::find_shared_device(MPI_Comm node) {
  int ranks = 1;
  MPI_Comm_size(node, &ranks);
  constexpr int kLength = sizeof properties_.uuid.bytes;
  std::vector<char> ids(static_cast<std::size_t>(ranks * kLength));
  MPI_Allgather(properties_.uuid.bytes, kLength, MPI_CHAR, ids.data(), kLength, MPI_CHAR, node);
  for (int other = 0; other < local_rank_; ++other) {
    if (std::memcmp(&ids[static_cast<std::size_t>(other * kLength)], properties_.uuid.bytes,
                    kLength) != 0) {
      continue;
    }
    return record::Failure{"no_device", "no CUDA device on " + host_ + " for local rank " +
                                            std::to_string(local_rank_) + ": local rank " +
                                            std::to_string(other) + " has the same one"};
  }
  return std::nullopt;
}

std::optional<record::Failure> Device::choose() {
  host_ = this_node();
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(setup_.comm, MPI_COMM_TYPE_SHARED, setup_.rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local_rank_);
  auto failure = first_failure(setup_.comm, pick());
  if (!failure) failure = first_failure(setup_.comm, find_shared_device(node));
  MPI_Comm_free(&node);
  if (!failure) gather_names();
  return failure;
}

void Device::gather_names() {
  std::vector<char> all(setup_.rank == 0 ? static_cast<std::size_t>(setup_.ranks) * kNameLength
                                         : 0);
  MPI_Gather(properties_.name, kNameLength, MPI_CHAR, all.data(), kNameLength, MPI_CHAR, 0,
             setup_.comm);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < all.size(); at += kNameLength) names.emplace_back(&all[at]);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  names_.clear();
  for (const std::string& name : names) names_ += (names_.empty() ? "" : " + ") + name;
}

void Device::connect() {
  ncclUniqueId id = {};
  if (setup_.rank == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, setup_.comm);
  check(ncclCommInitRank(&comm_, setup_.ranks, id, setup_.rank), "ncclCommInitRank");
}

std::vector<std::pair<std::string, std::string>> Device::facts() const {
  int runtime = 0, driver = 0, nccl = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  ncclGetVersion(&nccl);
  std::vector<std::pair<std::string, std::string>> facts = {
      {"device", names_},
      {"cuda.runtime", version_text(runtime)},
      {"cuda.driver", driver == 0 ? "none" : version_text(driver)},
      {"nccl", std::to_string(nccl / 10000) + "." + std::to_string(nccl % 10000 / 100) + "." +
                   std::to_string(nccl % 100)}};
  if (visible_ > 0) {
    facts.emplace_back("device.visible", std::to_string(visible_));
    facts.emplace_back("device.memory_bytes", std::to_string(properties_.totalGlobalMem));
  }
  return facts;
}

void Device::wait(cudaStream_t stream) const {
  for (;;) {
    const cudaError_t status = cudaStreamQuery(stream);
    if (status == cudaSuccess) return;
    if (status != cudaErrorNotReady) check(status, "work on the GPU");
    ncclResult_t failed = ncclSuccess;
    if (comm_ != nullptr) check(ncclCommGetAsyncError(comm_, &failed), "ncclCommGetAsyncError");
    check(failed, "a collective");
    ::sched_yield();
  }
}

void Device::finish() const {
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

double Device::seconds(cudaEvent_t from, cudaEvent_t to) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, from, to), "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

DeviceStream::DeviceStream(const Device& device) {
  device.check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
               "cudaStreamCreateWithFlags");
}

DeviceEvent::DeviceEvent(const Device& device) : device_(device) {
  device.check(cudaEventCreate(&event_), "cudaEventCreate");
}

void DeviceEvent::record(cudaStream_t stream) {
  device_.check(cudaEventRecord(event_, stream), "cudaEventRecord");
}

void DeviceEvent::hold(cudaStream_t stream) {
  device_.check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
}

DeviceArray::DeviceArray(const Device& device, std::size_t count) : device_(device), count_(count) {
  void* data = nullptr;
  const std::string call = "cudaMalloc of " + std::to_string(count * sizeof(float)) + " bytes";
  device.check(cudaMalloc(&data, std::max<std::size_t>(count, 1) * sizeof(float)), call.c_str());
  data_ = static_cast<float*>(data);
}

void DeviceArray::write(const std::vector<float>& values) {
  device_.check(
      cudaMemcpy(data_, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice),
      "cudaMemcpy");
  device_.finish();
}

std::vector<float> DeviceArray::read(std::size_t count) const {
  std::vector<float> values(count);
  device_.check(cudaMemcpy(values.data(), data_, count * sizeof(float), cudaMemcpyDeviceToHost),
                "cudaMemcpy");
  return values;
}

void DeviceArray::fill_with_nan() {
  device_.check(cudaMemset(data_, 0xff, count_ * sizeof(float)), "cudaMemset");
  device_.finish();
}

}  // namespace kneepoint::workloads

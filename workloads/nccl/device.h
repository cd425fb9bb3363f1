// SPDX-License-Identifier: Apache-2.0
//
// One rank's GPU: chosen by local rank, with its streams, events, memory and its place among the
// other ranks. The rule: every call of CUDA, cuBLAS or NCCL goes through check(), which ends the
// run under a name when the call failed.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <string>
#include <utility>
#include <vector>

#include "workloads/harness/harness.h"

namespace kneepoint::workloads {

class Device {
 public:
  explicit Device(const Setup& setup) : setup_(setup) {}
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Collective. Picks this rank's GPU; a failure names the host that lacks one.
  std::optional<record::Failure> choose();
  // Collective, after choose(): the id goes from rank 0 to all by MPI.
  void connect();

  ncclComm_t comm() const { return comm_; }
  // Facts of provenance: the device's name and the libraries' versions.
  std::vector<std::pair<std::string, std::string>> facts() const;

  void check(cudaError_t status, const char* call) const;
  void check(cublasStatus_t status, const char* call) const;
  void check(ncclResult_t status, const char* call) const;

  // Waits until all of the stream is done, and looks at the communicator meanwhile: an error there
  // would leave the stream waiting for ever.
  void wait(cudaStream_t stream) const;

  // Waits for all streams: those of ours don't wait for the one that copies go through.
  void finish() const;

  // Seconds between two events that have happened.
  double seconds(cudaEvent_t from, cudaEvent_t to) const;

 private:
  [[noreturn]] void fail(const std::string& reason, const std::string& what) const;
  std::optional<record::Failure> pick();
  std::optional<record::Failure> find_shared_device(MPI_Comm node);
  void gather_names();

  const Setup& setup_;
  std::string host_;
  int visible_ = 0;
  int local_rank_ = 0;
  cudaDeviceProp properties_ = {};
  std::string names_ = "none";  // of all ranks' devices, on rank 0
  ncclComm_t comm_ = nullptr;
};

class DeviceStream {
 public:
  explicit DeviceStream(const Device& device);
  ~DeviceStream() { cudaStreamDestroy(stream_); }
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class DeviceEvent {
 public:
  explicit DeviceEvent(const Device& device);
  ~DeviceEvent() { cudaEventDestroy(event_); }
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;
  void record(cudaStream_t stream);
  void hold(cudaStream_t stream);  // what comes later on that stream waits for this event
  cudaEvent_t get() const { return event_; }

 private:
  const Device& device_;
  cudaEvent_t event_ = nullptr;
};

// Floats in the device's memory. Copies wait until they are done; they are not for timed regions.
class DeviceArray {
 public:
  DeviceArray(const Device& device, std::size_t count);
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  float* data() const { return data_; }
  std::size_t count() const { return count_; }
  void write(const std::vector<float>& values);  // at most count()
  std::vector<float> read(std::size_t count) const;
  void fill_with_nan();

 private:
  const Device& device_;
  float* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace kneepoint::workloads

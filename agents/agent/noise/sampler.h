// SPDX-License-Identifier: Apache-2.0
//
// The sampler: the one thread beside the agent's own. Looks at the node now and then while a step
// runs; off unless the plan asks for it. It shares nothing with the main thread before stop().
#pragma once

#include <string>
#include <thread>

#include "agents/agent/file.h"
#include "agents/agent/noise/noise.h"
#include "agents/agent/supervise/child.h"

namespace kneepoint::agent {

// Where the kernel tells of CPUs and memory; others in tests.
struct NoisePlaces {
  std::string stat = "/proc/stat";
  std::string cpus = "/sys/devices/system/cpu";
  std::string resctrl = "/sys/fs/resctrl/mon_data";
};

class NoiseSampler {
 public:
  // `busy`: CPUs that the step keeps busy. `interval` 0: samples nothing, starts nothing.
  NoiseSampler(Nanoseconds interval, int busy, NoisePlaces places = {});
  ~NoiseSampler() { stop(); }
  NoiseSampler(const NoiseSampler&) = delete;
  NoiseSampler& operator=(const NoiseSampler&) = delete;

  void stop();  // takes a last sample and waits for the thread
  // After stop(). `others`: cores that other programs used.
  Facts facts(std::optional<double> others) const;

 private:
  void run();
  NoiseSample look(bool with_clock);
  void read_gpus(std::vector<GpuSample>& gpus);
  void start_gpu_probe();

  Nanoseconds interval_;
  int busy_;
  NoisePlaces places_;
  File wake_;  // an eventfd
  Child gpu_probe_;
  std::string gpu_text_;
  bool gpu_seen_ = false;  // a line has come
  Noise noise_;
  double cost_seconds_ = 0;
  std::thread thread_;
};

// Bytes that resctrl's counters have seen move from and to memory; nothing without them.
std::optional<std::uint64_t> memory_bytes_now(const std::string& mon_data);

}  // namespace kneepoint::agent

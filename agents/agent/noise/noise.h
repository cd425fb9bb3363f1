// SPDX-License-Identifier: Apache-2.0
//
// What else went on on a node while a step ran. Noise adds up samples: pure, and its memory does
// not grow with the length of a run; what can't be read is left out of the facts. NoiseSampler
// takes them: the one thread beside the agent's own. It looks at the node now and then, is off
// unless the plan asks for it, and shares nothing with the main thread before stop().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agents/agent/file.h"
#include "agents/agent/supervise/child.h"
#include "agents/agent/supervise/run_counters.h"

namespace kneepoint::agent {

// One line of kneepoint-gpu: "gpu INDEX CLOCK_MHZ MAX_MHZ REASONS" with the reasons in hexadecimal.
struct GpuSample {
  int index = 0;
  int clock_mhz = 0;
  int max_mhz = 0;
  std::uint64_t reasons = 0;  // why it runs below its highest clock, as NVML numbers them
};
std::optional<GpuSample> parse_gpu_line(std::string_view line);
bool is_throttled(std::uint64_t reasons);           // by heat or power; idle and settings are not
std::string throttle_words(std::uint64_t reasons);  // "power cap, heat"

struct NoiseSample {
  Nanoseconds at = 0;
  std::optional<CpuTicks> cpu;
  std::optional<double> clock_mhz;            // of the busy CPUs
  std::optional<std::uint64_t> memory_bytes;  // moved since the counters began
  std::vector<GpuSample> gpus;                // since the last sample
};

class Noise {
 public:
  void add(const NoiseSample& sample);
  // "noise.steal" and the like; none without two samples.
  Facts facts() const;

 private:
  struct Range {
    double low = 0, high = 0, sum = 0;
    int count = 0;
    void add(double value);
    double mean() const { return count > 0 ? sum / count : 0; }
  };
  struct Gpu {
    Range clock;
    int max_mhz = 0;
    int throttled = 0;
    std::uint64_t reasons = 0;
  };

  int samples_ = 0;
  NoiseSample first_;
  NoiseSample last_;
  double worst_steal_ = 0;
  Range clock_;
  std::map<int, Gpu> gpus_;
};

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

  void stop();          // takes a last sample and waits for the thread
  Facts facts() const;  // after stop()

 private:
  void run();
  NoiseSample look(bool with_clock);
  void read_gpus(std::vector<GpuSample>& gpus);
  void start_gpu_probe();

  Nanoseconds interval_;
  int busy_;
  NoisePlaces places_;
  Fd wake_;  // an eventfd
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

// SPDX-License-Identifier: Apache-2.0
//
// kneepoint-gpu: prints what the GPUs of this node do, again and again, until nobody reads it. The
// agent starts it when a plan asks for noise samples and the node has NVIDIA devices.
#include <dlfcn.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "agents/agent/noise/noise.h"
#include "orchestrator/base/result.h"

namespace kneepoint::agent {
namespace {

constexpr int kLeastMs = 10;
constexpr int kStreamingClock = 1;  // NVML_CLOCK_SM

Error missing(const std::string& what) {
  return Error{ErrorCode::unavailable, what, false};
}

// NVIDIA's management library, loaded when it is there: clocks and why they are low. No header or
// stub of NVIDIA's is needed; a machine without the library has no GPUs to tell of. Calls and
// numbers are as NVML documents them; every call answers 0 for success.
class Nvml {
 public:
  static Result<Nvml> load(const std::string& library);  // "libnvidia-ml.so.1"

  std::vector<GpuSample> look() const;  // one for each device that answers

 private:
  struct Calls;
  struct Unload {
    void operator()(Calls* calls) const;
  };
  std::unique_ptr<Calls, Unload> calls_;
};

struct Nvml::Calls {
  void* library = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*max_clock)(void*, int, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;
};

void Nvml::Unload::operator()(Calls* calls) const {
  if (calls->shutdown != nullptr) calls->shutdown();
  dlclose(calls->library);
  delete calls;
}

Result<Nvml> Nvml::load(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return missing(library + " is not there");
  Nvml nvml;
  nvml.calls_.reset(new Calls{handle});
  Calls& calls = *nvml.calls_;
  std::string absent;
  const auto find = [&](auto& call, const char* name) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(dlsym(handle, name));
    if (call == nullptr) absent = name;
  };
  find(calls.init, "nvmlInit_v2");
  find(calls.count, "nvmlDeviceGetCount_v2");
  find(calls.handle, "nvmlDeviceGetHandleByIndex_v2");
  find(calls.clock, "nvmlDeviceGetClockInfo");
  find(calls.max_clock, "nvmlDeviceGetMaxClockInfo");
  find(calls.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (!absent.empty()) return missing(library + " has no " + absent);
  if (const int code = calls.init(); code != 0) {
    return missing("nvmlInit_v2 of " + library + " answers " + std::to_string(code));
  }
  find(calls.shutdown, "nvmlShutdown");
  return nvml;
}

std::vector<GpuSample> Nvml::look() const {
  std::vector<GpuSample> samples;
  unsigned count = 0;
  if (calls_->count(&count) != 0) return samples;
  for (unsigned i = 0; i < count; ++i) {
    void* device = nullptr;
    unsigned clock = 0, most = 0;
    unsigned long long reasons = 0;
    if (calls_->handle(i, &device) != 0) continue;
    if (calls_->clock(device, kStreamingClock, &clock) != 0) continue;
    calls_->max_clock(device, kStreamingClock, &most);
    calls_->reasons(device, &reasons);
    samples.push_back(
        {static_cast<int>(i), static_cast<int>(clock), static_cast<int>(most), reasons});
  }
  return samples;
}

}  // namespace
}  // namespace kneepoint::agent

int main(int argc, char** argv) {
  using namespace kneepoint::agent;
  const int interval = argc == 2 ? std::atoi(argv[1]) : 0;
  if (interval < kLeastMs) {
    std::fputs(
        "Usage: kneepoint-gpu MILLISECONDS\n\n"
        "Prints a line for each NVIDIA GPU so often, until its output is closed:\n"
        "gpu INDEX CLOCK_MHZ MAX_MHZ THROTTLE_REASONS. Ends with 69 where NVIDIA's management\n"
        "library (KNEEPOINT_NVML, else libnvidia-ml.so.1) is not to be had.\n",
        argc == 2 && std::strcmp(argv[1], "--help") == 0 ? stdout : stderr);
    return argc == 2 && std::strcmp(argv[1], "--help") == 0 ? 0 : 2;
  }
  const char* library = std::getenv("KNEEPOINT_NVML");
  const auto nvml = Nvml::load(library != nullptr ? library : "libnvidia-ml.so.1");
  if (!nvml) {
    std::fprintf(stderr, "kneepoint-gpu: %s\n", nvml.error().message.c_str());
    return 69;
  }
  for (;;) {
    for (const GpuSample& gpu : nvml->look()) {
      std::printf("gpu %d %d %d %llx\n", gpu.index, gpu.clock_mhz, gpu.max_mhz,
                  static_cast<unsigned long long>(gpu.reasons));
    }
    if (std::fflush(stdout) != 0) return 0;
    pollfd closed{STDOUT_FILENO, 0, 0};  // POLLERR once the reader is gone
    if (poll(&closed, 1, interval) > 0) return 0;
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// Calls and numbers as NVML documents them; every call answers 0 for success.
#include "agents/agent/noise/nvml.h"

#include <dlfcn.h>

namespace kneepoint::agent {
namespace {

constexpr int kStreamingClock = 1;  // NVML_CLOCK_SM

Error missing(const std::string& what) {
  return Error{ErrorCode::unavailable, what, false};
}

}  // namespace

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

}  // namespace kneepoint::agent

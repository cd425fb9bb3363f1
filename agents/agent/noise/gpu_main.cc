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
#include <string>
#include <type_traits>

namespace {

constexpr int kLeastMs = 10;
constexpr int kStreamingClock = 1;  // NVML_CLOCK_SM

// NVIDIA's management library, loaded when it is there: clocks and why they are low. No header or
// stub of NVIDIA's is needed; a machine without the library has no GPUs to tell of. Calls and
// numbers are as NVML documents them; every call answers 0 for success.
class Nvml {
 public:
  Nvml() = default;
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (shutdown_ != nullptr) shutdown_();
    if (library_ != nullptr) dlclose(library_);
  }

  // Can it be used? `problem` says why not.
  bool load(const std::string& library, std::string& problem) {
    library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      problem = library + " is not there";
      return false;
    }
    const char* absent = nullptr;
    const auto find = [&](auto& call, const char* name) {
      call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(dlsym(library_, name));
      if (call == nullptr) absent = name;
    };
    int (*init)() = nullptr;
    find(init, "nvmlInit_v2");
    find(count_, "nvmlDeviceGetCount_v2");
    find(handle_, "nvmlDeviceGetHandleByIndex_v2");
    find(clock_, "nvmlDeviceGetClockInfo");
    find(max_clock_, "nvmlDeviceGetMaxClockInfo");
    find(reasons_, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (absent != nullptr) {
      problem = library + " has no " + absent;
      return false;
    }
    if (const int code = init(); code != 0) {
      problem = "nvmlInit_v2 of " + library + " answers " + std::to_string(code);
      return false;
    }
    find(shutdown_, "nvmlShutdown");
    return true;
  }

  // A line for each device that answers.
  void print() const {
    unsigned count = 0;
    if (count_(&count) != 0) return;
    for (unsigned i = 0; i < count; ++i) {
      void* device = nullptr;
      unsigned clock = 0, most = 0;
      unsigned long long reasons = 0;
      if (handle_(i, &device) != 0 || clock_(device, kStreamingClock, &clock) != 0) continue;
      max_clock_(device, kStreamingClock, &most);
      reasons_(device, &reasons);
      std::printf("gpu %u %u %u %llx\n", i, clock, most, reasons);
    }
  }

 private:
  void* library_ = nullptr;
  int (*shutdown_)() = nullptr;
  int (*count_)(unsigned*) = nullptr;
  int (*handle_)(unsigned, void**) = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*max_clock_)(void*, int, unsigned*) = nullptr;
  int (*reasons_)(void*, unsigned long long*) = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
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
  Nvml nvml;
  std::string problem;
  if (!nvml.load(library != nullptr ? library : "libnvidia-ml.so.1", problem)) {
    std::fprintf(stderr, "kneepoint-gpu: %s\n", problem.c_str());
    return 69;
  }
  for (;;) {
    nvml.print();
    if (std::fflush(stdout) != 0) return 0;
    pollfd closed{STDOUT_FILENO, 0, 0};  // POLLERR once the reader is gone
    if (poll(&closed, 1, interval) > 0) return 0;
  }
}

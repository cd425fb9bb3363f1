// SPDX-License-Identifier: Apache-2.0
//
// kneepoint-gpu: prints what the GPUs of this node do, again and again, until nobody reads it. The
// agent starts it when a plan asks for noise samples and the node has NVIDIA devices.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "agents/agent/noise/nvml.h"

namespace {

constexpr int kLeastMs = 10;

}  // namespace

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

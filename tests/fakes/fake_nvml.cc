// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for NVIDIA's libnvidia-ml.so.1 with two devices that exist nowhere: the second is
// throttled by heat. For tests of kneepoint-gpu and the sampler; no figure of it is of a GPU.
#include <cstdint>

namespace {

int devices[2];
int index_of(const void* device) {
  return static_cast<const int*>(device) == &devices[1] ? 1 : 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index > 1) return 2;
  *device = &devices[index];
  return 0;
}
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  *mhz = index_of(device) == 1 ? 1200 : 1980;
  return type == 1 ? 0 : 2;
}
int nvmlDeviceGetMaxClockInfo(void* /*device*/, int type, unsigned* mhz) {
  *mhz = 1980;
  return type == 1 ? 0 : 2;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  *reasons = index_of(device) == 1 ? 0x20 : 0x01;
  return 0;
}
}

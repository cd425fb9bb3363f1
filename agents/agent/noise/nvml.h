// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's management library, loaded when it is there: clocks and why they are low. No header or
// stub of NVIDIA's is needed; a machine without the library has no GPUs to tell of.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agents/agent/noise/noise.h"
#include "orchestrator/base/result.h"

namespace kneepoint::agent {

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

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// What the machine can do, for the roofline: measured by kp-machine_probe once for each host and
// boot, before a step, and kept. A probe that fails leaves its facts out and nothing else.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agents/agent/provenance/provenance.h"
#include "agents/wire/allocation.h"

namespace kneepoint::agent {

// "off": measure nothing; an absolute path: use that program; else the one installed with the
// agent, or beside the workload.
constexpr const char* kMachineProbeVariable = "KNEEPOINT_MACHINE_PROBE";

// The machine.* facts in what the probe printed: positive numbers only.
Facts parse_machine_facts(std::string_view text);

// From the cache in `folder`, or by `ask` (the probe's answer), then kept: until the next boot when
// there are rates, else for a while, so that not every run waits for a probe that can't succeed.
// Nothing while another agent measures.
constexpr Nanoseconds kNextTry = 10 * kMinute;
Facts cached_machine_facts(const std::string& folder, const std::string& name, Nanoseconds wall,
                           const std::function<std::string()>& ask);

// {} unless the step wants them.
Facts machine_facts(const StepSpec& step);

}  // namespace kneepoint::agent

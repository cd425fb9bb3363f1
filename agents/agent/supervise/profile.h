// SPDX-License-Identifier: Apache-2.0
//
// Seeing inside a workload that was not written for us: the library that counts its MPI calls is
// preloaded when the plan says `profile: mpi`, and what it and the probe leave behind becomes
// records. A workload's own samples and rank totals go before what is derived here.
#pragma once

#include <string>
#include <vector>

#include "agents/agent/supervise/child.h"
#include "agents/agent/supervise/rank_report.h"
#include "agents/wire/allocation.h"

namespace kneepoint::agent {

constexpr const char* kProfileVariable = "KNEEPOINT_PROFILE";  // folder of the profile's reports
constexpr const char* kProbeVariable = "KNEEPOINT_PROBE";      // folder of the probe's
constexpr const char* kProfileLibrary = "libkneepoint-pmpi.so";

std::string profile_folder(const StepSpec& step);
std::string probe_folder(const StepSpec& step);

// The library that was installed with the agent; "": it is not there.
std::string profile_library();

// Adds the variables that both libraries go by. `library`: "" if it is not to be loaded.
void add_profile_variables(const StepSpec& step, const std::string& library,
                           Environment& additions);

// mpirun hands on only what it is told to: -x NAME for ranks on other nodes.
std::vector<std::string> with_passed_variables(const StepSpec& step, bool preloaded);

// Patterns for the output: those of metrics that come from elsewhere are left out.
std::vector<MetricSpec> output_metrics(const StepSpec& step);

struct Derived {
  std::vector<record::Sample> samples;       // from iterations that every rank marked
  std::vector<record::RankTotal> ranks;      // from the profile
  std::vector<record::Metric> metrics;       // `time` when it is from the profile; of the probe
  std::vector<record::RankProfile> profile;  // as it was, rank by rank
  std::vector<record::Operation> operations;
  std::string state;  // fact "profile": "mpi", "mpi, 3 of 4 ranks", "none: ..."; "": not asked for
  std::string problem;  // why there is no `time`; "" if there is or it comes from elsewhere
};

// Pure. `known`: what the workload reported itself. `library_found`: it could be preloaded.
Derived derive(const StepSpec& step, const Reports& reports, const record::Records& known,
               bool library_found);

}  // namespace kneepoint::agent

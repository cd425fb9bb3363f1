// SPDX-License-Identifier: Apache-2.0
//
// Seeing inside a workload that was not written for us: the library that counts its MPI calls is
// preloaded when the plan says `profile: mpi`, and what it and the probe leave behind becomes
// records. A workload's own samples and rank totals go before what is derived here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent/supervise/child.h"
#include "agents/wire/allocation.h"
#include "agents/wire/record.h"

namespace kneepoint::agent {

// What the libraries inside the workload left behind: one report for each rank, from the preloaded
// profile of MPI calls, from the probe, or both. The texts are the workload's: anything may stand
// in them, and what doesn't read is left out and counted.
struct RankProfileReport {
  int ranks = 1;
  std::string host, cpus;
  record::RankProfile times;
  std::vector<record::Operation> calls;  // of this rank: `max_ns` is not used
};

struct ProbeIteration {
  std::int64_t ns = 0;
  std::int64_t mpi_ns = -1;  // -1: not known
};

struct ProbeReport {
  int rank = 0;
  std::int64_t iterations = 0;  // marked; `kept` may be fewer
  std::vector<ProbeIteration> kept;
  struct Region {
    std::string name;
    std::int64_t calls = 0, ns = 0;
  };
  std::vector<Region> regions;
  std::vector<record::Metric> metrics;
};

struct Reports {
  std::map<int, RankProfileReport> profiles;  // by rank
  std::map<int, ProbeReport> probes;
  int unreadable = 0;
};

// Adds the reports in a text; of a rank that is there already the first stays.
void read_reports(std::string_view text, Reports& reports);

// All files of both folders, those of all ranks together first. Folders may be missing.
Reports collect_reports(const std::string& profile_folder, const std::string& probe_folder);

constexpr const char* kProfileVariable = "KNEEPOINT_PROFILE";  // folder of the profile's reports
constexpr const char* kProbeVariable = "KNEEPOINT_PROBE";      // folder of the probe's
constexpr const char* kProfileLibrary = "libkneepoint-pmpi.so";

std::string profile_folder(const StepSpec& step);
std::string probe_folder(const StepSpec& step);

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

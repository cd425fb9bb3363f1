// SPDX-License-Identifier: Apache-2.0
//
// What the libraries inside the workload left behind: one report for each rank, from the preloaded
// profile of MPI calls, from the probe, or both. The texts are the workload's: anything may stand
// in them, and what doesn't read is left out and counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agents/wire/record.h"

namespace kneepoint::agent {

struct CallTotal {
  std::string name, kind;
  std::int64_t calls = 0, bytes = 0, ns = 0;
};

struct RankProfileReport {
  int ranks = 1;
  std::string host, cpus;
  record::RankProfile times;
  std::vector<CallTotal> calls;
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

}  // namespace kneepoint::agent

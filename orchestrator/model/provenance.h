// SPDX-License-Identifier: Apache-2.0
//
// Which facts decide whether runs may be averaged: the type of the node, the program, its MPI. What
// changes by itself (clock, load, boot, host names, kernel) is not among them, since it would tell
// apart runs that compare.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/evidence.h"

namespace kneepoint {

// Names of facts that the analysis looks for. Of a node: what its memory and cores can do, and the
// caches of one core; machine.* are there only where the workload states its flops.
constexpr std::string_view kFactFlopsPerCore = "machine.flops_per_core";  // single precision
constexpr std::string_view kFactBandwidthPerCore = "machine.bandwidth_per_core";  // bytes/s
constexpr std::string_view kFactBandwidthOfNode = "machine.bandwidth_of_node";    // bytes/s
constexpr std::string_view kFactL2Bytes = "cache.l2_bytes";
constexpr std::string_view kFactL3Bytes = "cache.l3_bytes";  // of one L3, shared by cache.l3_cpus
constexpr std::string_view kFactL3Cpus = "cache.l3_cpus";
// Of a run, when it has ended.
constexpr std::string_view kFactMajorFaults = "memory.major_faults";    // of its own processes
constexpr std::string_view kFactSwappedPages = "memory.swapped_pages";  // of the agent's node
constexpr std::string_view kFactClock = "cpu.clock_mhz_during";  // mean of the CPUs, at its end
constexpr std::string_view kFactProgramHash = "program.hash";
constexpr std::string_view kFactDevice = "device";  // the GPU as the workload names it

// A test's stand-in for the libraries of a GPU calls its device so. No figure of such a run may be
// taken for a GPU's: whoever shows one says this too.
constexpr std::string_view kStandInDevice = "CPU stand-in";
constexpr const char* kStandInFlag = "CPU stand-in, no GPU";
constexpr const char* kStandInCaveat =
    "ran on a CPU stand-in for the libraries of a GPU: no figure here is one of a GPU";

struct ComparedFact {
  std::string_view label;         // in the text
  std::string_view name;          // of the fact
  std::string_view instead = {};  // the fact that stands in where the first is missing
};
// All of them, in the order of the text.
std::span<const ComparedFact> compared_facts();

// Does the text of comparable_provenance(), or a fact's value, name such a device?
bool is_stand_in(std::string_view provenance);

// "cpu.model=...; cpu.cores=8; program=...": what is known of them, "" if nothing is. Nodes that
// differ within the run are listed: "cpu.model=A + B". Names of scopes don't matter.
std::string comparable_provenance(std::span<const Fact> facts);

// Nodes with the same modules differ by what the kernel keeps for itself: "24 GiB" is all above 20
// and up to 24 GiB, in quarters of a power of two. What is no number stays as it is.
std::string memory_class(const std::string& bytes);

}  // namespace kneepoint

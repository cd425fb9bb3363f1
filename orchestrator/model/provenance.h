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

struct ComparedFact {
  std::string_view label;         // in the text
  std::string_view name;          // of the fact
  std::string_view instead = {};  // the fact that stands in where the first is missing
};
// All of them, in the order of the text.
std::span<const ComparedFact> compared_facts();

// "cpu.model=...; cpu.cores=8; program=...": what is known of them, "" if nothing is. Nodes that
// differ within the run are listed: "cpu.model=A + B". Names of scopes don't matter.
std::string comparable_provenance(std::span<const Fact> facts);

// Nodes with the same modules differ by what the kernel keeps for itself: "24 GiB" is all above 20
// and up to 24 GiB, in quarters of a power of two. What is no number stays as it is.
std::string memory_class(const std::string& bytes);

}  // namespace kneepoint

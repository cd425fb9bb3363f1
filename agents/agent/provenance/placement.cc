// SPDX-License-Identifier: Apache-2.0
//
// srun takes a set of names, whatever their order; Open MPI's mpirun takes names with slots, and
// starts its daemons on no other node.
#include "agents/agent/provenance/placement.h"

#include <algorithm>

#include "agents/agent/supervise/outcome.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/node_list.h"
#include "orchestrator/base/random.h"

namespace kneepoint::agent {
namespace {

std::string joined(const std::vector<std::string>& names, const std::string& after_each) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name + after_each;
  return text;
}

}  // namespace

std::vector<std::string> node_order(std::string_view list, const std::string& own,
                                    const std::string& allocation) {
  std::vector<std::string> nodes = expand_node_list(list);
  const bool readable = std::all_of(nodes.begin(), nodes.end(), [](const std::string& name) {
    return name.find_first_of("[], ()") == std::string::npos;
  });
  if (!readable || nodes.empty()) return {};
  Random(fnv1a64(allocation), "node order").shuffle(nodes);
  const auto mine = std::find(nodes.begin(), nodes.end(), own);
  if (mine == nodes.end()) return {};  // these are not the names that we know
  std::rotate(nodes.begin(), mine, mine + 1);
  return nodes;
}

Placement place_step(const StepSpec& step, const std::vector<std::string>& order) {
  Placement placed{step.argv, ""};
  const auto count = static_cast<std::size_t>(std::max(0, step.nodes));
  const bool known = count > 0 && count <= order.size();
  const std::vector<std::string> first(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(known ? count : 0));
  std::vector<std::string> words;
  if (step.place == "srun") {
    words = {known ? "--nodelist=" + joined(first, "") : "--relative=0"};
  } else if (step.place == "mpirun" && known) {
    words = {"--host", joined(first, ":" + std::to_string(std::max(1, step.ranks / step.nodes)))};
  }
  placed.argv.insert(placed.argv.begin() + 1, words.begin(), words.end());
  // Whoever wasn't told which nodes to take has them all, or none but ours.
  const bool certain =
      !words.empty() || count == order.size() || (count == 1 && !is_starter(step.argv[0]));
  if (known && certain) placed.nodes = fold_node_list(first);
  return placed;
}

}  // namespace kneepoint::agent

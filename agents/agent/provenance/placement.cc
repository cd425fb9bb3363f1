// SPDX-License-Identifier: Apache-2.0
//
// srun takes a set of names, whatever their order; Open MPI's mpirun takes names with slots, and
// starts its daemons on no other node.
#include "agents/agent/provenance/provenance.h"

#include <algorithm>
#include <map>

#include "agents/agent/supervise/outcome.h"
#include "agents/agent/text.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/node_list.h"
#include "orchestrator/base/random.h"

namespace kneepoint::agent {
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
    words = {known ? "--nodelist=" + joined(first, ",") : "--relative=0"};
  } else if (step.place == "mpirun" && known) {
    const std::string slots = ":" + std::to_string(std::max(1, step.ranks / step.nodes));
    words = {"--host", joined(first, slots + ",") + slots};
  }
  placed.argv.insert(placed.argv.begin() + 1, words.begin(), words.end());
  // Whoever wasn't told which nodes to take has them all, or none but ours.
  const bool certain =
      !words.empty() || count == order.size() || (count == 1 && !is_starter(step.argv[0]));
  if (known && certain) placed.nodes = fold_node_list(first);
  return placed;
}

// bind: core wants a set of CPUs for each rank that no other rank of its host has, large enough for
// its threads and no larger than that unless it is less than the whole node (a core of two hardware
// threads). bind: socket wants less than the whole node where it has more than one socket.

namespace {

constexpr int kMaxCpu = 65535;

bool has_right_size(const BindingRequest& request, std::size_t cpus) {
  const auto all = static_cast<std::size_t>(request.cpus_of_node);
  const auto threads = static_cast<std::size_t>(request.threads_per_rank);
  const bool part_of_node = all == 0 || cpus < all;
  if (request.bind == "socket") return part_of_node || request.sockets_of_node <= 1;
  return cpus == threads || (cpus > threads && part_of_node && all != 0);
}

}  // namespace

std::set<int> parse_cpu_list(std::string_view text) {
  std::set<int> cpus;
  text = trimmed(text, "\n ");
  if (text.ends_with(',')) return {};
  for (const std::string_view range : split(text, ',')) {
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = whole_number<int>(range.substr(0, dash));
    const auto last = dash < range.size() ? whole_number<int>(range.substr(dash + 1)) : first;
    if (!first || !last || *last < *first || *first < 0 || *last > kMaxCpu) return {};
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpu);
  }
  return cpus;
}

std::string verify_binding(const BindingRequest& request,
                           const std::vector<record::RankTotal>& ranks) {
  if (request.bind.empty() || request.bind == "none") return "not asked";
  if (ranks.empty()) return "unknown";
  std::map<std::pair<std::string, int>, int> owner;  // (host, cpu) -> rank
  for (const auto& rank : ranks) {
    const std::string name = "rank " + std::to_string(rank.rank);
    const std::set<int> cpus = parse_cpu_list(rank.cpus);
    if (cpus.empty()) return "unknown";
    if (!has_right_size(request, cpus.size()))
      return "differs: " + name + " may run on " + rank.cpus;
    if (request.bind == "socket") continue;  // ranks of one socket share it
    for (const int cpu : cpus) {
      const auto [at, is_new] = owner.emplace(std::pair(rank.host, cpu), rank.rank);
      if (!is_new) {
        return "differs: " + name + " shares CPU " + std::to_string(cpu) + " with rank " +
               std::to_string(at->second);
      }
    }
  }
  return "as asked";
}

}  // namespace kneepoint::agent

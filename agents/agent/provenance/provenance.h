// SPDX-License-Identifier: Apache-2.0
//
// Where and how a step ran, as flat facts. Texts of the system become facts in pure functions; only
// the gather_ and read_ functions touch the machine. Values of environment variables are never
// facts.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/agent/supervise/child.h"
#include "agents/wire/allocation.h"
#include "agents/wire/record.h"

namespace kneepoint::agent {

using Facts = std::vector<std::pair<std::string, std::string>>;

// "" if the fact isn't there.
std::string fact(const Facts& facts, std::string_view name);

// parsers.cc: pure
struct CpuCounts {
  int logical = 0, cores = 0, sockets = 0;
};
std::string parse_cpu_model(std::string_view cpuinfo);
std::string parse_cpuinfo_field(std::string_view cpuinfo, std::string_view name);
CpuCounts parse_cpu_counts(std::string_view cpuinfo);
std::string parse_memory_bytes(std::string_view meminfo);  // MemTotal
std::string parse_os_name(std::string_view os_release);
std::string parse_first_line(std::string_view text);
std::string parse_gpu_models(const std::vector<std::string>& information);  // "none" if empty
std::string parse_container(std::string_view proc_1_environ, bool docker_file, bool podman_file,
                            std::string_view proc_self_cgroup);
struct CacheText {
  std::string level, type, size, shared_cpu_list;  // "3", "Unified", "32768K", "0-15"
};
Facts parse_caches(const std::vector<CacheText>& caches);  // cache.l2_bytes, ...; what is known
std::string quote_command(const std::vector<std::string>& argv, std::size_t limit);

// provenance.cc: what doesn't change until the node boots again, from the cache if it is there.
Facts node_facts();
Facts changing_node_facts(const StepSpec& step);  // governor, MPI: looked at each time
// The version that the starter tells of itself; cached until the file changes. "" if unknown.
std::string starter_version(const std::string& path);
// What tells a program from another build of it: a hash of its bytes, cached until the file
// changes.
std::string program_hash(const std::string& path);
std::string program_of(const StepSpec& step);  // the file that a rank runs; "" if it isn't known
Facts step_facts(const StepSpec& step);
// Tells apart who sees other files or gathers other facts; the same until the node boots again.
std::string boot_and_viewpoint();
// As the batch system names it; in a pod: its node's name, since a pod is gone with its run.
std::string host_name();

// Facts kept between agents of one user on one node, so that a step reads one small file instead of
// twenty. Only files of this very user in a folder that nobody else can write to are believed; a
// cache that can't be used is no error.

// $XDG_RUNTIME_DIR/kneepoint, else /tmp/kneepoint-<uid>; "" if it isn't safe to use.
std::string fact_cache_folder();

// The facts kept under `name` in `folder`, or what `gather` gives, then kept.
Facts cached_facts(const std::string& folder, const std::string& name,
                   const std::function<Facts()>& gather);

// What the machine can do, for the roofline: measured by kp-machine_probe once for each host and
// boot, before a step, and kept. A probe that fails leaves its facts out and nothing else.

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

// placement.cc: which nodes of the allocation a step runs on. Pure. The nodes have one order for
// the whole allocation and every step takes the first of them, so that node sets are nested and
// every repeat has the same ones.

// `list` is the batch system's ("n[1-4]"). The agent's own node comes first, since what the agent
// says of the machine it says of that one; the others follow in an order drawn from the
// allocation's name, so that over many allocations it isn't always the first by name that are
// used. Empty if the list can't be read.
std::vector<std::string> node_order(std::string_view list, const std::string& own,
                                    const std::string& allocation);

struct Placement {
  std::vector<std::string> argv;  // the step's, with the nodes in it where the starter wants them
  std::string nodes;              // "n[1-2]"; "": not known
};
Placement place_step(const StepSpec& step, const std::vector<std::string>& order);

// Did the ranks run where the plan wanted them? Judged from what the ranks report of themselves,
// never from what was asked of the starter.
struct BindingRequest {
  std::string bind;  // core | socket | none
  int threads_per_rank = 1;
  int cpus_of_node = 0;     // 0: unknown
  int sockets_of_node = 0;  // 0: unknown
};

// "0-3,8" -> {0,1,2,3,8}; empty if it isn't such a list.
std::set<int> parse_cpu_list(std::string_view text);

// "as asked" | "differs: rank 1 may run on 0-1" | "not asked" | "unknown"
std::string verify_binding(const BindingRequest& request,
                           const std::vector<record::RankTotal>& ranks);

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// Gathers facts from the machine. Node facts are kept for each boot and mount namespace (a
// container on the same node sees other files), the starter's version for each file of that name.
#include "agents/agent/provenance.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "agents/agent/binding.h"
#include "agents/agent/fact_cache.h"
#include "agents/agent/outcome.h"
#include "orchestrator/base/hash.h"

namespace kneepoint::agent {
namespace {

constexpr const char* kCpu0 = "/sys/devices/system/cpu/cpu0/";
constexpr Nanoseconds kVersionLimit = 5 * kSecond;
constexpr std::size_t kMaxCommand = 8 * 1024;

bool exists(const char* path) {
  return access(path, F_OK) == 0;
}

std::string first_line_of(const std::string& path) {
  return parse_first_line(read_small(path, 4096));
}

std::vector<std::string> gpu_information() {
  std::vector<std::string> texts;
  const std::string folder = "/proc/driver/nvidia/gpus";
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) return texts;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    texts.push_back(read_small(folder + '/' + entry->d_name + "/information"));
  }
  closedir(directory);
  return texts;
}

std::string maximal_clock(const std::string& cpuinfo) {
  const std::string khz = first_line_of(std::string(kCpu0) + "cpufreq/cpuinfo_max_freq");
  if (khz.size() > 3) return khz.substr(0, khz.size() - 3);
  const std::string mhz = parse_cpuinfo_field(cpuinfo, "cpu MHz");
  return mhz.empty() ? "unknown" : mhz;
}

Facts gather_node_facts(const std::string& boot_id) {
  utsname system{};
  uname(&system);
  const std::string cpuinfo = read_small("/proc/cpuinfo", 16 * 1024 * 1024);
  const CpuCounts counts = parse_cpu_counts(cpuinfo);
  const auto threads =
      parse_cpu_list(first_line_of(std::string(kCpu0) + "topology/thread_siblings_list"));
  const auto nodes = parse_cpu_list(first_line_of("/sys/devices/system/node/online"));
  const std::string microcode = parse_cpuinfo_field(cpuinfo, "microcode");
  Facts facts = {
      {"boot_id", boot_id},
      {"container", parse_container(read_small("/proc/1/environ"), exists("/.dockerenv"),
                                    exists("/run/.containerenv"), read_small("/proc/self/cgroup"))},
      {"cpu.clock_mhz", maximal_clock(cpuinfo)},
      {"cpu.cores", std::to_string(counts.cores)},
      {"cpu.logical", std::to_string(counts.logical)},
      {"cpu.model", parse_cpu_model(cpuinfo)},
      {"cpu.numa_nodes", std::to_string(std::max<std::size_t>(1, nodes.size()))},
      {"cpu.sockets", std::to_string(counts.sockets)},
      {"cpu.threads_per_core", std::to_string(std::max<std::size_t>(1, threads.size()))},
      {"gpu", parse_gpu_models(gpu_information())},
      {"kernel", std::string(system.sysname) + ' ' + system.release},
      {"machine", system.machine},
      {"memory.bytes", parse_memory_bytes(read_small("/proc/meminfo"))},
      {"os", parse_os_name(read_small("/etc/os-release"))},
  };
  if (!microcode.empty()) facts.emplace_back("cpu.microcode", microcode);
  return facts;
}

// What `path --version` prints, its first line; "" when it fails or takes too long.
std::string ask_version(const std::string& path) {
  auto child = start_child({path, "--version"}, {});
  if (!child) return "";
  std::string text;
  const Nanoseconds deadline = system_clock().steady() + kVersionLimit;
  char buffer[4096];
  while (text.size() < 64 * 1024) {
    const Nanoseconds left = deadline - system_clock().steady();
    pollfd entry{child->out.fd(), POLLIN, 0};
    if (left <= 0 || poll(&entry, 1, static_cast<int>(left / kMillisecond) + 1) == 0) break;
    const ssize_t n = read(child->out.fd(), buffer, sizeof buffer);
    if (n == 0) break;
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR && errno != EAGAIN) break;
  }
  kill_leftovers(child->pid, kSecond);
  return parse_first_line(text);
}

// Tells apart who sees other files or gathers other facts under the same boot.
std::string viewpoint() {
  char target[64];
  const ssize_t n = readlink("/proc/self/ns/mnt", target, sizeof target);
  const std::string_view mounts(target, n > 0 ? static_cast<std::size_t>(n) : 0);
  return hex64(fnv1a64(KNEEPOINT_VERSION, fnv1a64(mounts)));
}

const char* yes_no(bool truth) {
  return truth ? "yes" : "no";
}

}  // namespace

std::string host_name() {
  utsname system{};
  uname(&system);
  return system.nodename;
}

Facts node_facts() {
  const std::string boot_id = first_line_of("/proc/sys/kernel/random/boot_id");
  return cached_facts(fact_cache_folder(), "node-" + boot_id + '-' + viewpoint(),
                      [&] { return gather_node_facts(boot_id); });
}

Facts changing_node_facts(const StepSpec& step) {
  const std::string governor = first_line_of(std::string(kCpu0) + "cpufreq/scaling_governor");
  Facts facts = {{"cpu.governor", governor.empty() ? "unknown" : governor}};
  if (is_starter(step.argv[0])) {
    const std::string version = starter_version(find_program(step.argv[0], step.env));
    facts.emplace_back("mpi.version", version.empty() ? "unknown" : version);
  }
  return facts;
}

std::string starter_version(const std::string& path) {
  struct stat status {};
  if (path.empty() || stat(path.c_str(), &status) != 0) return "";
  const std::string identity = path + '|' + std::to_string(status.st_ino) + '|' +
                               std::to_string(status.st_mtim.tv_sec) + '|' +
                               std::to_string(status.st_size);
  return fact(cached_facts(fact_cache_folder(), "starter-" + hex64(fnv1a64(identity)),
                           [&] {
                             const std::string version = ask_version(path);
                             return version.empty() ? Facts{} : Facts{{"version", version}};
                           }),
              "version");
}

Facts step_facts(const StepSpec& step) {
  std::string names;
  for (const auto& [name, value] : step.env) names += (names.empty() ? "" : ",") + name;
  const std::string load = first_line_of("/proc/loadavg");
  return {
      {"agent.version", KNEEPOINT_VERSION},
      {"bind", step.bind},
      {"command", quote_command(step.argv, kMaxCommand)},
      {"emulated", yes_no(step.emulated)},
      {"environment", names},
      {"load.before", load.substr(0, load.find(' '))},
      {"oversubscribed", yes_no(step.oversubscribed)},
      {"ranks", std::to_string(step.ranks)},
      {"threads_per_rank", std::to_string(step.threads_per_rank)},
  };
}

}  // namespace kneepoint::agent

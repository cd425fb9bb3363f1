// SPDX-License-Identifier: Apache-2.0
//
// Gathers facts from the machine. Node facts are kept for each boot and mount namespace (a
// container on the same node sees other files), the starter's version for each file of that name.
#include "agents/agent/provenance/provenance.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "agents/agent/file.h"
#include "agents/agent/supervise/outcome.h"
#include "agents/agent/text.h"
#include "agents/wire/record.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

constexpr const char* kCpu0 = "/sys/devices/system/cpu/cpu0/";
constexpr Nanoseconds kVersionLimit = 5 * kSecond;
constexpr std::size_t kMaxCommand = 8 * 1024;
constexpr std::size_t kHashedBytes = 64 * 1024 * 1024;  // a longer program is known by its start
constexpr const char* kGathered = "2";  // another list of node facts: another number

std::string first_line_of(const std::string& path) {
  return parse_first_line(read_small(path, 4096));
}

std::vector<std::string> gpu_information() {
  std::vector<std::string> texts;
  const std::string folder = "/proc/driver/nvidia/gpus/";
  for (const std::string& name : names_in(folder)) {
    texts.push_back(read_small(folder + name + "/information"));
  }
  return texts;
}

std::string maximal_clock(const std::string& cpuinfo) {
  const std::string khz = first_line_of(std::string(kCpu0) + "cpufreq/cpuinfo_max_freq");
  if (khz.size() > 3) return khz.substr(0, khz.size() - 3);
  const std::string mhz = parse_cpuinfo_field(cpuinfo, "cpu MHz");
  return mhz.empty() ? "unknown" : mhz;
}

// The caches of the first CPU, as its kernel lists them.
Facts cache_facts() {
  std::vector<CacheText> caches;
  for (int index = 0; index < 16; ++index) {
    const std::string folder = std::string(kCpu0) + "cache/index" + std::to_string(index) + '/';
    const std::string level = first_line_of(folder + "level");
    if (level.empty()) break;
    caches.push_back({level, first_line_of(folder + "type"), first_line_of(folder + "size"),
                      first_line_of(folder + "shared_cpu_list")});
  }
  return parse_caches(caches);
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
      {"container",
       parse_container(read_small("/proc/1/environ"), path_exists("/.dockerenv"),
                       path_exists("/run/.containerenv"), read_small("/proc/self/cgroup"))},
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
  for (auto& cache : cache_facts()) facts.push_back(std::move(cache));
  return facts;
}

// A file by what changes when it is replaced; "" if it isn't there.
std::string identity_of(const std::string& path) {
  struct stat status {};
  if (path.empty() || stat(path.c_str(), &status) != 0) return "";
  return path + '|' + std::to_string(status.st_ino) + '|' + std::to_string(status.st_mtim.tv_sec) +
         '.' + std::to_string(status.st_mtim.tv_nsec) + '|' + std::to_string(status.st_size);
}

// Not base/files.h's: of the start alone, and in the way that series have it stored.
std::string hash_of_start(const std::string& path) {
  const Fd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  std::uint64_t hash = fnv1a64(std::to_string(status.st_size) + '|');
  std::string buffer(1024 * 1024, '\0');
  for (std::size_t done = 0; done < kHashedBytes;) {
    const ssize_t n = read_some(file.get(), buffer.data(), buffer.size());
    if (n < 0) return "";
    if (n == 0) break;
    hash = fnv1a64(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)), hash);
    done += static_cast<std::size_t>(n);
  }
  return hex64(hash);
}

const char* yes_no(bool truth) {
  return truth ? "yes" : "no";
}

// One fact about a file, cached until the file changes; "" if it isn't there or `ask` gives
// nothing.
std::string cached_file_fact(const std::string& name, const std::string& path,
                             const std::function<std::string()>& ask) {
  const std::string identity = identity_of(path);
  if (identity.empty()) return "";
  const Facts facts = cached_facts(fact_cache_folder(), name + "-" + hex64(fnv1a64(identity)), [&] {
    const std::string answer = ask();
    return answer.empty() ? Facts{} : Facts{{"value", answer}};
  });
  return facts.empty() ? "" : facts[0].second;
}

}  // namespace

std::string host_name() {
  for (const char* name : {"KNEEPOINT_NODE", "SLURMD_NODENAME"}) {
    if (std::string node = environment_variable(name); !node.empty()) return node;
  }
  utsname system{};
  uname(&system);
  return system.nodename;
}

std::string boot_and_viewpoint() {
  char target[64];
  const ssize_t n = readlink("/proc/self/ns/mnt", target, sizeof target);
  const std::string_view mounts(target, n > 0 ? static_cast<std::size_t>(n) : 0);
  return first_line_of("/proc/sys/kernel/random/boot_id") + '-' +
         hex64(fnv1a64(kGathered, fnv1a64(KNEEPOINT_VERSION, fnv1a64(mounts))));
}

Facts node_facts() {
  return cached_facts(fact_cache_folder(), "node-" + boot_and_viewpoint(), [] {
    return gather_node_facts(first_line_of("/proc/sys/kernel/random/boot_id"));
  });
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
  return cached_file_fact("starter", path, [&] {
    return parse_first_line(ask_program({path, "--version"}, {}, kVersionLimit));
  });
}

std::string program_hash(const std::string& path) {
  return cached_file_fact("program", path, [&] { return hash_of_start(path); });
}

std::string program_of(const StepSpec& step) {
  if (!step.program.empty()) return find_program(step.program, step.env);
  return is_starter(step.argv[0]) ? "" : find_program(step.argv[0], step.env);
}

Facts step_facts(const StepSpec& step) {
  std::vector<std::string> names;
  for (const auto& [name, value] : step.env) names.push_back(name);
  const std::string load = first_line_of("/proc/loadavg");
  Facts facts = {
      {"agent.version", KNEEPOINT_VERSION},
      {"bind", step.bind},
      {"command", quote_command(step.argv, kMaxCommand)},
      {"emulated", yes_no(step.emulated)},
      {"environment", joined(names, ",")},
      {"load.before", load.substr(0, load.find(' '))},
      {"oversubscribed", yes_no(step.oversubscribed)},
      {"ranks", std::to_string(step.ranks)},
      {"threads_per_rank", std::to_string(step.threads_per_rank)},
  };
  if (!step.node_names.empty()) facts.emplace_back("nodes", step.node_names);
  const std::string hash = program_hash(program_of(step));
  if (!hash.empty()) facts.emplace_back("program.hash", hash);
  return facts;
}

// A kept file is one provenance record.

namespace {

constexpr const char* kScope = "cache";

bool is_ours(const struct stat& status) {
  return status.st_uid == getuid() && (status.st_mode & 022) == 0;
}

std::optional<Facts> read_kept(const std::string& path) {
  const Fd file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode) || !is_ours(status) ||
      status.st_size > static_cast<off_t>(record::kMaxLine)) {
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (read(file.get(), text.data(), text.size()) != status.st_size) return std::nullopt;
  auto records = record::parse(text);
  if (records.provenance.size() != 1 || records.provenance[0].scope != kScope) return std::nullopt;
  return std::move(records.provenance[0].facts);
}

}  // namespace

std::string fact_cache_folder() {
  const std::string runtime = environment_variable("XDG_RUNTIME_DIR");
  const std::string folder = runtime.starts_with('/')
                                 ? runtime + "/kneepoint"
                                 : "/tmp/kneepoint-" + std::to_string(getuid());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return "";
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || !is_ours(status)) {
    return "";
  }
  return folder;
}

Facts cached_facts(const std::string& folder, const std::string& name,
                   const std::function<Facts()>& gather) {
  if (folder.empty()) return gather();
  const std::string path = folder + '/' + name + ".json";
  if (auto kept = read_kept(path)) return std::move(*kept);
  Facts facts = gather();
  if (!facts.empty()) {
    (void)write_whole_file(path, record::to_line(0, record::Provenance{kScope, facts}), kOwnerOnly);
  }
  return facts;
}

}  // namespace kneepoint::agent

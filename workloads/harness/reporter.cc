// SPDX-License-Identifier: Apache-2.0
//
// Records to a file, or a table to stdout; node name and CPU affinity of this process.
#include "workloads/harness/reporter.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "orchestrator/base/clock.h"

namespace kneepoint::workloads {
namespace {

// The table's part for each record.

void print(const record::Provenance& r) {
  for (const auto& [name, value] : r.facts) std::printf("# %s: %s\n", name.c_str(), value.c_str());
  std::printf("%9s %12s %12s %12s %14s %12s\n", "iteration", "max", "min", "compute",
              "communication", "other");
}

void print(const record::Sample& r) {
  std::printf("%8d%c %12s %12s %12s %14s %12s\n", r.iteration, r.warmup ? 'w' : ' ',
              to_duration_text(r.max_ns).c_str(), to_duration_text(r.min_ns).c_str(),
              to_duration_text(r.compute_ns).c_str(), to_duration_text(r.communication_ns).c_str(),
              to_duration_text(r.other_ns).c_str());
}

void print(const record::RankTotal& r) {
  std::printf("rank %d on %s, cpus %s: compute %s, communication %s, work %.15g\n", r.rank,
              r.host.c_str(), r.cpus.c_str(), to_duration_text(r.compute_ns).c_str(),
              to_duration_text(r.communication_ns).c_str(), r.work);
}

void print(const record::Metric& r) {
  std::printf("%s = %.9g %s\n", r.name.c_str(), r.value, r.unit.c_str());
}

void print(const record::Check& r) {
  std::printf("answer %s: %s\n", r.passed ? "right" : "WRONG", r.detail.c_str());
}

void print(const record::Failure& r) {
  std::printf("failed (%s): %s\n", r.reason.c_str(), r.detail.c_str());
}

void print(const record::Done& r) {
  std::printf("done, %d timed iterations\n", r.iterations);
}

}  // namespace

Result<void> Reporter::report(const Record& record) const {
  if (!file_.is_open()) {
    std::visit([](const auto& one) { print(one); }, record);
    if (std::fflush(stdout) != 0) return system_error("write to stdout", errno);
    return {};
  }
  const std::string line = std::visit([](const auto& one) { return to_line(-1, one); }, record);
  for (;;) {
    const ssize_t written = ::write(file_.get(), line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size())) return {};
    if (written >= 0) return Error{ErrorCode::io, "write " + path_ + ": the disk is full", false};
    if (errno != EINTR) return system_error("write " + path_, errno);
  }
}

Result<Reporter> make_reporter() {
  const char* path = std::getenv(record::kPathVariable);
  if (path == nullptr || *path == '\0') return Reporter();
  Fd file(::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file.is_open()) {
    return system_error(std::string("open ") + path + " (named by " + record::kPathVariable + ")",
                        errno);
  }
  return Reporter(std::move(file), path);
}

void append_if_shared(const record::Failure& r) {
  const char* path = std::getenv(record::kPathVariable);
  if (path == nullptr || *path == '\0') return;
  Fd file(::open(path, O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file.is_open()) return;
  (void)Reporter(std::move(file), path).report(r).has_value();  // stderr has it too
}

std::string node_name(const std::string& processor_name) {
  for (const char* variable : {"KNEEPOINT_NODE", "SLURMD_NODENAME"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return processor_name;
}

std::string allowed_cpus() {
  for (int most = 1024; most <= 1 << 20;
       most *= 4) {  // the kernel refuses a mask that is too small
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(most));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
    CPU_ZERO_S(bytes, set);
    const bool known = ::sched_getaffinity(0, bytes, set) == 0;
    std::vector<int> cpus;
    for (int cpu = 0; known && cpu < most; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set)) cpus.push_back(cpu);
    }
    CPU_FREE(set);
    if (known) return cpu_list_text(cpus);
  }
  return "";
}

std::string cpu_list_text(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace kneepoint::workloads

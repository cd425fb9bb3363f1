// SPDX-License-Identifier: Apache-2.0
//
// A look costs a handful of small reads; clocks of at most kMostCpus CPUs, since reading one may
// interrupt it. GPUs are asked by a program of its own: the agent is linked statically and can't
// load NVIDIA's library.
#include "agents/agent/noise/sampler.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "agents/agent/own_place.h"
#include "agents/agent/supervise/run_counters.h"
#include "agents/agent/text.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

namespace fs = std::filesystem;

constexpr int kMostCpus = 64;
constexpr Nanoseconds kBeforeClocks = 300 * kMillisecond;  // clocks have risen by then
constexpr std::size_t kMostGpuText = 64 * 1024;
constexpr int kFirstGpuLineMs = 5000;

double thread_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  double sum = 0;
  for (const timeval& t : {used.ru_utime, used.ru_stime}) {
    sum += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  }
  return sum;
}

}  // namespace

std::optional<std::uint64_t> memory_bytes_now(const std::string& mon_data) {
  std::error_code problem;
  std::optional<std::uint64_t> sum;
  fs::directory_iterator entry(mon_data, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem)) {
    const std::string text = read_small(entry->path().string() + "/mbm_total_bytes", 64);
    if (const auto bytes = leading_number<std::uint64_t>(text)) sum = sum.value_or(0) + *bytes;
  }
  return sum;
}

NoiseSampler::NoiseSampler(Nanoseconds interval, int busy, NoisePlaces places)
    : interval_(interval), busy_(busy), places_(std::move(places)) {
  if (interval_ <= 0) return;
  wake_ = File(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_.is_open()) return;
  start_gpu_probe();
  thread_ = std::thread([this] { run(); });
}

void NoiseSampler::start_gpu_probe() {
  const char* library = std::getenv("KNEEPOINT_NVML");
  if (library == nullptr && access("/dev/nvidiactl", F_OK) != 0) return;
  const std::string program = find_part("kneepoint-gpu");
  if (access(program.c_str(), X_OK) != 0) return;
  auto child = start_child({program, std::to_string(interval_ / kMillisecond)}, {});
  if (!child) return;
  gpu_probe_ = std::move(*child);
  spare_child(gpu_probe_.pid);
}

void NoiseSampler::read_gpus(std::vector<GpuSample>& gpus) {
  if (!gpu_probe_.out.is_open()) return;
  std::array<char, 4096> block;
  for (;;) {
    const ssize_t n = read(gpu_probe_.out.fd(), block.data(), block.size());
    if (n <= 0 || gpu_text_.size() > kMostGpuText) break;
    gpu_text_.append(block.data(), static_cast<std::size_t>(n));
  }
  for (std::size_t newline; (newline = gpu_text_.find('\n')) != std::string::npos;) {
    if (const auto sample = parse_gpu_line(std::string_view(gpu_text_).substr(0, newline))) {
      gpus.push_back(*sample);
      gpu_seen_ = true;
    }
    gpu_text_.erase(0, newline + 1);
  }
}

NoiseSample NoiseSampler::look(bool with_clock) {
  NoiseSample sample;
  sample.at = system_clock().steady();
  sample.cpu = parse_cpu_ticks(read_small(places_.stat, 4096));
  if (with_clock) sample.clock_mhz = busy_clock_mhz(clocks_now(places_.cpus, kMostCpus), busy_);
  sample.memory_bytes = memory_bytes_now(places_.resctrl);
  read_gpus(sample.gpus);
  return sample;
}

void NoiseSampler::run() {
  const Nanoseconds begun = system_clock().steady();
  noise_.add(look(false));
  for (;;) {
    pollfd entry{wake_.fd(), POLLIN, 0};
    const int woken = poll(&entry, 1, static_cast<int>(interval_ / kMillisecond));
    if (woken > 0) break;
    noise_.add(look(system_clock().steady() - begun >= kBeforeClocks));
  }
  if (gpu_probe_.out.is_open() && !gpu_seen_) {  // its library may take a while to load
    pollfd first{gpu_probe_.out.fd(), POLLIN, 0};
    poll(&first, 1, kFirstGpuLineMs);
  }
  noise_.add(look(false));  // the program has ended: its clock says nothing
  cost_seconds_ = thread_seconds();
}

void NoiseSampler::stop() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  (void)!write(wake_.fd(), &one, sizeof one);
  thread_.join();
  if (gpu_probe_.pid > 0) {
    kill(gpu_probe_.pid, SIGKILL);
    end_spared_child(gpu_probe_.pid);
    gpu_probe_ = Child{};
  }
}

Facts NoiseSampler::facts(std::optional<double> others) const {
  if (interval_ <= 0) return {};
  Facts facts = noise_.facts(others);
  if (facts.empty()) return facts;
  facts.emplace_back("noise.sampler_seconds", format_number("%.6f", cost_seconds_));
  return facts;
}

}  // namespace kneepoint::agent

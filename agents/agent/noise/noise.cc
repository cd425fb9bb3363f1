// SPDX-License-Identifier: Apache-2.0
//
// A look costs a handful of small reads; clocks of at most kMostCpus CPUs, since reading one may
// interrupt it. GPUs are asked by a program of its own: the agent is linked statically and can't
// load NVIDIA's library. Steal is a share of the time in which CPUs wanted to run: idle CPUs would
// hide what was taken from the few that work.
#include "agents/agent/noise/noise.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "agents/agent/file.h"
#include "agents/agent/text.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

constexpr int kMostCpus = 64;
constexpr Nanoseconds kBeforeClocks = 300 * kMillisecond;  // clocks have risen by then
constexpr std::size_t kMostGpuText = 64 * 1024;
constexpr Nanoseconds kFirstGpuLine = 5 * kSecond;

// https://docs.nvidia.com/deploy/nvml-api: nvmlClocksThrottleReasons
struct ThrottleReason {
  std::uint64_t bit;
  const char* words;
};
constexpr std::array<ThrottleReason, 5> kThrottle = {{{0x04, "power cap"},
                                                      {0x08, "hardware slowdown"},
                                                      {0x20, "heat"},
                                                      {0x40, "heat (hardware)"},
                                                      {0x80, "power brake"}}};

std::string four_digits(double value) {
  return format_number("%.4g", value);
}

std::string whole(double value) {
  return format_number("%.0f", value);
}

double steal_between(const CpuTicks& from, const CpuTicks& to) {
  if (to.busy <= from.busy || to.steal < from.steal) return 0;
  return static_cast<double>(to.steal - from.steal) / static_cast<double>(to.busy - from.busy);
}

}  // namespace

std::optional<GpuSample> parse_gpu_line(std::string_view line) {
  const auto words = words_of(line);
  GpuSample sample;
  const auto take = [&](std::size_t word, auto& value, int base) {
    const char* const end = words[word].data() + words[word].size();
    const auto [next, problem] = std::from_chars(words[word].data(), end, value, base);
    return problem == std::errc() && next == end;
  };
  const bool good = words.size() == 5 && words[0] == "gpu" && take(1, sample.index, 10) &&
                    take(2, sample.clock_mhz, 10) && take(3, sample.max_mhz, 10) &&
                    take(4, sample.reasons, 16);
  return good ? std::optional(sample) : std::nullopt;
}

bool is_throttled(std::uint64_t reasons) {
  return std::any_of(kThrottle.begin(), kThrottle.end(),
                     [&](const ThrottleReason& one) { return (reasons & one.bit) != 0; });
}

std::string throttle_words(std::uint64_t reasons) {
  std::vector<std::string> words;
  for (const ThrottleReason& one : kThrottle) {
    if ((reasons & one.bit) != 0) words.push_back(one.words);
  }
  return joined(words, ", ");
}

void Noise::Range::add(double value) {
  low = count == 0 ? value : std::min(low, value);
  high = count == 0 ? value : std::max(high, value);
  sum += value;
  ++count;
}

void Noise::add(const NoiseSample& sample) {
  if (samples_ > 0 && last_.cpu && sample.cpu) {
    worst_steal_ = std::max(worst_steal_, steal_between(*last_.cpu, *sample.cpu));
  }
  if (sample.clock_mhz) clock_.add(*sample.clock_mhz);
  for (const GpuSample& gpu : sample.gpus) {
    Gpu& known = gpus_[gpu.index];
    known.clock.add(gpu.clock_mhz);
    known.max_mhz = std::max(known.max_mhz, gpu.max_mhz);
    known.throttled += is_throttled(gpu.reasons) ? 1 : 0;
    known.reasons |= gpu.reasons;
  }
  if (samples_++ == 0) first_ = sample;
  last_ = sample;
}

Facts Noise::facts() const {
  Facts facts;
  if (samples_ < 2) return facts;
  facts.emplace_back("noise.samples", std::to_string(samples_));
  if (first_.cpu && last_.cpu) {
    facts.emplace_back("noise.steal", four_digits(steal_between(*first_.cpu, *last_.cpu)));
    facts.emplace_back("noise.steal_worst", four_digits(worst_steal_));
  }
  if (clock_.count > 0) {
    facts.emplace_back("noise.clock_mhz", whole(clock_.mean()));
    facts.emplace_back("noise.clock_mhz_low", whole(clock_.low));
    facts.emplace_back("noise.clock_mhz_high", whole(clock_.high));
  }
  if (clock_.count > 1 && clock_.high > 0) {
    facts.emplace_back("noise.clock_drop", four_digits(1 - clock_.low / clock_.high));
  }
  const double seconds = to_seconds(last_.at - first_.at);
  if (first_.memory_bytes && last_.memory_bytes && seconds > 0 &&
      *last_.memory_bytes >= *first_.memory_bytes) {
    const auto bytes = static_cast<double>(*last_.memory_bytes - *first_.memory_bytes);
    facts.emplace_back("noise.memory_gb_per_s", four_digits(bytes / seconds * 1e-9));
  }
  double worst = 0;
  for (const auto& [index, gpu] : gpus_) {
    const std::string name = "noise.gpu" + std::to_string(index);
    facts.emplace_back(name + ".clock_mhz", whole(gpu.clock.mean()));
    facts.emplace_back(name + ".clock_mhz_low", whole(gpu.clock.low));
    facts.emplace_back(name + ".clock_mhz_most", std::to_string(gpu.max_mhz));
    const double share = static_cast<double>(gpu.throttled) / std::max(1, gpu.clock.count);
    facts.emplace_back(name + ".throttled", four_digits(share));
    const std::string why = throttle_words(gpu.reasons);
    if (!why.empty()) facts.emplace_back(name + ".throttled_by", why);
    worst = std::max(worst, share);
  }
  if (!gpus_.empty()) facts.emplace_back("noise.gpu_throttled", four_digits(worst));
  return facts;
}

std::optional<std::uint64_t> memory_bytes_now(const std::string& mon_data) {
  std::optional<std::uint64_t> sum;
  for (const std::string& name : names_in(mon_data)) {
    const std::string text = read_small(mon_data + "/" + name + "/mbm_total_bytes", 64);
    if (const auto bytes = leading_number<std::uint64_t>(text)) sum = sum.value_or(0) + *bytes;
  }
  return sum;
}

NoiseSampler::NoiseSampler(Nanoseconds interval, int busy, NoisePlaces places)
    : interval_(interval), busy_(busy), places_(std::move(places)) {
  if (interval_ <= 0) return;
  wake_ = Fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
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
  drain_pipes(gpu_probe_, [this](char stream, std::string_view bytes) {
    if (stream == 1 && gpu_text_.size() <= kMostGpuText) gpu_text_ += bytes;
  });
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
    pollfd entry{wake_.get(), POLLIN, 0};
    const int woken = poll(&entry, 1, static_cast<int>(interval_ / kMillisecond));
    if (woken > 0) break;
    noise_.add(look(system_clock().steady() - begun >= kBeforeClocks));
  }
  if (gpu_probe_.out.is_open() && !gpu_seen_) {  // its library may take a while to load
    wait_readable(gpu_probe_.out.get(), system_clock().steady() + kFirstGpuLine);
  }
  noise_.add(look(false));  // the program has ended: its clock says nothing
  cost_seconds_ = cpu_seconds_of(RUSAGE_THREAD);
}

void NoiseSampler::stop() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  (void)!write(wake_.get(), &one, sizeof one);
  thread_.join();
  if (gpu_probe_.pid > 0) {
    kill(gpu_probe_.pid, SIGKILL);
    end_spared_child(gpu_probe_.pid);
    gpu_probe_ = Child{};
  }
}

Facts NoiseSampler::facts() const {
  if (interval_ <= 0) return {};
  Facts facts = noise_.facts();
  if (facts.empty()) return facts;
  facts.emplace_back("noise.sampler_seconds", format_number("%.6f", cost_seconds_));
  return facts;
}

}  // namespace kneepoint::agent

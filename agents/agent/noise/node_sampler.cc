// SPDX-License-Identifier: Apache-2.0
//
// Text of bounded size: a sampler that says more than a node has facts is not listened to further.
#include "agents/agent/noise/remote_noise.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "agents/agent/agent.h"
#include "agents/agent/noise/noise.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/supervise/child.h"
#include "agents/agent/text.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

constexpr std::size_t kMostLine = 4096;
constexpr std::size_t kMostFacts = 4096;
constexpr std::size_t kMostNodes = 100'000;
constexpr const char* kUnknown = "-";

std::string text_of(double value) {
  return format_number("%.4g", value);
}

std::string word_of(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  std::string word(line.substr(0, end));
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

bool put(const std::string& text) {
  return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
}

// What comes on standard input says nothing; its end does.
bool has_ended(int fd) {
  std::array<char, 256> block;
  const ssize_t n = read(fd, block.data(), block.size());
  return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

void wait_for_end(Signals& signals, bool until_eof) {
  while (!signals.cancel_asked()) {
    std::array<pollfd, 2> entries = {{{signals.fd(), POLLIN, 0}, {until_eof ? 0 : -1, POLLIN, 0}}};
    poll(entries.data(), entries.size(), -1);
    signals.read_pending();
    if (entries[1].revents != 0 && has_ended(0)) return;
  }
}

}  // namespace

std::string sampler_text(const NodeNoise& found) {
  std::string text;
  for (const auto& [name, value] : found.facts) {
    text += "fact " + found.node + " " + name + " " + value + "\n";
  }
  if (found.use) {
    text += "use " + found.node + " " + text_of(found.use->busy) + " " +
            (found.use->own ? text_of(*found.use->own) : kUnknown) + "\n";
  }
  return text + "end " + found.node + "\n";
}

void SamplerReader::take(std::string_view bytes) {
  rest_ += bytes;
  const std::size_t whole = rest_.rfind('\n') + 1;  // npos + 1 is 0
  for (const std::string_view line : split(std::string_view(rest_).substr(0, whole), '\n')) {
    take_line(line);
  }
  rest_.erase(0, whole);
  if (rest_.size() > kMostLine) rest_.clear();
}

void SamplerReader::take_line(std::string_view line) {
  const std::string what = word_of(line);
  const std::string node = word_of(line);
  if (node.empty() || begun_.size() > kMostNodes) return;
  if (what == "ready") {
    ++ready_;
    return;
  }
  NodeNoise& one = begun_.try_emplace(node, NodeNoise{node, {}, {}}).first->second;
  if (what == "fact") {
    const std::string name = word_of(line);
    if (name.starts_with("noise.") && one.facts.size() < kMostFacts) {
      one.facts.emplace_back(name, std::string(line));
    }
  } else if (what == "use") {
    CoreUse use;
    use.busy = std::strtod(word_of(line).c_str(), nullptr);
    const std::string own = word_of(line);
    if (own != kUnknown) use.own = std::strtod(own.c_str(), nullptr);
    one.use = use;
  } else if (what == "end") {
    ended_.push_back(std::move(one));
    begun_.erase(node);
  }
}

std::vector<std::pair<std::string, Facts>> by_node(const std::vector<NodeNoise>& found) {
  std::vector<std::pair<std::string, Facts>> nodes;
  for (const NodeNoise& one : found) {
    const auto same = [&](const auto& known) { return known.first == one.node; };
    if (one.facts.empty() || std::any_of(nodes.begin(), nodes.end(), same)) continue;
    auto& [node, facts] = nodes.emplace_back(one.node, one.facts);
    double own = 0;
    bool known = one.use.has_value();
    for (const NodeNoise& other : found) {
      if (other.node != one.node) continue;
      known = known && other.use && other.use->own;
      if (known) own += *other.use->own;
    }
    if (known) facts.emplace_back("noise.others", text_of(std::max(0.0, one.use->busy - own)));
  }
  return nodes;
}

int sample_node(const std::string& milliseconds, const std::string& busy, bool until_eof) {
  const int interval = whole_number<int>(milliseconds).value_or(0);
  const int cpus = whole_number<int>(busy).value_or(0);
  if (interval < 1 || cpus < 1) {
    std::fputs("kneepoint-agent sample: two numbers from 1 on are wanted\n", stderr);
    return kExitUsage;
  }
  fill_standard_descriptors();
  auto signals = Signals::take();
  if (!signals) {
    std::fprintf(stderr, "kneepoint-agent sample: %s\n", signals.error().message.c_str());
    return kExitIo;
  }
  const bool in_pod = std::getenv(kJobVariable) != nullptr;
  const RunCounters counters(in_pod ? Ours::pod : Ours::job);
  NoiseSampler sampler(interval * kMillisecond, cpus);
  const std::string node = host_name();
  if (!put("ready " + node + "\n")) return kExitIo;
  wait_for_end(*signals, until_eof);
  sampler.stop();
  const auto use = core_use(counters.spent());
  return put(sampler_text({node, sampler.facts(), use})) ? kExitDone : kExitIo;
}

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// kneepoint-push ALLOCATION.json: started by the agent. Its standard input ends when the agent has
// ended; its standard output says nothing and ends with it. The token is read from the file.
#include <poll.h>

#include <cstdio>
#include <cstring>

#include "agents/agent/agent.h"
#include "agents/agent/push/loop.h"
#include "agents/agent/push/pusher.h"
#include "orchestrator/base/hmac.h"

namespace {

using namespace kneepoint;
using namespace kneepoint::agent;

constexpr std::size_t kMostAllocation = 64 << 20;

bool agent_ended_within(Nanoseconds most) {
  const Nanoseconds deadline = system_clock().steady() + most;
  static bool ended = false;
  for (;;) {
    const Nanoseconds left = deadline - system_clock().steady();
    pollfd life{ended ? -1 : 0, POLLIN, 0};  // -1 is not looked at: the whole time is waited
    const int n = poll(&life, 1, left > 0 ? static_cast<int>(left / kMillisecond) + 1 : 0);
    if (n > 0) ended = true;
    if (n > 0 || left <= 0) return ended;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::strcmp(argv[1], "--help") == 0) {
    std::fputs(
        "Usage: kneepoint-push ALLOCATION.json\n\n"
        "Pushes the records of an allocation to the controller that its file names, until\n"
        "its standard input ends. kneepoint-agent starts it; people need not.\n",
        argc == 2 ? stdout : stderr);
    return argc == 2 ? kExitDone : kExitUsage;
  }
  const std::string path = argv[1];
  const auto say = [&path](const std::string& text) {
    std::fprintf(stderr, "kneepoint-push: %s: %s\n", path.c_str(), text.c_str());
  };
  const auto allocation = parse_allocation(read_small(path, kMostAllocation));
  if (!allocation || !allocation->push) {
    say(allocation ? "names no controller" : "can't be read as an allocation");
    return kExitUsage;
  }
  std::uint64_t seed = 0;
  const std::string bytes = random_bytes(sizeof seed);
  std::memcpy(&seed, bytes.data(), sizeof seed);
  const auto client = make_push_client(allocation->name, *allocation->push);
  push_records(*allocation, *client, {system_clock(), &agent_ended_within, say}, Random(seed),
               kLastPush);
  return kExitDone;
}

// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/push/push_load.h"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "agents/wire/record.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/random.h"
#include "orchestrator/engine/engine.h"
#include "orchestrator/server/http/sockets.h"
#include "orchestrator/server/push/endpoint.h"
#include "tests/fakes/push_caller.h"
#include "tests/fakes/scripted_launcher.h"

namespace kneepoint::bench {
namespace {

constexpr int kCallers = 24;  // threads that the agents share

class WideLauncher : public ScriptedLauncher {
 public:
  explicit WideLauncher(int jobs) : jobs_(jobs) {}
  Capabilities capabilities() const override {
    Capabilities c = ScriptedLauncher::capabilities();
    c.nodes = jobs_;
    c.default_concurrent = jobs_;
    c.has_queue = true;
    c.poll_interval = 200 * kMillisecond;
    return c;
  }

 private:
  int jobs_;
};

// The records of one attempt, cut into as many pieces as it pushes.
std::vector<std::string> pieces_of(const PushLoad& load, const std::string& attempt) {
  std::vector<std::string> lines = {record::to_line(0, record::Begin{attempt, 1})};
  for (int i = 0; i < load.samples; ++i) {
    lines.push_back(record::to_line(static_cast<int>(lines.size()),
                                    record::Sample{i, false, 3'000'000, 2, 1, 1, 1, 0}));
  }
  const auto number = [&] { return static_cast<int>(lines.size()); };
  lines.push_back(record::to_line(number(), record::Metric{"time", 0.25, "s"}));
  std::string text;
  for (const std::string& line : lines) text += line;
  record::End end{"succeeded", "none"};
  end.elapsed_ns = kSecond;
  end.count = number();
  end.checksum = hex64(fnv1a64(text));
  lines.push_back(record::to_line(number(), end));
  std::vector<std::string> pieces(static_cast<std::size_t>(load.pushes));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    pieces[i * pieces.size() / lines.size()] += lines[i];
  }
  return pieces;
}

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Study study_of(const PushLoad& load) {
  Study study;
  study.plan.study = "load";
  study.plan.repeat.min = study.plan.repeat.max = load.agents;
  study.plan.limits.retries = 0;
  study.plan.limits.concurrent = load.agents;
  study.plan.limits.timeout = 10 * kHour;
  study.hash8 = kLoadHash;
  Point point;
  point.case_name = point.workload = "load";
  point.k = 1;
  point.shape = Shape{1, 1, 1, 1, 0, Bind::none};
  point.metrics = {{"time", "t", "s", "stdout"}};
  study.points.push_back(point);
  return study;
}

}  // namespace

std::string load_attempt(int run) {
  return "r" + std::to_string(run) + "-a1";
}

std::string load_allocation(int run) {
  return std::string("kp-") + kLoadHash + "-1-" + std::to_string(run) + "-a1";
}

int control(const PushLoad& load, const std::string& folder, int out) {
  const Clock& clock = system_clock();
  const Study study = study_of(load);
  Site site;
  auto store = StudyStore::open(folder + "/k.db", StudyStore::Access::read_write, clock);
  if (!store) return 2;
  auto row = (*store)->create_study(study, site, 1, folder + "/runs");
  EngineOptions options;
  options.lease = {"here", 1, clock.wall()};
  options.concurrent = load.agents;
  if (!row ||
      !(*store)->acquire_lease(row->row, options.lease, [](const Lease&) { return true; })) {
    return 3;
  }
  auto endpoint = PushEndpoint::open(PushSite{}, folder + "/push", "load", clock);
  if (!endpoint) return 4;
  options.live.spool = push_spool(folder + "/push", "load");
  options.live.target = [&](const std::string& name) { return (*endpoint)->target(name); };
  WideLauncher launcher(load.agents);
  const auto wanted =
      static_cast<std::uint64_t>(load.agents) * static_cast<std::uint64_t>(load.pushes);
  // Their nodes die when all has been pushed: nothing comes home but by push. One look later, since
  // the spool is read before the backend is asked.
  bool said = false;
  int looks_after = 0;
  launcher.on_observe = [&] {
    if (!said && launcher.accepted.size() == static_cast<std::size_t>(load.agents)) {
      said = ::write(out, "ready\n", 6) == 6;
    }
    if ((*endpoint)->stats().pushes >= wanted) ++looks_after;
  };
  launcher.fate = [&](const std::string&) {
    return looks_after > 1 ? ScriptedLauncher::Fate::dies : ScriptedLauncher::Fate::runs_on;
  };
  Poller poller;
  const auto outcome = run_study(**store, *row, study, site, launcher, poller, clock, options);
  if (!outcome) {
    std::fprintf(stderr, "%s\n", outcome.error().message.c_str());
    return 5;
  }
  ControllerFigures figures;
  const PushStats stats = (*endpoint)->stats();
  figures.succeeded = outcome->succeeded;
  const auto runs = (*store)->runs(row->row);
  for (const RunRow& run : runs.value()) {
    if (run.last) figures.samples += static_cast<long>((*store)->samples(run.last->row)->size());
  }
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const std::string text =
      std::to_string(to_seconds(stats.time.quantile(0.5)) * 1e3) + " " +
      std::to_string(to_seconds(stats.time.quantile(0.99)) * 1e3) + " " +
      std::to_string(stats.pushes) + " " + std::to_string(stats.put_off) + " " +
      std::to_string(stats.refused) + " " + std::to_string(stats.accepted) + " " +
      std::to_string(static_cast<double>(used.ru_maxrss) / 1024) + " " +
      std::to_string(figures.succeeded) + " " + std::to_string(figures.samples) + "\n";
  return ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 6;
}

int push_all(const PushLoad& load, const std::string& folder) {
  allow_descriptors(2 * load.agents + 200);
  std::string hex = whole_file(folder + "/push/key");
  hex.pop_back();
  const std::string key = bytes_of_hex(hex);
  const int port = std::atoi(whole_file(folder + "/push/load/port").c_str());
  const testing_support::PushTrust trust(whole_file(folder + "/push/identity.pem"));

  struct Agent {
    std::mutex busy;
    std::unique_ptr<testing_support::PushCaller> caller;
    std::vector<std::string> pieces;
    std::size_t next = 0;
  };
  std::vector<Agent> agents(static_cast<std::size_t>(load.agents));
  std::vector<std::pair<Nanoseconds, std::size_t>> schedule;
  Random random(20261117, "agents");
  for (std::size_t i = 0; i < agents.size(); ++i) {
    agents[i].caller = std::make_unique<testing_support::PushCaller>(trust, port);
    agents[i].pieces = pieces_of(load, load_attempt(static_cast<int>(i) + 1));
    for (int p = 0; p < load.pushes; ++p) {
      const double at = random.uniform() * static_cast<double>(load.window);
      schedule.emplace_back(static_cast<Nanoseconds>(at), i);
    }
  }
  std::sort(schedule.begin(), schedule.end());
  std::atomic<std::size_t> next = 0;
  std::atomic<int> lost = 0;
  const Nanoseconds began = system_clock().steady();
  std::vector<std::thread> callers;
  for (int t = 0; t < kCallers; ++t) {
    callers.emplace_back([&] {
      for (std::size_t i = next++; i < schedule.size(); i = next++) {
        const auto [at, index] = schedule[i];
        const Nanoseconds left = began + at - system_clock().steady();
        if (left > 0) ::poll(nullptr, 0, static_cast<int>(left / kMillisecond) + 1);
        Agent& agent = agents[index];
        const std::lock_guard lock(agent.busy);
        const std::string name = load_allocation(static_cast<int>(index) + 1);
        const int status = agent.caller->push(name, load_attempt(static_cast<int>(index) + 1),
                                              push_token(key, name), agent.pieces[agent.next++]);
        if (status != 204) ++lost;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  return lost;
}

}  // namespace kneepoint::bench

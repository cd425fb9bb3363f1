// SPDX-License-Identifier: Apache-2.0
//
// Numbers stay in memory while the program runs and are written once, when it ends: by the MPI
// profile when both are there (it gathers all ranks), else into a file of this rank. The hot path
// takes no lock and makes no system call.
#include "agents/probe/kneepoint/probe.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "agents/probe/signal_safe.h"

#define KP_EXPORT __attribute__((visibility("default")))

namespace kneepoint {
namespace {

constexpr std::size_t kMostIterations = 65536;  // kept one by one; further ones are counted
constexpr int kMostNames = 64, kMostName = 64, kMostDepth = 16;
constexpr std::size_t kMostPath = 4096;

struct Iteration {
  std::uint64_t ticks, mpi_ticks;
};

struct Region {
  char name[kMostName];
  std::atomic<std::uint64_t> calls, ticks;
};

struct Metric {
  char name[kMostName], unit[kMostName];
  double value;
};

struct Open {
  Region* region;
  std::uint64_t began;
};

struct Stack {
  int depth;
  Open open[kMostDepth];
};

using MpiTicks = std::uint64_t (*)();

bool enabled = false;  // set before main() and by nobody after
pid_t process = 0;
char folder[kMostPath];
ticks::Moment begin_moment;

Iteration* iterations = nullptr;
std::size_t iteration_count = 0;
bool iteration_open = false;
std::uint64_t iteration_began = 0, iteration_mpi = 0;
MpiTicks mpi_ticks = nullptr;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // for names that are new, and metrics
Region regions[kMostNames];
std::atomic<int> region_count{0};
Metric metrics[kMostNames];
int metric_count = 0;
std::atomic<bool> used{false}, taken{false};
__thread Stack stack __attribute__((tls_model("initial-exec")));

__attribute__((constructor)) void begin() {
  const char* const where = std::getenv("KNEEPOINT_PROBE");
  if (where == nullptr || where[0] == '\0' || std::strlen(where) + 64 > kMostPath) return;
  std::strcpy(folder, where);
  process = getpid();
  enabled = true;
}

// When something is first marked: at load time it is not known yet which clock it will be.
pthread_once_t clock_once = PTHREAD_ONCE_INIT;
void start_clock() {
  begin_moment = ticks::moment();
  used.store(true);
}

int rank_by_environment() {
  for (const char* name :
       {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "RANK"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && value[0] >= '0' && value[0] <= '9') return std::atoi(value);
  }
  return 0;
}

void copy_name(char* to, const char* from) {
  std::strncpy(to, from, kMostName - 1);
  to[kMostName - 1] = '\0';
}

Region* known_region(const char* name) {
  const int count = region_count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    if (std::strncmp(regions[i].name, name, kMostName - 1) == 0) return &regions[i];
  }
  return nullptr;
}

Region* region_of(const char* name) {
  if (Region* const known = known_region(name)) return known;
  pthread_mutex_lock(&lock);
  Region* region = known_region(name);
  const int count = region_count.load(std::memory_order_relaxed);
  if (region == nullptr && count < kMostNames) {
    region = &regions[count];
    copy_name(region->name, name);
    region_count.store(count + 1, std::memory_order_release);
  }
  pthread_mutex_unlock(&lock);
  pthread_once(&clock_once, start_clock);
  return region;
}

std::size_t kept_iterations() {
  return iteration_count < kMostIterations ? iteration_count : kMostIterations;
}

void put_report(PlainText& text) {
  const ticks::Rate rate(begin_moment, ticks::moment());
  text.add("kneepoint-probe 1\nrank ").number(rank_by_environment());
  text.add("\niterations ").number(static_cast<std::int64_t>(iteration_count));
  for (std::size_t i = 0; iterations != nullptr && i < kept_iterations(); ++i) {
    text.add("\ni ").number(rate.ns(iterations[i].ticks)).add(' ');
    text.number(mpi_ticks != nullptr ? rate.ns(iterations[i].mpi_ticks) : -1);
  }
  for (int i = 0; i < region_count.load(std::memory_order_acquire); ++i) {
    text.add("\nregion ").word(regions[i].name).add(' ');
    text.number(static_cast<std::int64_t>(regions[i].calls.load())).add(' ');
    text.number(rate.ns(regions[i].ticks.load()));
  }
  for (int i = 0; i < metric_count; ++i) {
    char value[40];
    std::snprintf(value, sizeof value, "%.17g", metrics[i].value);
    text.add("\nmetric ").word(metrics[i].name).add(' ').add(value).add(' ');
    text.word(metrics[i].unit);
  }
  text.add("\nend\n");
}

// The report in room of its own, which is never given back: the process is about to end. Once;
// nullptr: nothing to tell. A child that was forked has the numbers of its parent, not its own.
const char* take_report(std::size_t& size) {
  size = 0;
  if (!enabled || getpid() != process || !used.load() || taken.exchange(true)) return nullptr;
  const std::size_t most = 32768 + kept_iterations() * 48;
  char* const room = static_cast<char*>(std::malloc(most));
  if (room == nullptr) return nullptr;
  PlainText text(room, most);
  put_report(text);
  size = text.fits() ? text.size() : 0;
  return text.fits() ? room : nullptr;
}

__attribute__((destructor)) void end() {
  std::size_t size = 0;
  const char* const report = take_report(size);
  if (report == nullptr) return;
  mkdir(folder, 0755);
  char path[kMostPath + 32], temporary[kMostPath + 32];
  const int rank = rank_by_environment();
  std::snprintf(path, sizeof path, "%s/rank-%d.txt", folder, rank);
  std::snprintf(temporary, sizeof temporary, "%s/rank-%d.new", folder, rank);
  write_text_file(report, size, temporary, path);
}

}  // namespace
}  // namespace kneepoint

using namespace kneepoint;

extern "C" {

KP_EXPORT int kp_enabled(void) {
  return enabled ? 1 : 0;
}

KP_EXPORT void kp_iteration_begin(void) {
  if (!enabled) return;
  if (iterations == nullptr) {
    iterations = static_cast<Iteration*>(std::calloc(kMostIterations, sizeof(Iteration)));
    mpi_ticks = reinterpret_cast<MpiTicks>(dlsym(RTLD_DEFAULT, "kneepoint_pmpi_thread_ticks"));
    pthread_once(&clock_once, start_clock);
  }
  iteration_open = true;
  iteration_mpi = mpi_ticks != nullptr ? mpi_ticks() : 0;
  iteration_began = ticks::now();
}

KP_EXPORT void kp_iteration_end(void) {
  if (!enabled || !iteration_open) return;
  const std::uint64_t now = ticks::now();
  iteration_open = false;
  if (iteration_count < kMostIterations && iterations != nullptr) {
    const std::uint64_t in_mpi = mpi_ticks != nullptr ? mpi_ticks() - iteration_mpi : 0;
    iterations[iteration_count] = {now - iteration_began, in_mpi};
  }
  ++iteration_count;
}

KP_EXPORT void kp_region_begin(const char* name) {
  if (!enabled || name == nullptr || stack.depth >= kMostDepth) return;
  Region* const region = region_of(name);
  if (region == nullptr) return;
  stack.open[stack.depth++] = {region, ticks::now()};
}

KP_EXPORT void kp_region_end(const char* name) {
  if (!enabled || name == nullptr || stack.depth == 0) return;
  const std::uint64_t now = ticks::now();
  const Open& open = stack.open[stack.depth - 1];
  if (std::strncmp(open.region->name, name, kMostName - 1) != 0) return;
  --stack.depth;
  open.region->calls.fetch_add(1, std::memory_order_relaxed);
  open.region->ticks.fetch_add(now - open.began, std::memory_order_relaxed);
}

KP_EXPORT void kp_metric(const char* name, double value, const char* unit) {
  if (!enabled || name == nullptr || !std::isfinite(value) || std::strcmp(name, "time") == 0)
    return;
  pthread_mutex_lock(&lock);
  int i = 0;
  while (i < metric_count && std::strncmp(metrics[i].name, name, kMostName - 1) != 0) ++i;
  if (i < kMostNames) {
    copy_name(metrics[i].name, name);
    copy_name(metrics[i].unit, unit != nullptr ? unit : "");
    metrics[i].value = value;
    if (i == metric_count) ++metric_count;
  }
  pthread_mutex_unlock(&lock);
  pthread_once(&clock_once, start_clock);
}

// For the MPI profile, which takes the text of every rank home; nullptr: nothing to tell.
KP_EXPORT const char* kneepoint_probe_take(std::size_t* size) {
  return take_report(*size);
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
//
// A handler is put only where nobody put one to be left alone: SIGTERM and SIGINT when they have
// their default, signals of a crash also before MPI's own handler, which then goes on.
#include "agents/pmpi/leave.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace kneepoint::pmpi {
namespace {

constexpr std::size_t kMostSummary = 64 << 10;  // 146 operations of at most 100 bytes, and a host
constexpr std::size_t kMostPath = 4096;
constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int kEnds[] = {SIGTERM, SIGINT};
constexpr int kSignals = 65;

RankFacts own_facts;
Window the_window;
char folder_name[kMostPath], own_path[kMostPath], own_temporary[kMostPath];
char room[kMostSummary];
pid_t process = 0;
std::atomic<bool> ready{false};
std::atomic<bool> gone{false};
struct sigaction before[kSignals];

void name_file(char* to, const char* name, int rank, const char* ending) {
  PlainText text(to, kMostPath - 1);
  text.add(folder_name).add('/').add(name);
  if (rank >= 0) text.number(rank);
  text.add(ending);
  to[text.size()] = '\0';
}

void on_signal(int number, siginfo_t* info, void*) {
  const int kept = errno;
  leave(false);
  errno = kept;
  sigaction(number, &before[number], nullptr);
  // What somebody sent comes again when the handler returns; a crash does so by itself.
  if (info->si_code <= 0) raise(number);
}

void watch(int number, bool chain) {
  struct sigaction& old = before[number];
  if (sigaction(number, nullptr, &old) != 0) return;
  const bool is_default = (old.sa_flags & SA_SIGINFO) == 0 && old.sa_handler == SIG_DFL;
  const bool is_ignored = (old.sa_flags & SA_SIGINFO) == 0 && old.sa_handler == SIG_IGN;
  if (is_ignored || (!is_default && !chain)) return;
  struct sigaction ours {};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(number, &ours, nullptr);
}

// exit() without MPI_Finalize.
__attribute__((destructor)) void at_exit() {
  leave(false);
}

}  // namespace

RankFacts& rank_facts() {
  return own_facts;
}

Window& window() {
  return the_window;
}

void prepare_to_leave(const char* folder) {
  if (std::strlen(folder) + 64 > kMostPath) return;
  std::strcpy(folder_name, folder);
  mkdir(folder_name, 0755);  // another rank may have been first
  name_file(own_path, "rank-", own_facts.rank, ".txt");
  name_file(own_temporary, "rank-", own_facts.rank, ".new");
  process = getpid();
  ready.store(true);
  for (const int number : kCrashes) watch(number, true);
  for (const int number : kEnds) watch(number, false);
}

bool can_leave() {
  return ready.load();
}

PlainText summary_text(bool complete) {
  PlainText text(room, sizeof room);
  write_summary(own_facts, the_window, complete, text);
  return text;
}

bool write_all_ranks(const char* bytes, std::size_t size) {
  char path[kMostPath], temporary[kMostPath];
  name_file(path, "ranks", -1, ".txt");
  name_file(temporary, "ranks", -1, ".new");
  PlainText text(const_cast<char*>(bytes), size);
  text.take_all();
  return text.write_to(temporary, path);
}

void leave(bool complete) {
  // A child that was forked has the counts of its parent, not its own.
  if (!can_leave() || getpid() != process || gone.exchange(true)) return;
  const PlainText text = summary_text(complete);
  text.write_to(own_temporary, own_path);
}

void left() {
  gone.store(true);
}

}  // namespace kneepoint::pmpi

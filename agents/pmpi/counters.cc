// SPDX-License-Identifier: Apache-2.0
//
// Blocks are never freed: the counts of a thread that has ended still belong to its rank. A new
// thread goes on with the block of one that has ended, so that their number is bounded.
#include "agents/pmpi/counters.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace kneepoint::pmpi {

__thread Block* thread_block __attribute__((tls_model("initial-exec"))) = nullptr;
std::atomic<bool> counting{false};

namespace {

std::atomic<Block*> newest{nullptr};
std::atomic<std::uint64_t> made{0};
pthread_key_t block_key;
pthread_once_t once = PTHREAD_ONCE_INIT;

void give_back(void* block) {
  static_cast<Block*>(block)->taken.store(0, std::memory_order_release);
  thread_block = nullptr;
}

void make_key() {
  pthread_key_create(&block_key, give_back);
}

Block* free_block() {
  for (Block* block = first_block(); block != nullptr; block = block->next) {
    int idle = 0;
    if (block->taken.compare_exchange_strong(idle, 1, std::memory_order_acquire)) return block;
  }
  return nullptr;
}

}  // namespace

Block* first_block() {
  return newest.load(std::memory_order_acquire);
}

std::uint64_t blocks() {
  return made.load(std::memory_order_relaxed);
}

Block* take_block() {
  pthread_once(&once, make_key);
  Block* block = free_block();
  if (block == nullptr) {
    void* const room = std::calloc(1, sizeof(Block));
    if (room == nullptr) std::abort();
    block = new (room) Block;
    block->next = first_block();
    while (!newest.compare_exchange_weak(block->next, block, std::memory_order_release)) {
    }
    made.fetch_add(1, std::memory_order_relaxed);
  }
  block->depth = 0;
  pthread_setspecific(block_key, block);
  return thread_block = block;
}

// The split of a rank is that of the thread that called MPI_Init; operations are of all threads.
// A handler is put only where nobody put one to be left alone: SIGTERM and SIGINT when they have
// their default, signals of a crash also before MPI's own handler, which then goes on.

namespace {

constexpr std::size_t kMostSummary = 64 << 10;  // 146 operations of at most 100 bytes, and a host
constexpr std::size_t kMostPath = 4096;
constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int kEnds[] = {SIGTERM, SIGINT};
constexpr int kSignals = 65;

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

// Of one operation in one thread, the call under way included.
std::uint64_t ticks_of(const Block& block, int operation, std::uint64_t now) {
  std::uint64_t sum = block.cells[operation].ticks.get();
  if (block.current.get() == static_cast<std::uint64_t>(operation) + 1) {
    const std::uint64_t began = block.began.get();
    if (now > began) sum += now - began;
  }
  return sum;
}

// exit() without MPI_Finalize.
__attribute__((destructor)) void at_exit() {
  leave(false);
}

}  // namespace

RankFacts rank_facts;
Window window;

void prepare_to_leave(const char* folder) {
  if (std::strlen(folder) + 64 > kMostPath) return;
  std::strcpy(folder_name, folder);
  mkdir(folder_name, 0755);  // another rank may have been first
  name_file(own_path, "rank-", rank_facts.rank, ".txt");
  name_file(own_temporary, "rank-", rank_facts.rank, ".new");
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
  const ticks::Moment end = ticks::moment();
  const ticks::Rate rate(window.begin, end);
  std::uint64_t open = window.open;
  if (window.since != 0 && end.ticks > window.since) open += end.ticks - window.since;

  std::uint64_t by_kind[kKinds] = {};
  std::uint64_t other_threads = 0;
  for (const Block* block = first_block(); block != nullptr; block = block->next) {
    for (int i = 0; i < kOperations; ++i) {
      const std::uint64_t spent = ticks_of(*block, i, end.ticks);
      if (block == rank_facts.main) {
        by_kind[static_cast<int>(kOperationRows[i].kind)] += spent;
      } else {
        other_threads += spent;
      }
    }
  }
  text.add("kneepoint-profile 1\nrank ").number(rank_facts.rank).add(' ').number(rank_facts.ranks);
  text.add("\nhost ")
      .word(rank_facts.host)
      .add("\ncpus ")
      .word(rank_facts.cpus, sizeof rank_facts.cpus);
  text.add("\nwindow ").number(rate.ns(open)).add("\ncomplete ").number(complete ? 1 : 0);
  text.add("\nthreads ").number(static_cast<std::int64_t>(blocks()));
  text.add("\nother_threads ").number(rate.ns(other_threads));
  for (int kind = 0; kind < kKinds; ++kind) {
    text.add("\nin ").add(kKindNames[kind]).add(' ').number(rate.ns(by_kind[kind]));
  }
  for (int i = 0; i < kOperations; ++i) {
    std::uint64_t calls = 0, bytes = 0, spent = 0;
    for (const Block* block = first_block(); block != nullptr; block = block->next) {
      calls += block->cells[i].calls.get();
      bytes += block->cells[i].bytes.get();
      spent += ticks_of(*block, i, end.ticks);
      if (block->current.get() == static_cast<std::uint64_t>(i) + 1) ++calls;
    }
    if (calls == 0) continue;
    text.add("\ncall ").add(kOperationRows[i].name).add(' ');
    text.add(kKindNames[static_cast<int>(kOperationRows[i].kind)]).add(' ');
    text.number(static_cast<std::int64_t>(calls)).add(' ');
    text.number(static_cast<std::int64_t>(bytes)).add(' ').number(rate.ns(spent));
  }
  text.add("\nend\n");
  return text;
}

bool write_all_ranks(const char* bytes, std::size_t size) {
  char path[kMostPath], temporary[kMostPath];
  name_file(path, "ranks", -1, ".txt");
  name_file(temporary, "ranks", -1, ".new");
  return write_text_file(bytes, size, temporary, path);
}

void leave(bool complete) {
  // A child that was forked has the counts of its parent, not its own.
  if (!can_leave() || getpid() != process || gone.exchange(true)) return;
  const PlainText text = summary_text(complete);
  write_text_file(text.data(), text.size(), own_temporary, own_path);
}

void left() {
  gone.store(true);
}

}  // namespace kneepoint::pmpi

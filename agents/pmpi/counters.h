// SPDX-License-Identifier: Apache-2.0
//
// Calls, bytes and time of each operation, thread by thread, and what the rank leaves behind of
// them. A thread writes only its own block, so that counting needs no lock; whoever sums up reads
// what is there. Only the outermost call counts: an MPI that implements one call by others, or
// Fortran by C, is seen once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agents/pmpi/operations.h"
#include "agents/probe/signal_safe.h"

namespace kneepoint::pmpi {

// Written by one thread, read by any.
class Counter {
 public:
  void add(std::uint64_t n) { value_.store(get() + n, std::memory_order_relaxed); }
  void set(std::uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct Cell {
  Counter calls, bytes, ticks;
};

struct Block {
  int depth = 0;              // of calls that are under way
  Counter current;            // 1 + the operation under way; 0: none
  Counter began;              // in ticks
  Counter total;              // ticks of all operations
  std::atomic<int> taken{1};  // by a thread that lives
  Block* next = nullptr;
  Cell cells[kOperations];
};

extern __thread Block* thread_block __attribute__((tls_model("initial-exec")));
extern std::atomic<bool> counting;  // between MPI_Init and MPI_Finalize, unless MPI_Pcontrol(0)

Block* take_block();     // for a thread that has none
Block* first_block();    // the list of all
std::uint64_t blocks();  // how many
[[gnu::always_inline]] inline Block* my_block() {
  Block* const block = thread_block;
  return __builtin_expect(block != nullptr, 1) ? block : take_block();
}

// Inlined in all of its hundreds of users, where a compiler left alone would give up: programs pay
// for it with each call.
class Call {
 public:
  [[gnu::always_inline]] explicit Call(Operation operation)
      : block_(my_block()), operation_(operation) {
    counts_ = block_->depth++ == 0 && counting.load(std::memory_order_relaxed);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool counts() const { return counts_; }
  // From here on it is MPI's time.
  [[gnu::always_inline]] void begin(std::uint64_t bytes) {
    block_->cells[static_cast<int>(operation_)].bytes.add(bytes);
    began_ = ticks::now();
    block_->began.set(began_);
    block_->current.set(static_cast<std::uint64_t>(operation_) + 1);
  }
  [[gnu::always_inline]] ~Call() {
    if (counts_) {
      const std::uint64_t spent = ticks::now() - began_;
      Cell& cell = block_->cells[static_cast<int>(operation_)];
      block_->current.set(0);
      cell.calls.add(1);
      cell.ticks.add(spent);
      block_->total.add(spent);
    }
    --block_->depth;
  }

 private:
  Block* block_;
  Operation operation_;
  bool counts_ = false;
  std::uint64_t began_ = 0;
};

// What one rank leaves behind, as text: lines of words, from "kneepoint-profile 1" to "end";
// agents/agent/supervise/rank_report.cc reads it. Into a file, once, whichever way the rank ends.
// What is needed then (names, room for the text) is made ready at MPI_Init, since a signal handler
// may only use what is there: no heap, no stdio, and threads may be counting meanwhile.

struct RankFacts {
  int rank = 0;
  int ranks = 1;
  char host[256] = "";
  char cpus[1024] = "";   // as the kernel lists them: "0-3,8"
  Block* main = nullptr;  // of the thread that called MPI_Init
};

struct Window {
  ticks::Moment begin;      // MPI_Init has returned
  std::uint64_t open = 0;   // ticks counted before, while MPI_Pcontrol had not switched it off
  std::uint64_t since = 0;  // now open since then; 0: closed
};

extern RankFacts rank_facts;
extern Window window;

// Names the files in `folder`, which is made if its parent is there, and watches for the end.
void prepare_to_leave(const char* folder);
bool can_leave();

// `complete`: MPI_Finalize was reached. One at a time; in static room.
PlainText summary_text(bool complete);
bool write_all_ranks(const char* bytes, std::size_t size);
void leave(bool complete);  // this rank's own file, unless it has left
void left();                // nothing more to do

}  // namespace kneepoint::pmpi

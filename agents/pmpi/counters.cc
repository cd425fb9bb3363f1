// SPDX-License-Identifier: Apache-2.0
//
// Blocks are never freed: the counts of a thread that has ended still belong to its rank. A new
// thread goes on with the block of one that has ended, so that their number is bounded.
#include "agents/pmpi/counters.h"

#include <pthread.h>

#include <cstdlib>
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

}  // namespace kneepoint::pmpi

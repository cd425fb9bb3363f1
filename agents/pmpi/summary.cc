// SPDX-License-Identifier: Apache-2.0
//
// The split of a rank is that of the thread that called MPI_Init; operations are of all threads.
#include "agents/pmpi/summary.h"

namespace kneepoint::pmpi {
namespace {

// Of one operation in one thread, the call under way included.
std::uint64_t ticks_of(const Block& block, int operation, std::uint64_t now) {
  std::uint64_t sum = block.cells[operation].ticks.get();
  if (block.current.get() == static_cast<std::uint64_t>(operation) + 1) {
    const std::uint64_t began = block.began.get();
    if (now > began) sum += now - began;
  }
  return sum;
}

}  // namespace

void write_summary(const RankFacts& facts, const Window& window, bool complete, PlainText& text) {
  const ticks::Moment end = ticks::moment();
  const ticks::Rate rate(window.begin, end);
  std::uint64_t open = window.open;
  if (window.since != 0 && end.ticks > window.since) open += end.ticks - window.since;

  std::uint64_t by_kind[kKinds] = {};
  std::uint64_t other_threads = 0;
  for (const Block* block = first_block(); block != nullptr; block = block->next) {
    for (int i = 0; i < kOperations; ++i) {
      const std::uint64_t spent = ticks_of(*block, i, end.ticks);
      if (block == facts.main) {
        by_kind[static_cast<int>(kOperationRows[i].kind)] += spent;
      } else {
        other_threads += spent;
      }
    }
  }
  text.add("kneepoint-profile 1\nrank ").number(facts.rank).add(' ').number(facts.ranks);
  text.add("\nhost ").word(facts.host).add("\ncpus ").word(facts.cpus, sizeof facts.cpus);
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
}

}  // namespace kneepoint::pmpi

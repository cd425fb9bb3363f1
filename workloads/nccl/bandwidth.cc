// SPDX-License-Identifier: Apache-2.0
#include "workloads/nccl/bandwidth.h"

#include <algorithm>

#include "orchestrator/base/ensure.h"
#include "workloads/numerics/message_fit.h"

namespace kneepoint::workloads {

const std::vector<std::string>& collective_words() {
  static const std::vector<std::string> words = {"all_reduce", "reduce_scatter", "all_gather"};
  return words;
}

Collective parse_collective(const std::string& word) {
  const auto& words = collective_words();
  const auto at = std::find(words.begin(), words.end(), word);
  ENSURE(at != words.end(), "a word that is none of collective_words()");
  return static_cast<Collective>(at - words.begin());
}

double algorithm_bandwidth(double bytes, double seconds) {
  return seconds > 0 ? bytes / seconds * 1e-9 : 0;
}

double bus_factor(Collective collective, int ranks) {
  const double part = static_cast<double>(ranks - 1) / ranks;
  return collective == Collective::all_reduce ? 2 * part : part;
}

double bus_bandwidth(Collective collective, double bytes, double seconds, int ranks) {
  return algorithm_bandwidth(bytes, seconds) * bus_factor(collective, ranks);
}

std::vector<std::int64_t> message_sweep(Collective collective, std::int64_t largest,
                                        std::int64_t factor, int ranks) {
  const std::int64_t unit = collective == Collective::all_reduce ? 4 : std::int64_t{4} * ranks;
  std::vector<std::int64_t> sizes;
  for (const std::int64_t size : message_sizes(largest, factor)) {
    const std::int64_t whole = std::max(size / unit, std::int64_t{1}) * unit;
    if (sizes.empty() || whole > sizes.back()) sizes.push_back(whole);
  }
  return sizes;
}

}  // namespace kneepoint::workloads

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/statistics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

double quantile_of_sorted(const std::vector<double>& sorted, double p) {
  const double rank = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const double fraction = rank - static_cast<double>(below);
  if (fraction == 0 || sorted[below] == sorted[below + 1]) return sorted[below];
  if (std::isinf(sorted[below + 1])) return sorted[below + 1];
  return sorted[below] + fraction * (sorted[below + 1] - sorted[below]);
}

}  // namespace

void for_each_replicate(const BootstrapOptions& options, std::string_view purpose,
                        const std::function<void(int number, Random& random)>& replicate) {
  ENSURE(options.replicates > 0 && options.threads > 0, "at least one replicate and one thread");
  const auto run = [&](int first) {
    for (int i = first; i < options.replicates; i += options.threads) {
      Random random(options.seed, std::string(purpose) + "-" + std::to_string(i));
      replicate(i, random);
    }
  };
  std::vector<std::jthread> others;
  for (int t = 1; t < options.threads; ++t) others.emplace_back(run, t);
  run(0);
}

std::size_t draw(Random& random, std::size_t bound) {
  return static_cast<std::size_t>((random.next() >> 32) * bound >> 32);
}

std::vector<std::vector<double>> joint_bootstrap(const Times& times, int columns,
                                                 const Statistic& statistic,
                                                 const BootstrapOptions& options) {
  std::vector<std::vector<double>> values(columns, std::vector<double>(options.replicates));
  for_each_replicate(options, "bootstrap", [&](int number, Random& random) {
    Times sample = times;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::vector<double>& runs = times[i].seconds;
      for (double& t : sample[i].seconds) t = runs[draw(random, runs.size())];
    }
    std::vector<double> out(columns);
    statistic(sample, out);
    for (int j = 0; j < columns; ++j) values[j][number] = out[j];
  });
  return values;
}

Bounds percentile_bounds(std::vector<double> values, double level) {
  ENSURE(!values.empty() && level > 0 && level < 1, "bounds of something");
  std::sort(values.begin(), values.end());
  const double tail = (1 - level) / 2;
  return {quantile_of_sorted(values, tail), quantile_of_sorted(values, 1 - tail)};
}

}  // namespace kneepoint

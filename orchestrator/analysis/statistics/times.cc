// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/statistics/times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <thread>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

Error refused(const std::string& why) {
  return Error{.code = ErrorCode::invalid, .message = why};
}

bool usable(double value) {
  return std::isfinite(value) && value > 0;
}

}  // namespace

Result<Times> ordered(Times times) {
  std::map<int, TimesAtK> by_k;
  for (TimesAtK& at : times) {
    const std::string where = "K=" + std::to_string(at.k);
    if (at.k < 1) return refused(where + " is not a number of workers");
    if (at.seconds.empty()) continue;
    if (!usable(at.work_per_worker)) return refused(where + ": work per worker must be above 0");
    for (const double t : at.seconds) {
      if (!usable(t)) {
        return refused(where + ": a time of " + std::to_string(t) +
                       " s; times are positive and finite");
      }
    }
    const auto [known, fresh] = by_k.try_emplace(at.k, at);
    if (fresh) continue;
    if (known->second.work_per_worker != at.work_per_worker) {
      return refused(where + " has two different values of work per worker");
    }
    known->second.seconds.insert(known->second.seconds.end(), at.seconds.begin(), at.seconds.end());
  }
  if (by_k.empty()) return refused("no valid run");
  Times sorted;
  sorted.reserve(by_k.size());
  for (auto& [k, at] : by_k) sorted.push_back(std::move(at));
  return sorted;
}

double median_seconds(const TimesAtK& at) {
  return median(at.seconds);
}

int count_runs(const Times& times) {
  std::size_t runs = 0;
  for (const TimesAtK& at : times) runs += at.seconds.size();
  return static_cast<int>(runs);
}

int fewest_runs(const Times& times) {
  ENSURE(!times.empty(), "a curve has a point");
  std::size_t fewest = times.front().seconds.size();
  for (const TimesAtK& at : times) fewest = std::min(fewest, at.seconds.size());
  return static_cast<int>(fewest);
}

std::vector<double> medians(const Times& times) {
  std::vector<double> values;
  values.reserve(times.size());
  for (const TimesAtK& at : times) values.push_back(median_seconds(at));
  return values;
}

std::vector<double> normalised_cost(Mode mode, const Times& times,
                                    const std::vector<double>& seconds) {
  ENSURE(times.size() == seconds.size(), "one time for each K");
  const auto factor = [&](const TimesAtK& at) {
    return mode == Mode::strong ? at.k : 1 / at.work_per_worker;
  };
  std::vector<double> cost;
  cost.reserve(times.size());
  const double base = factor(times.front()) * seconds.front();
  for (std::size_t i = 0; i < times.size(); ++i) {
    cost.push_back(i == 0 ? 1 : factor(times[i]) * seconds[i] / base);
  }
  return cost;
}
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

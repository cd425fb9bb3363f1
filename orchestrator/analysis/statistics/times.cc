// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/statistics/times.h"

#include <algorithm>
#include <cmath>
#include <map>

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

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The runs of one curve as models, knees and predictions take them: times by K, nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "orchestrator/analysis/statistics/interval.h"
#include "orchestrator/base/random.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/shape.h"

namespace kneepoint {

// The valid runs of one K.
struct TimesAtK {
  int k = 1;
  std::vector<double> seconds;
  double work_per_worker = 1;  // weak curves only, in any unit: where it varies, E goes by work
};
using Times = std::vector<TimesAtK>;

// K ascending, runs of equal K together, K without a run left out. Refuses what no analysis can
// use: a time that is not a positive finite number, K < 1, work <= 0, no run at all, one K with two
// values of work.
Result<Times> ordered(Times times);

double median_seconds(const TimesAtK& at);
int count_runs(const Times& times);
int fewest_runs(const Times& times);  // at any K

// 1/E at each K from times there, relative to the first: K·T/(K0·T0) strong, T/T0 weak (brought to
// the same work per worker).
std::vector<double> normalised_cost(Mode mode, const Times& times,
                                    const std::vector<double>& seconds);
std::vector<double> medians(const Times& times);

// ---- The bootstrap of such curves. Every replicate has a stream of random numbers of its own,
// made of the seed and its number, so the answer is the same with any number of threads.

struct BootstrapOptions {
  std::uint64_t seed = 0;
  int replicates = 2000;  // 5000 for a level of 99%
  int threads = 1;        // any number gives the same answer
};

// Calls `replicate` once for each number from 0 on, each with its own stream; calls may run at the
// same time and in any order.
void for_each_replicate(const BootstrapOptions& options, std::string_view purpose,
                        const std::function<void(int number, Random& random)>& replicate);

// Uniform in [0, bound); its bias is below bound / 2^32. bound >= 1.
std::size_t draw(Random& random, std::size_t bound);

// Writes its columns for one resampled curve; infinity: beyond the K measured. Runs concurrently.
using Statistic = std::function<void(const Times& sample, std::span<double> out)>;

// Resamples the runs within each K, those of the baseline once per replicate, so that all values of
// one replicate share its error. One vector per column, in the order of replicates.
std::vector<std::vector<double>> joint_bootstrap(const Times& times, int columns,
                                                 const Statistic& statistic,
                                                 const BootstrapOptions& options);

// The middle `level` of the values, by linear interpolation between order statistics; infinities
// are allowed, no values are not.
Bounds percentile_bounds(std::vector<double> values, double level);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// First a partition for each workload, exactly: which K each, so that the nodes they need add up to
// what is there and the cost is least (dynamic programming over nodes). If that costs as little as
// any cut can, it is the answer. Else partitions that are shared.
#include "orchestrator/cost/cut_search.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/base/numbers.h"
#include "orchestrator/model/money.h"

namespace kneepoint {
namespace {

constexpr int kWiderBy = 16;  // times the nodes: where a mix that doesn't fit is tried
// A simulated share may be luckier than the true one: what misses by less is left to the judge.
constexpr double kLuck = 0.03;

std::string hours(double seconds) {
  return seconds < 120    ? number_text(seconds) + " s"
         : seconds < 7200 ? number_text(seconds / 60) + " min"
                          : number_text(seconds / 3600) + " h";
}

// Of the jobs of an option that had no wait: how many would keep the deadline?
double share_without_wait(const SizingWorkload& one, const SizingOption& option) {
  if (!one.deadline_seconds) return 1;
  const double variance = std::log1p(one.spread * one.spread);
  double sum = 0;
  for (const double seconds : option.times) {
    if (variance <= 0) {
      sum += seconds <= *one.deadline_seconds * kSame ? 1 : 0;
      continue;
    }
    const double at =
        (std::log(*one.deadline_seconds / seconds) + variance / 2) / std::sqrt(variance);
    sum += std::erfc(-at / std::sqrt(2.0)) / 2;
  }
  return sum / static_cast<double>(option.times.size());
}

Cut cut_of(const SizingMix& mix, CutJudge& judge, const CutState& state) {
  Cut cut;
  cut.options = state.options;
  for (const std::vector<int>& group : state.groups) {
    cut.partitions.push_back({group, *judge.nodes_needed(group, state.options, mix.nodes)});
  }
  return cut;
}

}  // namespace

CutSearch::CutSearch(const SizingMix& mix, const SizingOptions& options)
    : mix_(mix), options_(options), judge_(mix) {
  for (const SizingWorkload& one : mix.workloads) {
    std::vector<double>& shares = shares_.emplace_back();
    for (const SizingOption& option : one.options) {
      shares.push_back(share_without_wait(one, option));
    }
  }
}

// It fits, and enough of its jobs would be in time if none had to wait.
bool CutSearch::usable(int w, int option, int most) const {
  return at(w).options[option].nodes <= most && shares_[w][option] + kLuck >= at(w).in_time;
}

double CutSearch::cost_of(int w, int option, int nodes) const {
  if (mix_.pay == Pay::held) return to_units(mix_.node_hour_micros) * nodes;
  return to_units(at(w).options[option].job_micros) * at(w).per_hour;
}

// Nodes that are busy on average if each workload takes as little room as it can.
double CutSearch::least_busy() const {
  double busy = 0;
  for (int w = 0; w < count(); ++w) {
    double least = kNever;
    for (int o = 0; o < count_options(w); ++o) {
      if (usable(w, o, mix_.nodes)) least = std::min(least, judge_.offered(w, o));
    }
    busy += least;
  }
  return busy;
}

// No cut costs less: each workload as cheap as it can be, whatever room it takes; held: not less
// nodes than are busy.
double CutSearch::bound() const {
  if (mix_.pay == Pay::held) return to_units(mix_.node_hour_micros) * least_busy();
  double sum = 0;
  for (int w = 0; w < count(); ++w) {
    double least = kNever;
    for (int o = 0; o < count_options(w); ++o) {
      if (usable(w, o, mix_.nodes)) least = std::min(least, cost_of(w, o, 0));
    }
    sum += least;
  }
  return sum;
}

// What no cut can mend; "" when a cut may be found.
std::string CutSearch::impossible() const {
  for (int w = 0; w < count(); ++w) {
    const SizingOption* fastest = nullptr;
    const SizingOption* smallest = &at(w).options.front();
    for (const SizingOption& one : at(w).options) {
      if (one.nodes < smallest->nodes) smallest = &one;
      if (one.nodes <= mix_.nodes && (fastest == nullptr || one.seconds < fastest->seconds)) {
        fastest = &one;
      }
    }
    if (fastest == nullptr) {
      return at(w).name + ": its smallest K, " + std::to_string(smallest->k) + ", needs " +
             std::to_string(smallest->nodes) + " nodes; there are " + std::to_string(mix_.nodes);
    }
    if (at(w).deadline_seconds && fastest->seconds > *at(w).deadline_seconds * kSame) {
      return at(w).name +
             ": no K that fits is fast enough; the fastest, K=" + std::to_string(fastest->k) +
             ", takes " + hours(fastest->seconds) + " without any wait, and its deadline is " +
             hours(*at(w).deadline_seconds);
    }
    const SizingOption* surest = nullptr;
    double share = 0;
    for (std::size_t o = 0; o < at(w).options.size(); ++o) {
      const SizingOption& one = at(w).options[o];
      const double here = one.nodes <= mix_.nodes ? shares_[w][o] : 0;
      if (here <= share) continue;
      surest = &one;
      share = here;
    }
    if (share + kLuck < at(w).in_time) {
      return at(w).name + ": its times vary too much: " + number_percent(at(w).in_time) +
             " of the jobs must keep the deadline of " + hours(*at(w).deadline_seconds) +
             ", and without any wait at most " + number_percent(share) + " would" +
             (surest == nullptr ? "" : ", at K=" + std::to_string(surest->k));
    }
  }
  return "";
}

// The least cost with a partition for each, by nodes used.
std::optional<CutState> CutSearch::alone(int most) {
  const int width = most + 1;
  std::vector<double> best(width, 0);  // least cost within so many nodes
  std::vector<std::vector<int>> chosen, needed(count());
  std::vector<int> options(count(), 0);
  for (int w = 0; w < count(); ++w) {
    std::vector<double> next(width, kNever);
    std::vector<int> choice(width, -1);
    auto& need = needed[w];
    for (int o = 0; o < count_options(w); ++o) {
      options[w] = o;
      need.push_back(0);
      if (!usable(w, o, most)) continue;
      const auto nodes = judge_.nodes_needed({w}, options, most);
      if (!nodes) continue;
      need.back() = *nodes;
      const double cost = cost_of(w, o, *nodes);
      for (int n = *nodes; n < width; ++n) {
        const double sum = best[n - *nodes] + cost;
        if (sum * kSame < next[n]) {
          next[n] = sum;
          choice[n] = o;
        }
      }
    }
    best = std::move(next);
    chosen.push_back(std::move(choice));
  }
  if (!std::isfinite(best.back())) return std::nullopt;
  int n = width - 1;
  while (n > 0 && best[n - 1] <= best.back() * kSame) --n;  // the fewest nodes of equal cost
  CutState state;
  state.options.resize(count());
  state.score = {0, best[n], static_cast<double>(n)};
  for (int w = count() - 1; w >= 0; --w) {
    state.options[w] = chosen[w][n];
    n -= needed[w][chosen[w][n]];
  }
  for (int w = 0; w < count(); ++w) state.groups.push_back({w});
  return state;
}

// That do with a partition for each, whatever it costs.
std::optional<int> CutSearch::fewest_nodes(int most) {
  int sum = 0;
  std::vector<int> options(count(), 0);
  for (int w = 0; w < count(); ++w) {
    int& o = options[w];
    std::optional<int> least;
    for (o = 0; o < count_options(w); ++o) {
      const int limit = least.value_or(most);
      const auto nodes =
          usable(w, o, limit) ? judge_.nodes_needed({w}, options, limit) : std::optional<int>();
      if (nodes) least = std::min(limit, *nodes);
    }
    if (!least) return std::nullopt;
    sum += *least;
  }
  return sum;
}

// Nodes that nobody else needs cost nothing where time used is paid for: the only partition gets
// them while its jobs wait.
void CutSearch::use_idle_nodes(SizingAnswer& answer) const {
  const bool waits = std::ranges::any_of(
      answer.outcome.workloads,
      [](const WorkloadOutcome& workload) { return workload.queue.wait.mean > 0; });
  const bool only = answer.cut->partitions.size() == 1 && answer.cut->nodes() < mix_.nodes;
  if (mix_.pay != Pay::used || !only || !waits) return;
  Cut wider = *answer.cut;
  wider.partitions.front().nodes = mix_.nodes;
  CutOutcome outcome = assess(mix_, wider);
  if (!outcome.feasible) return;
  answer.cut = std::move(wider);
  answer.outcome = std::move(outcome);
}

SizingAnswer CutSearch::answer() {
  SizingAnswer answer;
  answer.why = impossible();
  if (!answer.why.empty()) return answer;
  answer.cost_bound = bound();
  const double busy = least_busy();
  const bool overload = busy >= mix_.nodes;
  std::optional<CutState> best = overload ? std::optional<CutState>() : alone(mix_.nodes);
  before_ = judge_.simulated_jobs();
  const bool cheapest = best && best->score.cost <= *answer.cost_bound * kSame;
  if (!overload && !cheapest && count() > 1) {
    if (ways() <= options_.enumerate_up_to) {
      best = every_way(best);
    } else {
      best = from_several_starts(best);
    }
    answer.search_ended_early = spent();
  }
  if (best) {
    answer.cut = cut_of(mix_, judge_, *best);
    answer.outcome = assess(mix_, *answer.cut);
    use_idle_nodes(answer);
    return answer;
  }
  const std::string nodes = std::to_string(mix_.nodes) + " nodes";
  answer.why = overload ? "overload: at best " + number_text(busy) + " of " + nodes +
                              " would have to be busy all the time, so that queues only grow"
                        : "no cut of " + nodes +
                              " keeps every deadline often enough: " + number_text(busy) +
                              " of them are busy on average, and too many jobs wait too long";
  answer.nodes_needed = fewest_nodes(kWiderBy * mix_.nodes);
  return answer;
}

SizingAnswer size_partitions(const SizingMix& mix, const SizingOptions& options) {
  return CutSearch(mix, options).answer();
}

}  // namespace kneepoint

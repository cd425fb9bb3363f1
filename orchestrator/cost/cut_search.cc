// SPDX-License-Identifier: Apache-2.0
//
// The search. First a partition for each workload, exactly: which K each, so that the nodes they
// need add up to what is there and the cost is least (dynamic programming over nodes). If that
// costs as little as any cut can, it is the answer. Else partitions that are shared: all ways when
// there are few, otherwise step by step from there.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "orchestrator/base/random.h"
#include "orchestrator/cost/cut_judge.h"
#include "orchestrator/cost/sizing.h"
#include "orchestrator/model/money.h"

namespace kneepoint {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kSame = 1 + 1e-9;
constexpr int kRandomStarts = 12;
constexpr int kFarOver = 4;   // times the nodes: beyond that a group is as bad as any other
constexpr int kWiderBy = 16;  // times the nodes: where a mix that doesn't fit is tried

using Groups = std::vector<std::vector<int>>;

// Smaller is better, from the first on.
struct Score {
  double over = 0;  // nodes too many
  double cost = 0;  // units an hour
  double nodes = 0;

  bool operator<(const Score& other) const {
    if (over != other.over) return over < other.over;
    if (cost * kSame < other.cost || other.cost * kSame < cost) return cost < other.cost;
    return nodes < other.nodes;
  }
};

struct State {
  Groups groups;
  std::vector<int> options;
  Score score;
};

class Search {
 public:
  Search(const SizingMix& mix, const SizingOptions& options)
      : mix_(mix), options_(options), judge_(mix) {}

  SizingAnswer answer();

 private:
  const SizingWorkload& at(int w) const { return mix_.workloads[static_cast<std::size_t>(w)]; }
  int count() const { return static_cast<int>(mix_.workloads.size()); }
  int count_options(int w) const { return static_cast<int>(at(w).options.size()); }
  bool spent() const { return judge_.simulated_jobs() - before_ > options_.most_simulated_jobs; }

  bool usable(int w, int option, int most) const;
  double cost_of(int w, int option, int nodes) const;
  double least_busy() const;
  double bound() const;
  std::string impossible() const;
  std::optional<State> alone(int most);
  std::optional<int> fewest_nodes(int most);
  Score score_of(const Groups& groups, const std::vector<int>& options);
  std::optional<State> every_way(const std::optional<State>& best);
  State step_by_step(State from);
  std::optional<State> from_several_starts(const std::optional<State>& best);
  State start() const;
  State random_start(Random& random) const;
  double ways() const;

  const SizingMix& mix_;
  const SizingOptions& options_;
  CutJudge judge_;
  long before_ = 0;  // simulated when sharing began
};

bool Search::usable(int w, int option, int most) const {
  const SizingOption& one = at(w).options[static_cast<std::size_t>(option)];
  return one.nodes <= most &&
         (!at(w).deadline_seconds || one.seconds <= *at(w).deadline_seconds * kSame);
}

double Search::cost_of(int w, int option, int nodes) const {
  if (mix_.pay == Pay::held) return to_units(mix_.node_hour_micros) * nodes;
  return to_units(at(w).options[static_cast<std::size_t>(option)].job_micros) * at(w).per_hour;
}

// Nodes that are busy on average if each workload takes as little room as it can.
double Search::least_busy() const {
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
double Search::bound() const {
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

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string hours(double seconds) {
  return seconds < 120    ? rounded(seconds) + " s"
         : seconds < 7200 ? rounded(seconds / 60) + " min"
                          : rounded(seconds / 3600) + " h";
}

// What no cut can mend; "" when a cut may be found.
std::string Search::impossible() const {
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
  }
  return "";
}

// The least cost with a partition for each, by nodes used.
std::optional<State> Search::alone(int most) {
  const auto width = static_cast<std::size_t>(most) + 1;
  std::vector<double> best(width, 0);  // least cost within so many nodes
  std::vector<std::vector<int>> chosen, needed(static_cast<std::size_t>(count()));
  std::vector<int> options(static_cast<std::size_t>(count()), 0);
  for (int w = 0; w < count(); ++w) {
    std::vector<double> next(width, kNever);
    std::vector<int> choice(width, -1);
    auto& need = needed[static_cast<std::size_t>(w)];
    for (int o = 0; o < count_options(w); ++o) {
      options[static_cast<std::size_t>(w)] = o;
      need.push_back(0);
      if (!usable(w, o, most)) continue;
      const auto nodes = judge_.nodes_needed({w}, options, most);
      if (!nodes) continue;
      need.back() = *nodes;
      const double cost = cost_of(w, o, *nodes);
      for (auto n = static_cast<std::size_t>(*nodes); n < width; ++n) {
        const double sum = best[n - static_cast<std::size_t>(*nodes)] + cost;
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
  std::size_t n = width - 1;
  while (n > 0 && best[n - 1] <= best.back() * kSame) --n;  // the fewest nodes of equal cost
  State state;
  state.options.resize(static_cast<std::size_t>(count()));
  state.score = {0, best[n], static_cast<double>(n)};
  for (int w = count() - 1; w >= 0; --w) {
    const auto i = static_cast<std::size_t>(w);
    state.options[i] = chosen[i][n];
    n -= static_cast<std::size_t>(needed[i][static_cast<std::size_t>(chosen[i][n])]);
  }
  for (int w = 0; w < count(); ++w) state.groups.push_back({w});
  return state;
}

// That do with a partition for each, whatever it costs.
std::optional<int> Search::fewest_nodes(int most) {
  int sum = 0;
  std::vector<int> options(static_cast<std::size_t>(count()), 0);
  for (int w = 0; w < count(); ++w) {
    int& o = options[static_cast<std::size_t>(w)];
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

Score Search::score_of(const Groups& groups, const std::vector<int>& options) {
  Score score;
  for (const std::vector<int>& group : groups) {
    // What doesn't fit still tells by how much, so that steps can lead to what does.
    const int most = kFarOver * mix_.nodes;
    const double need = judge_.nodes_needed(group, options, most).value_or(2 * most);
    score.nodes += need;
    if (mix_.pay == Pay::held) score.cost += to_units(mix_.node_hour_micros) * need;
  }
  for (int w = 0; w < count() && mix_.pay == Pay::used; ++w) {
    score.cost += cost_of(w, options[static_cast<std::size_t>(w)], 0);
  }
  score.over = std::max(0.0, score.nodes - mix_.nodes);
  return score;
}

double Search::ways() const {
  double all = 1;
  for (int w = 0; w < count(); ++w) all *= count_options(w);
  constexpr double kGroupings[] = {1, 1, 2, 5, 15, 52, 203};
  return count() <= 6 ? all * kGroupings[count()] : kNever;
}

// All groupings of `count` things.
std::vector<Groups> groupings(int count) {
  std::vector<Groups> all = {{}};
  for (int w = 0; w < count; ++w) {
    std::vector<Groups> next;
    for (const Groups& so_far : all) {
      for (std::size_t g = 0; g <= so_far.size(); ++g) {
        next.push_back(so_far);
        if (g == so_far.size()) next.back().emplace_back();
        next.back()[g].push_back(w);
      }
    }
    all = std::move(next);
  }
  return all;
}

std::optional<State> Search::every_way(const std::optional<State>& best) {
  std::optional<State> found = best;
  struct Assignment {
    double cost = 0;
    std::vector<int> options;
  };
  std::vector<Assignment> assignments;
  std::vector<int> options(static_cast<std::size_t>(count()), 0);
  for (bool more = true; more;) {
    Assignment one{0, options};
    double busy = 0;
    bool good = true;
    for (int w = 0; w < count(); ++w) {
      const int o = options[static_cast<std::size_t>(w)];
      good = good && usable(w, o, mix_.nodes);
      busy += judge_.offered(w, o);
      one.cost += mix_.pay == Pay::used ? cost_of(w, o, 0) : judge_.offered(w, o);
    }
    if (good && busy < mix_.nodes) assignments.push_back(std::move(one));
    more = false;
    for (int w = 0; w < count() && !more; ++w) {
      int& o = options[static_cast<std::size_t>(w)];
      more = ++o < count_options(w);
      if (!more) o = 0;
    }
  }
  std::stable_sort(assignments.begin(), assignments.end(),
                   [](const auto& a, const auto& b) { return a.cost < b.cost; });
  const std::vector<Groups> all = groupings(count());
  for (const Assignment& one : assignments) {
    const double least =
        mix_.pay == Pay::used ? one.cost : to_units(mix_.node_hour_micros) * one.cost;
    if (found && found->score.cost <= least * kSame) break;
    for (const Groups& groups : all) {
      if (spent()) return found;
      const Score score = score_of(groups, one.options);
      if (score.over > 0 || (found && !(score < found->score))) continue;
      found = State{groups, one.options, score};
    }
  }
  return found;
}

// Each workload where it takes least room.
State Search::start() const {
  State state;
  for (int w = 0; w < count(); ++w) {
    int best = -1;
    for (int o = 0; o < count_options(w); ++o) {
      if (!usable(w, o, mix_.nodes)) continue;
      if (best < 0 || judge_.offered(w, o) < judge_.offered(w, best)) best = o;
    }
    state.options.push_back(best);
    state.groups.push_back({w});
  }
  return state;
}

State Search::step_by_step(State from) {
  const auto try_state = [&](const Groups& groups, const std::vector<int>& options) {
    if (spent()) return false;
    Groups kept;
    for (std::vector<int> group : groups) {
      if (group.empty()) continue;
      std::sort(group.begin(), group.end());
      kept.push_back(std::move(group));
    }
    const Score score = score_of(kept, options);
    if (!(score < from.score)) return false;
    from = {kept, options, score};
    return true;
  };
  const auto change_k = [&] {
    for (int w = 0; w < count(); ++w) {
      for (int o = 0; o < count_options(w); ++o) {
        std::vector<int> options = from.options;
        options[static_cast<std::size_t>(w)] = o;
        if (usable(w, o, mix_.nodes) && options != from.options &&
            try_state(from.groups, options)) {
          return true;
        }
      }
    }
    return false;
  };
  const auto merge = [&] {
    for (std::size_t a = 0; a < from.groups.size(); ++a) {
      for (std::size_t b = a + 1; b < from.groups.size(); ++b) {
        Groups groups = from.groups;
        groups[a].insert(groups[a].end(), groups[b].begin(), groups[b].end());
        groups[b].clear();
        if (try_state(groups, from.options)) return true;
      }
    }
    return false;
  };
  // To another partition, or out of it, at any K.
  const auto move = [&] {
    for (int w = 0; w < count(); ++w) {
      for (std::size_t to = 0; to <= from.groups.size(); ++to) {
        Groups groups = from.groups;
        for (auto& group : groups) std::erase(group, w);
        if (to == groups.size()) groups.emplace_back();
        groups[to].push_back(w);
        for (int o = 0; o < count_options(w); ++o) {
          std::vector<int> options = from.options;
          options[static_cast<std::size_t>(w)] = o;
          if (usable(w, o, mix_.nodes) && try_state(groups, options)) return true;
        }
      }
    }
    return false;
  };
  while (change_k() || merge() || move()) {
  }
  return from;
}

Cut cut_of(const SizingMix& mix, CutJudge& judge, const State& state) {
  Cut cut;
  cut.options = state.options;
  for (const std::vector<int>& group : state.groups) {
    cut.partitions.push_back({group, *judge.nodes_needed(group, state.options, mix.nodes)});
  }
  return cut;
}

// Any K that may do, in any grouping.
State Search::random_start(Random& random) const {
  State state;
  state.groups.resize(static_cast<std::size_t>(count()));
  for (int w = 0; w < count(); ++w) {
    std::vector<int> usable_ones;
    for (int o = 0; o < count_options(w); ++o) {
      if (usable(w, o, mix_.nodes)) usable_ones.push_back(o);
    }
    state.options.push_back(usable_ones[random.below(usable_ones.size())]);
    state.groups[random.below(state.groups.size())].push_back(w);
  }
  std::erase_if(state.groups, [](const auto& group) { return group.empty(); });
  return state;
}

// From a partition for each, from one for all, from one for all with the K that do best there, and
// from a few at random.
std::optional<State> Search::from_several_starts(const std::optional<State>& best) {
  std::vector<State> starts = {best ? *best : start()};
  std::vector<int> everybody(static_cast<std::size_t>(count()));
  std::iota(everybody.begin(), everybody.end(), 0);
  starts.push_back({{everybody}, start().options, {}});
  if (!best) {
    if (const auto shared = one_shared_partition(mix_)) {
      starts.push_back({{everybody}, shared->options, {}});
    }
  }
  Random random(mix_.seed, "starts");
  for (int i = 0; i < kRandomStarts; ++i) starts.push_back(random_start(random));
  std::optional<State> found = best;
  for (State& from : starts) {
    from.score = score_of(from.groups, from.options);
    State reached = step_by_step(std::move(from));
    if (reached.score.over == 0 && (!found || reached.score < found->score)) {
      found = std::move(reached);
    }
    if (spent()) break;
  }
  return found;
}

SizingAnswer Search::answer() {
  SizingAnswer answer;
  answer.why = impossible();
  if (!answer.why.empty()) return answer;
  answer.cost_bound = bound();
  const double busy = least_busy();
  const bool overload = busy >= mix_.nodes;
  std::optional<State> best = overload ? std::optional<State>() : alone(mix_.nodes);
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
    return answer;
  }
  const std::string nodes = std::to_string(mix_.nodes) + " nodes";
  answer.why = overload ? "overload: at best " + rounded(busy) + " of " + nodes +
                              " would have to be busy all the time, so that queues only grow"
                        : "no cut of " + nodes + " keeps every deadline: " + rounded(busy) +
                              " of them are busy on average, and the waits are too long";
  answer.nodes_needed = fewest_nodes(kWiderBy * mix_.nodes);
  return answer;
}

}  // namespace

SizingAnswer size_partitions(const SizingMix& mix, const SizingOptions& options) {
  return Search(mix, options).answer();
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Partitions that several workloads share: every way where there are few, otherwise step by step
// from several starts, until the simulated jobs are spent.
#include <algorithm>
#include <numeric>

#include "orchestrator/cost/cut_search.h"
#include "orchestrator/model/money.h"

namespace kneepoint {
namespace {

constexpr int kRandomStarts = 12;
constexpr int kFarOver = 4;  // times the nodes: beyond that a group is as bad as any other

// All groupings of `count` things.
std::vector<CutGroups> groupings(int count) {
  std::vector<CutGroups> all = {{}};
  for (int w = 0; w < count; ++w) {
    std::vector<CutGroups> next;
    for (const CutGroups& so_far : all) {
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

}  // namespace

CutScore CutSearch::score_of(const CutGroups& groups, const std::vector<int>& options) {
  CutScore score;
  for (const std::vector<int>& group : groups) {
    // What doesn't fit still tells by how much, so that steps can lead to what does.
    const int most = kFarOver * mix_.nodes;
    const double need = judge_.nodes_needed(group, options, most).value_or(2 * most);
    score.nodes += need;
    if (mix_.pay == Pay::held) score.cost += to_units(mix_.node_hour_micros) * need;
  }
  for (int w = 0; w < count() && mix_.pay == Pay::used; ++w) {
    score.cost += cost_of(w, options[w], 0);
  }
  score.over = std::max(0.0, score.nodes - mix_.nodes);
  return score;
}

double CutSearch::ways() const {
  double all = 1;
  for (int w = 0; w < count(); ++w) all *= count_options(w);
  constexpr double kGroupings[] = {1, 1, 2, 5, 15, 52, 203};
  return count() <= 6 ? all * kGroupings[count()] : kNever;
}

std::optional<CutState> CutSearch::every_way(const std::optional<CutState>& best) {
  std::optional<CutState> found = best;
  struct Assignment {
    double cost = 0;
    std::vector<int> options;
  };
  std::vector<Assignment> assignments;
  std::vector<int> options(count(), 0);
  for (bool more = true; more;) {
    Assignment one{0, options};
    double busy = 0;
    bool good = true;
    for (int w = 0; w < count(); ++w) {
      const int o = options[w];
      good = good && usable(w, o, mix_.nodes);
      busy += judge_.offered(w, o);
      one.cost += mix_.pay == Pay::used ? cost_of(w, o, 0) : judge_.offered(w, o);
    }
    if (good && busy < mix_.nodes) assignments.push_back(std::move(one));
    more = false;
    for (int w = 0; w < count() && !more; ++w) {
      int& o = options[w];
      more = ++o < count_options(w);
      if (!more) o = 0;
    }
  }
  std::ranges::stable_sort(assignments,
                           [](const auto& a, const auto& b) { return a.cost < b.cost; });
  const std::vector<CutGroups> all = groupings(count());
  for (const Assignment& one : assignments) {
    const double least =
        mix_.pay == Pay::used ? one.cost : to_units(mix_.node_hour_micros) * one.cost;
    if (found && found->score.cost <= least * kSame) break;
    for (const CutGroups& groups : all) {
      if (spent()) return found;
      const CutScore score = score_of(groups, one.options);
      if (score.over > 0 || (found && !(score < found->score))) continue;
      found = CutState{groups, one.options, score};
    }
  }
  return found;
}

// Each workload where it takes least room.
CutState CutSearch::start() const {
  CutState state;
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

CutState CutSearch::step_by_step(CutState from) {
  const auto try_state = [&](const CutGroups& groups, const std::vector<int>& options) {
    if (spent()) return false;
    CutGroups kept;
    for (std::vector<int> group : groups) {
      if (group.empty()) continue;
      std::ranges::sort(group);
      kept.push_back(std::move(group));
    }
    const CutScore score = score_of(kept, options);
    if (!(score < from.score)) return false;
    from = {kept, options, score};
    return true;
  };
  const auto change_k = [&] {
    for (int w = 0; w < count(); ++w) {
      for (int o = 0; o < count_options(w); ++o) {
        std::vector<int> options = from.options;
        options[w] = o;
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
        CutGroups groups = from.groups;
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
        CutGroups groups = from.groups;
        for (auto& group : groups) std::erase(group, w);
        if (to == groups.size()) groups.emplace_back();
        groups[to].push_back(w);
        for (int o = 0; o < count_options(w); ++o) {
          std::vector<int> options = from.options;
          options[w] = o;
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

// Any K that may do, in any grouping.
CutState CutSearch::random_start(Random& random) const {
  CutState state;
  state.groups.resize(count());
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
std::optional<CutState> CutSearch::from_several_starts(const std::optional<CutState>& best) {
  std::vector<CutState> starts = {best ? *best : start()};
  std::vector<int> everybody(count());
  std::iota(everybody.begin(), everybody.end(), 0);
  starts.push_back({{everybody}, start().options, {}});
  if (!best) {
    if (const auto shared = one_shared_partition(mix_)) {
      starts.push_back({{everybody}, shared->options, {}});
    }
  }
  Random random(mix_.seed, "starts");
  for (int i = 0; i < kRandomStarts; ++i) starts.push_back(random_start(random));
  std::optional<CutState> found = best;
  for (CutState& from : starts) {
    from.score = score_of(from.groups, from.options);
    CutState reached = step_by_step(std::move(from));
    if (reached.score.over == 0 && (!found || reached.score < found->score)) {
      found = std::move(reached);
    }
    if (spent()) break;
  }
  return found;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// A stratified rank-sum statistic for each node, and the permutation distribution of the largest of
// them (docs/methods.md, "Bad nodes"). A node that was found is taken out with its runs before the
// next one is looked for, so that its companions aren't blamed for it.
#include "orchestrator/analysis/bad_nodes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/queueing/use.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/random.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

constexpr int kMostNamed = 5;
// Additions for all draws of one search, and the fewest draws: a study of a thousand runs has all
// draws, one of a hundred thousand fewer.
constexpr double kMostAdditions = 5e8;
constexpr int kFewestDraws = 199;

struct Held {
  double log_seconds = 0;
  double rank = 0;         // among the runs of its point, ties shared
  std::vector<int> nodes;  // indices
};

struct Stratum {  // the runs of one point that compare
  std::vector<Held> runs;
  double spread = 0;  // sum of squares of the ranks around their mean, over n - 1
};

void rank(Stratum& stratum) {
  std::vector<Held>& runs = stratum.runs;
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return runs[a].log_seconds < runs[b].log_seconds;
  });
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && runs[order[j]].log_seconds == runs[order[i]].log_seconds) ++j;
    const double shared = (static_cast<double>(i + j) + 1) / 2;
    for (; i < j; ++i) runs[order[i]].rank = shared;
  }
  const double mean = (static_cast<double>(runs.size()) + 1) / 2;
  double squares = 0;
  for (const Held& run : runs) squares += (run.rank - mean) * (run.rank - mean);
  stratum.spread = runs.size() > 1 ? squares / static_cast<double>(runs.size() - 1) : 0;
}

// For each node the variance of its statistic when all placements are alike, and how many runs and
// points it can be judged by.
struct Judged {
  double variance = 0;
  int runs = 0, points = 0;
};

std::vector<Judged> judge(const std::vector<Stratum>& strata, std::size_t nodes) {
  std::vector<Judged> judged(nodes);
  for (const Stratum& stratum : strata) {
    std::map<int, int> holding;
    for (const Held& run : stratum.runs) {
      for (const int node : run.nodes) ++holding[node];
    }
    const auto n = static_cast<double>(stratum.runs.size());
    for (const auto& [node, count] : holding) {
      if (count == static_cast<int>(stratum.runs.size()) || stratum.spread <= 0) continue;
      Judged& one = judged[static_cast<std::size_t>(node)];
      one.variance += count * (n - count) / n * stratum.spread;
      one.runs += count;
      ++one.points;
    }
  }
  return judged;
}

// Centred rank sums of the nodes, over the square root of their variance; 0 where there is none.
std::vector<double> statistics(const std::vector<Stratum>& strata,
                               const std::vector<std::vector<double>>& ranks,
                               const std::vector<Judged>& judged) {
  std::vector<double> sums(judged.size(), 0);
  for (std::size_t s = 0; s < strata.size(); ++s) {
    const std::vector<Held>& runs = strata[s].runs;
    const double mean = (static_cast<double>(runs.size()) + 1) / 2;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      for (const int node : runs[r].nodes)
        sums[static_cast<std::size_t>(node)] += ranks[s][r] - mean;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = judged[i].variance > 0 ? sums[i] / std::sqrt(judged[i].variance) : 0;
  }
  return sums;
}

std::vector<std::vector<double>> ranks_of(const std::vector<Stratum>& strata) {
  std::vector<std::vector<double>> ranks;
  for (const Stratum& stratum : strata) {
    std::vector<double>& one = ranks.emplace_back();
    for (const Held& run : stratum.runs) one.push_back(run.rank);
  }
  return ranks;
}

// How much slower, and at how many of the points.
void measure(const std::vector<Stratum>& strata, int node, BadNode& bad) {
  std::vector<double> excess;
  for (const Stratum& stratum : strata) {
    std::vector<double> with, without;
    for (const Held& run : stratum.runs) {
      const bool holds = std::find(run.nodes.begin(), run.nodes.end(), node) != run.nodes.end();
      (holds ? with : without).push_back(run.log_seconds);
    }
    if (with.empty() || without.empty()) continue;
    const double usual = median(without);
    for (const double one : with) excess.push_back(one - usual);
    if (median(with) > usual) ++bad.points_slower;
  }
  if (!excess.empty()) bad.slowdown = std::expm1(median(excess));
}

class NodeSearch {
 public:
  NodeSearch(const StudyEvidence& evidence, const BadNodeOptions& options)
      : options_(options), random_(options.seed, "bad nodes") {
    for (const PointEvidence& point : evidence.points) {
      std::map<std::string, Stratum> strata;  // by provenance: another kind of node is no bad node
      for (const RunEvidence& run : point.runs) {
        if (!counts(run)) continue;
        Held held;
        held.log_seconds = std::log(run.seconds);
        for (const std::string& node : nodes_of(run)) held.nodes.push_back(index_of(node));
        if (!held.nodes.empty()) strata[run.provenance].runs.push_back(std::move(held));
      }
      for (auto& [provenance, stratum] : strata) keep(std::move(stratum));
    }
  }

  BadNodeVerdict run() {
    BadNodeVerdict verdict;
    const std::vector<Judged> judged = judge(strata_, names_.size());
    for (std::size_t i = 0; i < judged.size(); ++i) verdict.nodes += judged[i].points > 0 ? 1 : 0;
    verdict.points = static_cast<int>(strata_.size());
    for (const Stratum& stratum : strata_) verdict.runs += static_cast<int>(stratum.runs.size());
    if (verdict.nodes < 2) {
      verdict.why_not =
          names_.size() < 2
              ? "all runs were on one node, or their nodes are not known"
              : "at every point all runs had the same nodes, so that no node can be told apart";
      return verdict;
    }
    while (static_cast<int>(verdict.bad.size()) < kMostNamed) {
      auto found = worst();
      if (!found) break;
      verdict.bad.push_back(std::move(found->second));
      take_out(found->first);
    }
    verdict.least_p = least_p_.value_or(1);
    if (verdict.bad.empty() && verdict.least_p > options_.alpha) {
      verdict.why_not =
          "too few runs: on these nodes even the clearest difference would be seen by chance in " +
          fixed_text(verdict.least_p * 100, 0) + " of 100 studies; add repeats";
    }
    return verdict;
  }

 private:
  int index_of(const std::string& name) {
    const auto [found, is_new] = indices_.try_emplace(name, static_cast<int>(names_.size()));
    if (is_new) names_.push_back(name);
    return found->second;
  }

  // Points where all runs had the same nodes say nothing.
  void keep(Stratum stratum) {
    const bool differ = std::any_of(stratum.runs.begin(), stratum.runs.end(), [&](const Held& run) {
      return run.nodes != stratum.runs.front().nodes;
    });
    if (!differ) return;
    rank(stratum);
    strata_.push_back(std::move(stratum));
  }

  std::optional<std::pair<int, BadNode>> worst() {
    const std::vector<Judged> judged = judge(strata_, names_.size());
    std::vector<std::vector<double>> ranks = ranks_of(strata_);
    const std::vector<double> seen = statistics(strata_, ranks, judged);
    if (seen.empty()) return std::nullopt;
    const auto top = std::max_element(seen.begin(), seen.end());
    const auto node = static_cast<std::size_t>(top - seen.begin());
    if (*top <= 0) return std::nullopt;
    const Draws drawn = draw(judged, std::move(ranks), *top);
    if (!least_p_) least_p_ = drawn.least_p;
    BadNode bad;
    bad.node = names_[node];
    bad.p_value = drawn.p_value;
    bad.runs = judged[node].runs;
    bad.points = judged[node].points;
    measure(strata_, static_cast<int>(node), bad);
    if (bad.p_value > options_.alpha || bad.slowdown < options_.min_slowdown) return std::nullopt;
    bad.inseparable = companions(static_cast<int>(node));
    return std::pair(static_cast<int>(node), std::move(bad));
  }

  struct Draws {
    double p_value = 1;
    double least_p = 1;  // of the largest value that any draw had
  };

  // Stops as soon as `top` can't be rare enough any more: p is then above alpha, how far is of no
  // interest.
  Draws draw(const std::vector<Judged>& judged, std::vector<std::vector<double>> ranks,
             double top) {
    const int wanted = draws_for(strata_);
    int as_large = 0, done = 0, at_most = 0;
    double most = 0;
    while (done < wanted && as_large + 1 <= options_.alpha * (wanted + 1)) {
      for (std::vector<double>& one : ranks) random_.shuffle(one);
      const std::vector<double> values = statistics(strata_, ranks, judged);
      const double value = *std::max_element(values.begin(), values.end());
      ++done;
      as_large += value >= top - 1e-12 ? 1 : 0;
      if (value > most + 1e-12) at_most = 0;
      most = std::max(most, value);
      at_most += value >= most - 1e-12 ? 1 : 0;
    }
    // What was seen is one more of the possible placements.
    if (top > most + 1e-12) at_most = 0;
    return {(as_large + 1.0) / (done + 1.0), (at_most + 1.0) / (done + 1.0)};
  }

  int draws_for(const std::vector<Stratum>& strata) const {
    double additions = 1;
    for (const Stratum& stratum : strata) {
      for (const Held& run : stratum.runs) additions += static_cast<double>(run.nodes.size()) + 1;
    }
    const double affordable = std::max<double>(kFewestDraws, kMostAdditions / additions);
    return static_cast<int>(std::min<double>(options_.permutations, affordable));
  }

  // Nodes in exactly the same runs.
  std::vector<std::string> companions(int node) const {
    std::vector<std::string> same;
    for (std::size_t other = 0; other < names_.size(); ++other) {
      if (static_cast<int>(other) == node) continue;
      bool together = true;
      for (const Stratum& stratum : strata_) {
        for (const Held& run : stratum.runs) {
          together = together && holds(run, node) == holds(run, static_cast<int>(other));
        }
      }
      if (together) same.push_back(names_[other]);
    }
    std::sort(same.begin(), same.end());
    return same;
  }

  static bool holds(const Held& run, int node) {
    return std::find(run.nodes.begin(), run.nodes.end(), node) != run.nodes.end();
  }

  void take_out(int node) {
    std::vector<Stratum> before = std::move(strata_);
    strata_.clear();
    for (Stratum& stratum : before) {
      std::erase_if(stratum.runs, [&](const Held& run) { return holds(run, node); });
      if (!stratum.runs.empty()) keep(std::move(stratum));
    }
  }

  const BadNodeOptions& options_;
  Random random_;
  std::optional<double> least_p_;
  std::map<std::string, int> indices_;
  std::vector<std::string> names_;
  std::vector<Stratum> strata_;
};

}  // namespace

BadNodeVerdict find_bad_nodes(const StudyEvidence& evidence, const BadNodeOptions& options) {
  return NodeSearch(evidence, options).run();
}

std::string to_sentence(const BadNodeVerdict& verdict) {
  if (!verdict.why_not.empty()) return "Bad nodes can't be looked for: " + verdict.why_not + ".";
  if (verdict.bad.empty()) {
    return "No node of " + std::to_string(verdict.nodes) + " slows the runs that hold it (" +
           std::to_string(verdict.runs) + " runs at " + std::to_string(verdict.points) +
           " points compared).";
  }
  std::string text;
  for (const BadNode& bad : verdict.bad) {
    text += (text.empty() ? "" : " ") + bad.node + " slows the runs that hold it by " +
            fixed_text(bad.slowdown * 100, 0) + " % (" + counted(bad.runs, "run") + ", slower at " +
            std::to_string(bad.points_slower) + " of " + counted(bad.points, "point") +
            ", p = " + number_text(bad.p_value, 2) + ")";
    for (std::size_t i = 0; i < bad.inseparable.size(); ++i) {
      text += (i == 0 ? "; or it is " : ", ") + bad.inseparable[i];
    }
    text += bad.inseparable.empty() ? "." : ", which was in the same runs.";
  }
  return text;
}

}  // namespace kneepoint

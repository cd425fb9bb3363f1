// SPDX-License-Identifier: Apache-2.0
//
// A stratified rank-sum statistic for each node, and the permutation distribution of the largest of
// them (docs/methods.md, "Bad nodes"). A node that was found is taken out with its runs before the
// next one is looked for, so that its companions aren't blamed for it.
#include "orchestrator/analysis/bad_nodes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "orchestrator/base/random.h"

namespace kneepoint {
namespace {

constexpr int kMostNamed = 5;

struct Held {
  double log_seconds = 0;
  double rank = 0;         // among the runs of its point, ties shared
  std::vector<int> nodes;  // indices
};

struct Stratum {  // one point
  std::vector<Held> runs;
  double spread = 0;  // sum of squares of the ranks around their mean, over n - 1
};

std::vector<std::string> hosts_of(const std::string& list) {
  std::set<std::string> hosts;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string host = list.substr(at, comma - at);
    if (!host.empty() && host != "...") hosts.insert(host);
    at = comma + 1;
  }
  return {hosts.begin(), hosts.end()};
}

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

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
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

class Search {
 public:
  Search(const StudyEvidence& evidence, const BadNodeOptions& options)
      : options_(options), random_(options.seed, "bad nodes") {
    for (const PointEvidence& point : evidence.points) {
      Stratum stratum;
      for (const RunEvidence& run : point.runs) {
        if (run.state != AttemptState::succeeded || run.seconds <= 0) continue;
        Held held;
        held.log_seconds = std::log(run.seconds);
        for (const std::string& host : hosts_of(run.hosts)) held.nodes.push_back(index_of(host));
        if (!held.nodes.empty()) stratum.runs.push_back(std::move(held));
      }
      keep(std::move(stratum));
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
    verdict.least_p = 1.0 / (options_.permutations + 1);
    while (static_cast<int>(verdict.bad.size()) < kMostNamed) {
      auto found = worst();
      if (!found) break;
      verdict.bad.push_back(std::move(found->second));
      take_out(found->first);
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
    int as_large = 0;
    for (int i = 0; i < options_.permutations; ++i) {
      for (std::vector<double>& one : ranks) random_.shuffle(one);
      const std::vector<double> drawn = statistics(strata_, ranks, judged);
      as_large += *std::max_element(drawn.begin(), drawn.end()) >= *top - 1e-12 ? 1 : 0;
    }
    BadNode bad;
    bad.node = names_[node];
    bad.p_value = (as_large + 1.0) / (options_.permutations + 1.0);
    bad.runs = judged[node].runs;
    bad.points = judged[node].points;
    measure(strata_, static_cast<int>(node), bad);
    if (bad.p_value > options_.alpha || bad.slowdown < options_.min_slowdown) return std::nullopt;
    bad.inseparable = companions(static_cast<int>(node));
    return std::pair(static_cast<int>(node), std::move(bad));
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
  std::map<std::string, int> indices_;
  std::vector<std::string> names_;
  std::vector<Stratum> strata_;
};

std::string formatted(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

BadNodeVerdict find_bad_nodes(const StudyEvidence& evidence, const BadNodeOptions& options) {
  return Search(evidence, options).run();
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
            formatted("%.0f", bad.slowdown * 100) + " % (" + std::to_string(bad.runs) +
            (bad.runs == 1 ? " run" : " runs") + ", slower at " +
            std::to_string(bad.points_slower) + " of " + std::to_string(bad.points) +
            (bad.points == 1 ? " point" : " points") + ", p = " + formatted("%.2g", bad.p_value) +
            ")";
    for (std::size_t i = 0; i < bad.inseparable.size(); ++i) {
      text += (i == 0 ? "; or it is " : ", ") + bad.inseparable[i];
    }
    text += bad.inseparable.empty() ? "." : ", which was in the same runs.";
  }
  return text;
}

}  // namespace kneepoint

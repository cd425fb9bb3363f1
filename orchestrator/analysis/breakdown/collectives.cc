// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/breakdown/collectives.h"

#include <cmath>

#include "orchestrator/base/numbers.h"

namespace kneepoint {
namespace {

Result<void> require_ranks(double k) {
  TRY(require_workers(k));
  if (k != std::floor(k))
    return refusal("K is " + number_text(k) + "; ranks come in whole numbers");
  return {};
}

Result<void> require_cost(const LinkCost& cost) {
  TRY(require_at_least(cost.alpha, 0, "alpha"));
  TRY(require_at_least(cost.beta, 0, "beta"));
  return require_at_least(cost.gamma, 0, "gamma");
}

double total(const CostColumns& c, const LinkCost& cost) {
  return c.alpha * cost.alpha + c.beta * cost.beta + c.gamma * cost.gamma;
}

}  // namespace

const char* to_string(Allreduce algorithm) {
  switch (algorithm) {
    case Allreduce::ring:
      return "ring";
    case Allreduce::recursive_doubling:
      return "recursive doubling";
    case Allreduce::rabenseifner:
      return "Rabenseifner";
    case Allreduce::binomial_tree:
      return "binomial tree";
  }
  return "unknown";
}

Result<CostColumns> allreduce_columns(Allreduce algorithm, double bytes, double k) {
  TRY(require_positive(bytes, "the message size"));
  TRY(require_ranks(k));
  if (k == 1) return CostColumns{};
  const double part = (k - 1) / k * bytes;
  const double rounds = std::floor(std::log2(k));
  const bool power_of_two = std::exp2(rounds) == k;
  // Other K: the ranks above the power of two hand their vector over first and get the result last.
  const double folds = power_of_two ? 0 : 1;
  switch (algorithm) {
    case Allreduce::ring:
      return CostColumns{2 * (k - 1), 2 * part, part};
    case Allreduce::recursive_doubling:
      return CostColumns{rounds + 2 * folds, (rounds + 2 * folds) * bytes,
                         (rounds + folds) * bytes};
    case Allreduce::rabenseifner:
      return CostColumns{2 * rounds + 2 * folds, 2 * part + 2 * folds * bytes,
                         part + folds * bytes};
    case Allreduce::binomial_tree: {
      const double levels = rounds + folds;
      return CostColumns{2 * levels, 2 * levels * bytes, levels * bytes};
    }
  }
  return refusal("no such all-reduce");
}

Result<double> allreduce_seconds(Allreduce algorithm, double bytes, double k,
                                 const LinkCost& cost) {
  TRY(require_cost(cost));
  TRY_ASSIGN(const CostColumns columns, allreduce_columns(algorithm, bytes, k));
  return total(columns, cost);
}

Result<Allreduce> fastest_allreduce(double bytes, double k, const LinkCost& cost) {
  Allreduce best = kAllreduces.front();
  double least = 0;
  for (const Allreduce algorithm : kAllreduces) {
    TRY_ASSIGN(const double seconds, allreduce_seconds(algorithm, bytes, k, cost));
    if (algorithm == kAllreduces.front() || seconds < least) {
      best = algorithm;
      least = seconds;
    }
  }
  return best;
}

Result<std::optional<double>> crossover_bytes(Allreduce small, Allreduce large, double k,
                                              const LinkCost& cost) {
  TRY(require_cost(cost));
  TRY_ASSIGN(const CostColumns s, allreduce_columns(small, 1, k));
  TRY_ASSIGN(const CostColumns l, allreduce_columns(large, 1, k));
  const double latency_lost = (l.alpha - s.alpha) * cost.alpha;
  const double gained_per_byte = (s.beta - l.beta) * cost.beta + (s.gamma - l.gamma) * cost.gamma;
  if (gained_per_byte <= 0) {
    // Never more to gain at larger sizes. Ahead on latency and level per byte is ahead always.
    if (gained_per_byte == 0 && latency_lost < 0) return std::optional(0.0);
    return std::optional<double>();
  }
  return std::optional(latency_lost > 0 ? latency_lost / gained_per_byte : 0.0);
}

Result<double> bus_factor(Collective collective, double k) {
  TRY(require_ranks(k));
  switch (collective) {
    case Collective::allreduce:
      return 2 * (k - 1) / k;
    case Collective::reduce_scatter:
    case Collective::allgather:
    case Collective::alltoall:
      return (k - 1) / k;
    case Collective::broadcast:
    case Collective::reduce:
      return 1.0;
  }
  return refusal("no such collective");
}

Result<double> bus_bandwidth(Collective collective, double bytes, double k, double seconds) {
  TRY(require_positive(bytes, "the message size"));
  TRY(require_positive(seconds, "the time"));
  TRY_ASSIGN(const double factor, bus_factor(collective, k));
  return bytes / seconds * factor;
}

}  // namespace kneepoint

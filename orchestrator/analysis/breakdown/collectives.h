// SPDX-License-Identifier: Apache-2.0
//
// What an all-reduce costs, by algorithm: alpha seconds per message, beta per byte sent, gamma per
// byte reduced. Every cost is linear in those three; collective_fit.h goes the other way.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "orchestrator/analysis/statistics/require.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

enum class Allreduce { ring, recursive_doubling, rabenseifner, binomial_tree };
inline constexpr std::array kAllreduces = {Allreduce::ring, Allreduce::recursive_doubling,
                                           Allreduce::rabenseifner, Allreduce::binomial_tree};
const char* to_string(Allreduce algorithm);  // "ring", "recursive doubling"...

struct LinkCost {
  double alpha = 0;  // seconds per message
  double beta = 0;   // seconds per byte sent
  double gamma = 0;  // seconds per byte reduced
  static constexpr auto fields() {
    using T = LinkCost;
    return described(field("alpha", &T::alpha), field("beta", &T::beta), field("gamma", &T::gamma));
  }
};

// How often each of alpha, beta, gamma is paid. K is whole; all are 0 at K = 1.
struct CostColumns {
  double alpha = 0, beta = 0, gamma = 0;
};
Result<CostColumns> allreduce_columns(Allreduce algorithm, double bytes, double k);

Result<double> allreduce_seconds(Allreduce algorithm, double bytes, double k, const LinkCost& cost);
Result<Allreduce> fastest_allreduce(double bytes, double k, const LinkCost& cost);

// The message size above which `large` is faster than `small` at this K; 0: at every size; none: at
// no size.
Result<std::optional<double>> crossover_bytes(Allreduce small, Allreduce large, double k,
                                              const LinkCost& cost);

enum class Collective { allreduce, reduce_scatter, allgather, alltoall, broadcast, reduce };
// Bus bandwidth = bytes / seconds · factor: comparable with the link's, whatever K.
Result<double> bus_factor(Collective collective, double k);
Result<double> bus_bandwidth(Collective collective, double bytes, double k, double seconds);

}  // namespace kneepoint

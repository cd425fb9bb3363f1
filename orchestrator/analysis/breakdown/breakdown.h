// SPDX-License-Identifier: Apache-2.0
//
// Where the time went, from the ranks' totals: load balance × communication efficiency ×
// computation scaling. Useful is the time a rank computes; waiting for others is never useful.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/require.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct Breakdown {
  int ranks = 0;
  double wall = 0, useful_mean = 0, useful_max = 0;  // seconds
  double load_balance = 0;                           // mean / max
  double communication_efficiency = 0;               // max / wall
  double parallel_efficiency = 0;                    // mean / wall: the product of the two
  // wall = useful_mean + imbalance_seconds + communication_seconds, exactly.
  double imbalance_seconds = 0;      // max - mean: waiting for the slowest rank
  double communication_seconds = 0;  // wall - max: communication and serialisation
  // load_balance as a product: between hosts (by mean of a host's ranks) × inside the fullest host.
  double balance_between_hosts = 1, balance_inside_hosts = 1;
  static constexpr auto fields() {
    using T = Breakdown;
    return described(KP_NAMED(ranks, wall, useful_mean, useful_max),
                     field("imbalance", &T::imbalance_seconds),
                     field("communication", &T::communication_seconds),
                     KP_NAMED(load_balance, communication_efficiency, parallel_efficiency));
  }
};

// `wall_seconds`: of the same timed iterations as the totals. Useful time above it is refused.
Result<Breakdown> break_down(const std::vector<RankTotal>& ranks, double wall_seconds);

// Σu(K0)/Σu(K) in strong mode, the same per rank in weak mode: below 1, the same
// work took more compute time.
Result<double> computation_scaling(const Breakdown& base, const Breakdown& at, Mode mode);

struct Accounting {
  double computation_scaling = 0;
  double global_efficiency = 0;   // parallel efficiency × computation scaling
  double implied_efficiency = 0;  // global(K) / global(K0): must be the measured E
  double measured_efficiency = 0;
  bool consistent = false;
  // Shares of ln E(K), which add up to 1; all 0 unless E < 1. Below 0: that factor got better.
  double balance_share = 0, communication_share = 0, computation_share = 0;
  std::string sentence;
  KP_DESCRIBED(Accounting, computation_scaling, global_efficiency, implied_efficiency, consistent,
               balance_share, communication_share, computation_share, sentence);
};
// `tolerance` is relative. A violation means that the totals are not of the timed region or run.
Result<Accounting> account(const Breakdown& base, const Breakdown& at, Mode mode,
                           double measured_efficiency, double tolerance = 0.02);

struct Straggler {
  std::string host;
  std::vector<int> ranks;  // those that stand out; all of the host's when the host does
  bool whole_host = false;
  double slower_by = 0;    // useful time over the median of all, minus 1
  bool more_work = false;  // it has more to do rather than doing it slower
  std::string sentence;
  static constexpr auto fields() {
    using T = Straggler;
    return described(one_line, KP_NAMED(host, whole_host, ranks, slower_by, more_work, sentence));
  }
};
// Above the median by 5 · 1.4826 · MAD and by 5%. Needs 3 ranks; a host is named with 3 hosts.
std::vector<Straggler> find_stragglers(const std::vector<RankTotal>& ranks);

// E = 1 / (1 + exposed communication / compute).
Result<double> efficiency_of_comm_ratio(double comm_ratio);

// ---- Which MPI calls a point spends its time in, from the profiles of its valid runs. Shares are
// of the time from MPI_Init to MPI_Finalize of all ranks together; each number is the median over
// runs.

struct OperationShare {
  std::string name, kind;
  double calls = 0;         // of a rank, mean over ranks
  double bytes = 0;         // that a rank hands over to be sent, mean over ranks
  double share = 0;         // of the window
  double share_of_mpi = 0;  // of the time in MPI
  static constexpr auto fields() {
    using T = OperationShare;
    return described(one_line, KP_NAMED(name, kind, calls, bytes, share, share_of_mpi));
  }
};

struct MpiProfile {
  int runs = 0;       // with a profile
  double window = 0;  // MPI_Init to MPI_Finalize, the longest rank, in seconds
  double collective = 0, point_to_point = 0, wait = 0, one_sided = 0, other = 0;  // shares of it
  std::vector<OperationShare> operations;  // by share, largest first

  double communication() const { return collective + point_to_point + wait + one_sided; }
  KP_DESCRIBED(MpiProfile, runs, window, collective, point_to_point, wait, one_sided, other,
               operations);
};

// The longest rank's window of one run, in seconds; 0 when it has no profile.
double profile_window(const RunDetail& run);

// Nothing when no run has a profile.
std::optional<MpiProfile> profile_of(const std::vector<const RunDetail*>& runs);

}  // namespace kneepoint

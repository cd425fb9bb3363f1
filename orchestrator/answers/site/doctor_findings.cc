// SPDX-License-Identifier: Apache-2.0
//
// Clocks are only ever called apart when no order of events explains the times; how far they may be
// apart without that being seen is said too.
#include "orchestrator/answers/site/doctor.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kClockApart = 2 * kSecond;
constexpr double kFineNoise = 0.02;

// A bound from above in whole seconds; less than one says more than is known.
std::string at_most_text(Nanoseconds duration) {
  const Nanoseconds whole = (duration + kSecond - 1) / kSecond * kSecond;
  return to_duration_text(std::max<Nanoseconds>(kSecond, whole));
}

std::string at_least_text(Nanoseconds duration) {
  return "at least " + to_duration_text(duration / kSecond * kSecond);
}

}  // namespace

const char* to_string(Grade grade) {
  return grade == Grade::ok ? "ok" : grade == Grade::warning ? "warning" : "bad";
}

int largest_allocation(const SiteLimits& limits, const Capabilities& has) {
  if (limits.nodes > 0) return limits.nodes;
  return tighter_limit(has.nodes, has.most_nodes);
}

SiteFinding size_finding(const SiteLimits& limits, const Capabilities& has) {
  std::string seen = has.place.empty() ? "" : has.place + ": ";
  seen += has.nodes == 0
              ? "how many nodes there are is not known here"
              : counted(has.nodes, "node") + " with " + counted(has.cores_per_node, "core");
  if (has.gpus_per_node > 0) seen += " and " + counted(has.gpus_per_node, "GPU");
  if (has.most_nodes > 0) seen += ", at most " + std::to_string(has.most_nodes) + " for a job";
  if (has.most_time > 0) seen += ", at most " + to_duration_text(has.most_time) + " for a job";
  const int most = tighter_limit(has.nodes, has.most_nodes);
  if (limits.nodes > 0 && most > 0 && limits.nodes > most) {
    return {"size", Grade::bad,
            seen + "; limits.nodes of the site is " + std::to_string(limits.nodes) +
                ": lower it to " + std::to_string(most) + ", or name a larger partition"};
  }
  const int up = has.nodes - has.nodes_down;
  if (has.nodes_down > 0 && up < largest_allocation(limits, has)) {
    return {"size", Grade::warning,
            seen + "; only " + std::to_string(up) +
                " can run something now, so that larger runs wait: bring the others back (`sinfo "
                "-R` says why they are out), or lower limits.nodes of the site"};
  }
  if (has.nodes_down > 0) seen += ", " + std::to_string(has.nodes_down) + " of them out of order";
  return {"size", Grade::ok, seen};
}

SiteFinding clock_finding(const ClockReading& reading) {
  // The job began after it was handed over and ended before we saw it so, whatever clocks say.
  const Nanoseconds most_ahead = reading.began - reading.before;
  const Nanoseconds least_ahead = reading.ended - reading.after;
  const std::string fix = "; start an NTP service (chrony) on both";
  if (least_ahead > kClockApart) {
    return {"clock", Grade::bad,
            "the node's clock is " + at_least_text(least_ahead) + " ahead of ours" + fix};
  }
  if (most_ahead < -kClockApart) {
    return {"clock", Grade::bad,
            "the node's clock is " + at_least_text(-most_ahead) + " behind ours" + fix};
  }
  return {"clock", Grade::ok,
          "the node's clock is no more than " + at_most_text(most_ahead) + " ahead of ours and " +
              at_most_text(-least_ahead) + " behind"};
}

SiteFinding noise_finding(const std::vector<double>& seconds) {
  if (seconds.size() < 3) {
    return {"noise", Grade::warning,
            "only " + counted(static_cast<long>(seconds.size()), "run") +
                " of the same work ended, so that the spread is not known; run doctor again"};
  }
  const double middle = median(seconds);
  double squares = 0, mean = 0;
  for (const double one : seconds) mean += one / static_cast<double>(seconds.size());
  for (const double one : seconds) squares += (one - mean) * (one - mean);
  const double spread = std::sqrt(squares / static_cast<double>(seconds.size() - 1)) / mean;
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  const std::string seen =
      std::to_string(seconds.size()) + " runs of the same work on one node spread by " +
      fixed_text(100 * spread, 1) + "%" + " (standard deviation; fastest " +
      fixed_text(100 * (1 - *least / middle), 1) + "%" + " below the median, slowest " +
      fixed_text(100 * (*most / middle - 1), 1) + "%" + " above)";
  if (spread <= kFineNoise) return {"noise", Grade::ok, seen + ", up to 2% is fine"};
  return {
      "noise", Grade::warning,
      seen +
          ", where up to 2% is fine: keep others off the nodes (on Slurm `exclusive: true`), bind "
          "ranks (`bind: core` of the plan), or raise `repeat` of the plan"};
}

}  // namespace kneepoint

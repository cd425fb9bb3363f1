// SPDX-License-Identifier: Apache-2.0
//
// The claim's file. What it does not say stays empty.
#include "orchestrator/plan/readers.h"

#include <algorithm>

#include "orchestrator/plan/plan/parts.h"

namespace kneepoint {
namespace {

constexpr int kMostRepeats = 1'000'000;
constexpr std::size_t kMostPoints = 10'000;

const Keys<ClaimPoint> kPoint = {
    {"k"},
    {"speedup", number(&ClaimPoint::speedup, 1e-9, kMostClaimedSpeedup)},
    {"time", seconds(&ClaimPoint::seconds, 1)},
    {"efficiency", number(&ClaimPoint::efficiency, 1e-9, 1000)},
};

// Of a map whose keys are known already: a point of the list, or the claim's own top.
bool read_point(const YamlView& view, ClaimPoint& point) {
  const bool any = view.has("speedup") || view.has("time") || view.has("efficiency");
  if (!view.has("k")) {
    view["k"].fail("missing; expected the number of workers");
    return false;
  }
  const auto k = view["k"].integer(1, kMostClaimedK);
  if (!k) return false;
  point.k = *k;
  if (!any) {
    view["k"].fail("expected speedup, time or efficiency beside it");
    return false;
  }
  kPoint.read_values(view, point);
  return point.speedup || point.efficiency || point.seconds;
}

void read_points(const YamlView& root, Claim& claim) {
  const bool short_form =
      root.has("k") || root.has("speedup") || root.has("time") || root.has("efficiency");
  if (short_form && root.has("points")) {
    root["points"].fail_at_key("says it again; give k, speedup and time at the top or here");
  } else if (short_form) {
    ClaimPoint point;
    if (read_point(root, point)) claim.points.push_back(point);
  } else if (!root.has("points")) {
    root["points"].fail("missing; expected a list of {k: 256, speedup: 180}, or k and speedup");
  } else {
    for (const YamlView& one : root["points"].items()) {
      if (claim.points.size() >= kMostPoints) {
        one.fail("more than " + std::to_string(kMostPoints) + " points");
        return;
      }
      ClaimPoint point;
      if (!one.check_map() || !read_point(one, point)) continue;
      const bool known = std::any_of(claim.points.begin(), claim.points.end(),
                                     [&](const ClaimPoint& p) { return p.k == point.k; });
      if (known) {
        one["k"].fail("K=" + std::to_string(point.k) + " is there already");
      } else {
        claim.points.push_back(point);
      }
    }
    std::sort(claim.points.begin(), claim.points.end(),
              [](const ClaimPoint& a, const ClaimPoint& b) { return a.k < b.k; });
  }
}

const Keys<ClaimBaseline> kBaseline = {
    {"k", whole(&ClaimBaseline::k, 1, kMostClaimedK)},
    {"what", text(&ClaimBaseline::what)},
    {"optimised", truth(&ClaimBaseline::optimised)},
    {"measured", truth(&ClaimBaseline::measured)},
    {"same_program", truth(&ClaimBaseline::same_program)},
};

const Keys<Claim> kClaimPrice = {
    {"per_worker_hour",
     required(amount_above_zero(&Claim::price_per_worker_hour, "an amount above 0 such as 2.50"),
              "missing; expected an amount such as 2.50")},
    {"currency", text(&Claim::currency)},
};

const Keys<Claim> kClaim = {
    {"claim", text(&Claim::text)},
    {"source", text(&Claim::source)},
    {"mode", one_of(&Claim::mode)},
    {"worker", word(&Claim::worker, word_list<WorkerUnit>())},
    {"k"},
    {"speedup"},
    {"time"},
    {"efficiency"},
    {"points", elsewhere(kPoint)},
    {"baseline", map_for(&Claim::baseline, kBaseline)},
    {"held_fixed", text(&Claim::held_fixed)},
    {"timed", text(&Claim::timed)},
    {"answer", text(&Claim::answer)},
    {"repeats", whole(&Claim::repeats, 1, kMostRepeats)},
    {"interval", text(&Claim::interval)},
    {"price", map_of(kClaimPrice)},
};

}  // namespace

ClaimRead read_claim(std::string_view text, const std::string& path) {
  ClaimRead read;
  Claim& claim = read.claim;
  read.problems = read_yaml(text, path, kClaim, [&](const YamlView& root) {
    if (!kClaim.read(root, claim)) return;
    read_points(root, claim);
    for (const ClaimPoint& point : claim.points) {
      if (!claim.baseline.k || point.k >= *claim.baseline.k) continue;
      root["baseline"]["k"].fail("K=" + std::to_string(point.k) +
                                 " of the claim is below its baseline; expected a baseline of at "
                                 "most the smallest K");
      break;
    }
  });
  return read;
}

}  // namespace kneepoint

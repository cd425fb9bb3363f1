// SPDX-License-Identifier: Apache-2.0
//
// The claim's file. What it does not say stays empty.
#include "orchestrator/plan/tables/claim_reader.h"

#include <algorithm>

#include "orchestrator/model/money.h"
#include "orchestrator/plan/yaml/keys.h"

namespace kneepoint {
namespace {

constexpr int kMostRepeats = 1'000'000;
constexpr std::size_t kMostPoints = 10'000;

bool read_point(const YamlView& view, ClaimPoint& point) {
  const bool any =
      view["speedup"].present() || view["time"].present() || view["efficiency"].present();
  if (!view["k"].present()) {
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
  point.speedup = view["speedup"].number(1e-9, kMostClaimedSpeedup);
  point.efficiency = view["efficiency"].number(1e-9, 1000);
  if (const auto time = view["time"].duration(1)) point.seconds = to_seconds(*time);
  return point.speedup || point.efficiency || point.seconds;
}

void read_points(const YamlView& root, Claim& claim) {
  const bool short_form = root["k"].present() || root["speedup"].present() ||
                          root["time"].present() || root["efficiency"].present();
  if (short_form && root["points"].present()) {
    root["points"].fail_at_key("says it again; give k, speedup and time at the top or here");
  } else if (short_form) {
    ClaimPoint point;
    if (read_point(root, point)) claim.points.push_back(point);
  } else if (!root["points"].present()) {
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

void read_baseline(const YamlView& view, ClaimBaseline& baseline) {
  if (!view.present() || !view.check_map()) return;
  baseline.k = view["k"].integer(1, kMostClaimedK);
  read_into(view["what"].text(), baseline.what);
  baseline.optimised = view["optimised"].truth();
  baseline.measured = view["measured"].truth();
  baseline.same_program = view["same_program"].truth();
}

void read_price(const YamlView& view, Claim& claim) {
  if (!view.present() || !view.check_map()) return;
  read_into(view["currency"].text(), claim.currency);
  const auto text = view["per_worker_hour"].text();
  if (!text) {
    if (!view["per_worker_hour"].present()) {
      view["per_worker_hour"].fail("missing; expected an amount such as 2.50");
    }
    return;
  }
  const auto micros = parse_micros(*text);
  if (!micros || *micros == 0) {
    view["per_worker_hour"].fail("expected an amount above 0 such as 2.50, found '" + *text + "'");
  } else {
    claim.price_per_worker_hour = *micros;
  }
}

}  // namespace

ClaimRead read_claim(std::string_view text, const std::string& path) {
  ClaimRead read;
  YamlFile file = parse_yaml(text, path);
  read.problems = std::move(file.problems);
  Claim& claim = read.claim;
  const YamlView root(file.root, claim_keys(), path, read.problems);
  if (root.check_map()) {
    static const std::vector<std::string> modes = {"strong", "weak"};
    static const std::vector<std::string> units = {"node", "rank", "gpu"};
    read_into(root["claim"].text(), claim.text);
    read_into(root["source"].text(), claim.source);
    if (const auto word = root["mode"].word(modes)) claim.mode = parse_mode(*word);
    read_into(root["worker"].word(units), claim.worker);
    read_points(root, claim);
    read_baseline(root["baseline"], claim.baseline);
    for (const ClaimPoint& point : claim.points) {
      if (!claim.baseline.k || point.k >= *claim.baseline.k) continue;
      root["baseline"]["k"].fail("K=" + std::to_string(point.k) +
                                 " of the claim is below its baseline; expected a baseline of at "
                                 "most the smallest K");
      break;
    }
    read_into(root["held_fixed"].text(), claim.held_fixed);
    read_into(root["timed"].text(), claim.timed);
    read_into(root["answer"].text(), claim.answer);
    claim.repeats = root["repeats"].integer(1, kMostRepeats);
    read_into(root["interval"].text(), claim.interval);
    read_price(root["price"], claim);
  }
  sort_problems(read.problems);
  return read;
}

}  // namespace kneepoint

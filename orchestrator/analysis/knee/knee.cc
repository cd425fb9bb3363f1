// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/knee/knee.h"

#include <algorithm>
#include <cstdio>

#include "orchestrator/analysis/knee/crossing.h"
#include "orchestrator/base/ensure.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

void find_sure_and_maybe(const std::vector<const PointSummary*>& points, KneeAnswer& answer) {
  bool sure = true, maybe = true;
  for (const PointSummary* p : points) {
    const double e = p->decisive_efficiency();
    const auto& interval = p->decisive_interval();
    const bool exact = p->baseline;
    sure = sure && (exact || interval) && reaches(interval ? interval->low : e, answer.floor);
    maybe = maybe && reaches(interval ? interval->high : e, answer.floor);
    if (sure) answer.k_sure = p->point.k;
    if (maybe) answer.k_maybe = p->point.k;
  }
}

void set_crossing(const std::vector<const PointSummary*>& points, KneeAnswer& answer) {
  std::vector<int> ks;
  std::vector<double> cost, weights;
  for (const PointSummary* p : points) {
    ks.push_back(p->point.k);
    cost.push_back(1 / p->decisive_efficiency());
    weights.push_back(p->valid);
  }
  const Crossing crossing = find_crossing(ks, isotonic_increasing(cost, weights), answer.floor);
  if (crossing.first_under == ks.size()) {
    answer.where = "beyond K_max";
    answer.k_measured = ks.back();
  } else if (crossing.first_under <= 1) {
    answer.where = "below the first step";
    if (crossing.first_under == 1) answer.k_measured = ks.front();
  } else {
    answer.where = "measured";
    answer.k_measured = ks[crossing.first_under - 1];
    answer.k = crossing.k;
  }
}

// "sure up to K=4, possible up to K=16": only where the intervals don't settle it.
std::string doubt(const std::vector<const PointSummary*>& points, const KneeAnswer& answer) {
  const bool any_interval = std::any_of(points.begin(), points.end(), [](const PointSummary* p) {
    return p->decisive_interval().has_value();
  });
  if (!any_interval) return "; one run at a point: no interval";
  if (answer.k_sure == answer.k_measured && answer.k_maybe == answer.k_measured) return "";
  std::string words;
  if (answer.k_sure != answer.k_measured) {
    words += answer.k_sure ? "; by the intervals sure up to K=" + std::to_string(*answer.k_sure)
                           : "; by the intervals not sure at any K";
  }
  if (answer.k_maybe && answer.k_maybe != answer.k_measured) {
    words += words.empty() ? "; by the intervals possible" : ", possible";
    words += " up to K=" + std::to_string(*answer.k_maybe);
  }
  return words;
}

std::string sentence_of(const Curve& curve, const std::vector<const PointSummary*>& points,
                        const KneeAnswer& answer) {
  const std::string emulated =
      std::string(curve.emulated ? ", emulated" : "") + (curve.stand_in ? ", CPU stand-in" : "");
  const std::string floor = format_number("%.2f", answer.floor);
  bool by_work = false;
  for (const PointSummary* p : points) by_work = by_work || p->efficiency_by_work.has_value();
  const std::string efficiency = by_work ? "efficiency by work" : "efficiency";
  if (points.empty()) return "no knee: no point has a valid run";
  if (points.size() == 1) {
    return "no knee: only K=" + std::to_string(points[0]->point.k) + " has a valid run";
  }
  if (answer.where == "beyond K_max") {
    return "knee beyond K=" + std::to_string(points.back()->point.k) + emulated + " (" +
           efficiency + " is at or above " + floor + " at every K measured" +
           doubt(points, answer) + ")";
  }
  if (answer.where == "below the first step") {
    return "knee below K=" + std::to_string(points[1]->point.k) + emulated + " (" + efficiency +
           " is under " + floor + " at the first step already" + doubt(points, answer) + ")";
  }
  const std::string k = std::to_string(*answer.k_measured);
  return "knee at K=" + k + emulated + " (" + efficiency + " stays at or above " + floor +
         " up to K=" + k + "; crosses at about K=" + format_number("%.3g", *answer.k) +
         doubt(points, answer) + ")";
}

}  // namespace

std::vector<double> isotonic_increasing(const std::vector<double>& values,
                                        const std::vector<double>& weights) {
  ENSURE(values.size() == weights.size(), "one weight for each value");
  struct Block {
    double mean, weight;
    std::size_t count;
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Block block{values[i], weights[i], 1};
    while (!blocks.empty() && blocks.back().mean > block.mean) {
      const Block& last = blocks.back();
      const double weight = last.weight + block.weight;
      block = {(last.mean * last.weight + block.mean * block.weight) / weight, weight,
               last.count + block.count};
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  std::vector<double> out;
  out.reserve(values.size());
  for (const Block& block : blocks) out.insert(out.end(), block.count, block.mean);
  return out;
}

KneeAnswer find_knee(const Curve& curve, double floor) {
  KneeAnswer answer;
  answer.floor = floor;
  std::vector<const PointSummary*> points;
  for (const PointSummary& p : curve.points) {
    if (p.valid > 0) points.push_back(&p);
  }
  if (points.size() < 2) {
    answer.where = "no data";
  } else {
    find_sure_and_maybe(points, answer);
    set_crossing(points, answer);
  }
  answer.sentence = sentence_of(curve, points, answer);
  return answer;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Equality cases are exact (Amdahl with 5% serial has E(6) = 0.8), so every comparison with the
// floor gives way by 1e-12 of it.
#include "orchestrator/analysis/knee.h"

#include <algorithm>
#include <cstdio>

#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

bool reaches(double efficiency, double floor) {
  return efficiency >= floor * (1 - 1e-12);
}

std::string text(const char* format, double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

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

void find_crossing(const std::vector<const PointSummary*>& points, KneeAnswer& answer) {
  std::vector<double> cost, weights;
  for (const PointSummary* p : points) {
    cost.push_back(1 / p->decisive_efficiency());
    weights.push_back(p->valid);
  }
  cost = isotonic_increasing(cost, weights);
  const double limit = 1 / answer.floor;
  std::size_t first_above = 0;
  while (first_above < cost.size() && reaches(1 / cost[first_above], answer.floor)) ++first_above;

  if (first_above == cost.size()) {
    answer.where = "beyond K_max";
    answer.k_measured = points.back()->point.k;
  } else if (first_above <= 1) {
    answer.where = "below the first step";
    if (first_above == 1) answer.k_measured = points.front()->point.k;
  } else {
    answer.where = "measured";
    const double k_before = points[first_above - 1]->point.k,
                 k_after = points[first_above]->point.k;
    const double before = cost[first_above - 1], after = cost[first_above];
    answer.k_measured = points[first_above - 1]->point.k;
    answer.k = k_before + (limit - before) / (after - before) * (k_after - k_before);
    if (*answer.k < k_before) answer.k = k_before;  // equality within the tolerance
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
  const std::string emulated = curve.emulated ? ", emulated" : "";
  const std::string floor = text("%.2f", answer.floor);
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
         " up to K=" + k + "; crosses at about K=" + text("%.3g", *answer.k) +
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
    find_crossing(points, answer);
  }
  answer.sentence = sentence_of(curve, points, answer);
  return answer;
}

}  // namespace kneepoint

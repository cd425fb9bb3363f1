// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

struct Contestant {
  const Point* point = nullptr;
  std::string name;
  std::vector<double> seconds;
  double middle = 0;
};

std::string name_of(const Shape& shape, bool with_bind) {
  std::string name = to_string(shape);
  if (with_bind) name += std::string(", bind ") + to_string(shape.bind);
  return name;
}

// The provenance that the most shapes have valid runs of; runs of others are left out.
std::string common_provenance(const std::vector<const PointEvidence*>& points) {
  std::map<std::string, int> shapes;
  for (const PointEvidence* point : points) {
    std::set<std::string> here;
    for (const RunEvidence& run : point->runs) {
      if (counts(run)) here.insert(run.provenance);
    }
    for (const std::string& text : here) ++shapes[text];
  }
  const auto most =
      std::max_element(shapes.begin(), shapes.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == shapes.end() ? "" : most->first;
}

std::vector<Contestant> contestants(const std::vector<const PointEvidence*>& points) {
  const std::string provenance = common_provenance(points);
  std::set<std::string> plain;
  for (const PointEvidence* p : points) plain.insert(to_string(p->point.shape));
  std::vector<Contestant> all;
  for (const PointEvidence* p : points) {
    Contestant c{.point = &p->point, .name = name_of(p->point.shape, plain.size() < points.size())};
    for (const RunEvidence& run : p->runs) {
      if (counts(run) && run.provenance == provenance) c.seconds.push_back(run.seconds);
    }
    if (c.seconds.empty()) continue;
    c.middle = median(c.seconds);
    all.push_back(std::move(c));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Contestant& a, const Contestant& b) { return a.middle < b.middle; });
  return all;
}

ShapeContest::Entry decide(const Contestant& winner, const Contestant& second) {
  ShapeContest::Entry entry;
  entry.k = winner.point->k;
  entry.cores = winner.point->shape.cpus();
  entry.winner = winner.name;
  entry.runner_up = second.name;
  entry.ratio = second.middle / winner.middle;
  entry.interval = ratio_interval(second.seconds, winner.seconds);
  entry.tie = entry.ratio == 1 || (entry.interval && entry.interval->low <= 1);
  return entry;
}

}  // namespace

std::vector<ShapeContest> contests(const StudyEvidence& evidence, std::vector<Warning>& warnings) {
  using Series = std::tuple<std::string, std::string, Mode>;
  using Size = std::tuple<int, int, int>;  // cores, GPUs, K where it matters
  std::vector<Series> order;
  std::map<Series, std::map<Size, std::vector<const PointEvidence*>>> groups;
  for (const PointEvidence& p : evidence.points) {
    const Series series{p.point.build, p.point.case_name, p.point.mode};
    if (!groups.contains(series)) order.push_back(series);
    const Shape& shape = p.point.shape;
    groups[series][{shape.cpus(), shape.nodes * shape.gpus_per_node,
                    p.point.mode == Mode::weak ? p.point.k : 0}]
        .push_back(&p);
  }
  std::vector<ShapeContest> all;
  for (const Series& series : order) {
    ShapeContest contest;
    std::tie(contest.build, contest.case_name, contest.mode) = series;
    for (const auto& [size, points] : groups[series]) {
      if (points.size() < 2) continue;
      const auto measured = std::count_if(points.begin(), points.end(), [](const auto* p) {
        return std::any_of(p->runs.begin(), p->runs.end(), counts);
      });
      const std::vector<Contestant> ranked = contestants(points);
      if (measured >= 2 && static_cast<std::ptrdiff_t>(ranked.size()) < measured) {
        warnings.push_back({WarningCode::mixed_provenance,
                            contest.case_name + " " + to_string(contest.mode) + ", " +
                                std::to_string(std::get<0>(size)) +
                                " cores: not all shapes have runs of the same provenance; those "
                                "that have not are not compared"});
      }
      if (ranked.size() >= 2) contest.entries.push_back(decide(ranked[0], ranked[1]));
    }
    if (!contest.entries.empty()) all.push_back(std::move(contest));
  }
  return all;
}

}  // namespace kneepoint

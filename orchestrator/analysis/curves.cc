// SPDX-License-Identifier: Apache-2.0
//
// Shape families. When a worker is a rank, nodes and ranks per node follow from K (K = 1, 2, 4 on
// nodes of 4 cores fill up one node), so they can't be part of a curve's name.
#include "orchestrator/analysis/curves.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "orchestrator/analysis/provenance_split.h"

namespace kneepoint {
namespace {

using ByK = std::map<int, std::vector<int>>;  // K -> indexes of points

// The values of ranks per node that one K has several of.
std::set<int> listed_ranks_per_node(const StudyEvidence& evidence, const ByK& by_k) {
  std::set<int> listed;
  for (const auto& [k, indexes] : by_k) {
    std::set<int> here;
    for (const int i : indexes) here.insert(evidence.points[i].point.shape.ranks_per_node);
    if (here.size() > 1) listed.insert(here.begin(), here.end());
  }
  return listed;
}

std::string name_of(const StudyEvidence& evidence, const std::vector<int>& members, int listed) {
  const Shape& shape = evidence.points[members.back()].point.shape;
  const bool same = std::all_of(members.begin(), members.end(), [&](int i) {
    return evidence.points[i].point.shape.ranks_per_node == shape.ranks_per_node;
  });
  const int ranks = listed > 0 ? listed : same ? shape.ranks_per_node : 0;
  std::string name;
  if (ranks > 0) {
    name += std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") + " per node, ";
  }
  name += std::to_string(shape.threads_per_rank) +
          (shape.threads_per_rank == 1 ? " thread" : " threads") + " per rank";
  if (shape.gpus_per_node > 0) {
    name += ", " + std::to_string(shape.gpus_per_node) +
            (shape.gpus_per_node == 1 ? " GPU" : " GPUs") + " per node";
  }
  return name + ", bind " + to_string(shape.bind);
}

}  // namespace

std::vector<CurveMembers> group_curves(const StudyEvidence& evidence) {
  using Key = std::tuple<std::string, std::string, Mode, int, int, Bind>;
  std::vector<Key> order;
  std::map<Key, ByK> groups;
  for (int i = 0; i < static_cast<int>(evidence.points.size()); ++i) {
    const Point& p = evidence.points[i].point;
    const Key key{p.build,     p.case_name, p.mode, p.shape.threads_per_rank, p.shape.gpus_per_node,
                  p.shape.bind};
    if (!groups.contains(key)) order.push_back(key);
    groups[key][p.k].push_back(i);
  }

  std::vector<CurveMembers> curves;
  for (const Key& key : order) {
    const ByK& by_k = groups[key];
    std::set<int> families = listed_ranks_per_node(evidence, by_k);
    const bool split = !families.empty();
    if (!split) families.insert(0);
    for (const int family : families) {
      CurveMembers curve;
      std::tie(curve.build, curve.case_name, curve.mode, std::ignore, std::ignore, std::ignore) =
          key;
      for (const auto& [k, indexes] : by_k) {
        int best = indexes.size() == 1 || !split ? indexes.front() : -1;
        // A node that K does not fill has fewer ranks than the family's: the fullest stands for it.
        for (const int i : indexes) {
          const int ranks = evidence.points[i].point.shape.ranks_per_node;
          if (split && ranks <= family &&
              (best < 0 || ranks > evidence.points[best].point.shape.ranks_per_node)) {
            best = i;
          }
        }
        if (best >= 0) curve.points.push_back(best);
      }
      if (curve.points.empty()) continue;
      curve.shape_name = name_of(evidence, curve.points, family);
      for (CurveMembers& part : split_by_provenance(evidence, std::move(curve))) {
        curves.push_back(std::move(part));
      }
    }
  }
  return curves;
}

}  // namespace kneepoint

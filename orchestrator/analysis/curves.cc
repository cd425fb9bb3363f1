// SPDX-License-Identifier: Apache-2.0
//
// Shape families. When a worker is a rank, nodes and ranks per node follow from K (K = 1, 2, 4 on
// nodes of 4 cores fill up one node), so they can't be part of a curve's name.
#include "orchestrator/analysis/curves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"

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
  if (ranks > 0) name += counted(ranks, "rank") + " per node, ";
  name += counted(shape.threads_per_rank, "thread") + " per rank";
  if (shape.gpus_per_node > 0) name += ", " + counted(shape.gpus_per_node, "GPU") + " per node";
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

namespace {

using Parts = std::vector<std::string>;

Parts parts_of(const std::string& text) {
  Parts parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("; ", at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 2;
  }
  return parts;
}

std::string joined(const Parts& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

// The valid runs of one provenance.
struct Group {
  std::string text;
  std::set<int> points;  // indexes of StudyEvidence::points
  int k0 = 0;
  int runs = 0;
  std::string own;  // what tells it from the others
};

std::vector<Group> groups_of(const StudyEvidence& evidence, const CurveMembers& curve) {
  std::map<std::string, Group> by_text;
  for (const int i : curve.points) {
    for (const RunEvidence& run : evidence.points[i].runs) {
      if (!counts(run)) continue;
      Group& group = by_text[run.provenance];
      if (group.runs++ == 0) group.k0 = evidence.points[i].point.k;
      group.points.insert(i);
    }
  }
  std::vector<Group> groups;
  std::vector<std::string> texts;
  for (auto& [text, group] : by_text) {
    group.text = text;
    texts.push_back(text);
    groups.push_back(std::move(group));
  }
  const std::vector<std::string> own = what_differs(texts);
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g].own = own[g];
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return std::pair(a.k0, -a.runs) < std::pair(b.k0, -b.runs);
  });
  return groups;
}

std::string sentence_apart(const StudyEvidence& evidence, const Group& group, const Group& kept) {
  Parts where;
  for (const int i : group.points) {
    where.push_back("K=" + std::to_string(evidence.points[i].point.k));
  }
  return counted(group.runs, "run") + " at " + joined(where, ", ") +
         (group.runs == 1 ? " is" : " are") + " set apart: " + group.own + " there, " + kept.own +
         " on the curve; runs of different provenance are not averaged";
}

}  // namespace

std::vector<std::string> what_differs(const std::vector<std::string>& texts) {
  std::map<std::string, std::size_t> seen;
  for (const std::string& text : texts) {
    const Parts parts = parts_of(text);
    for (const std::string& part : std::set<std::string>(parts.begin(), parts.end())) ++seen[part];
  }
  std::vector<std::string> own;
  own.reserve(texts.size());
  for (const std::string& text : texts) {
    Parts parts = parts_of(text);
    std::erase_if(parts, [&](const std::string& part) { return seen[part] == texts.size(); });
    own.push_back(parts.empty() ? "provenance not recorded" : joined(parts, "; "));
  }
  return own;
}

std::vector<CurveMembers> split_by_provenance(const StudyEvidence& evidence, CurveMembers curve) {
  const std::vector<Group> groups = groups_of(evidence, curve);
  if (groups.size() < 2) return {std::move(curve)};

  std::set<int> measured;
  for (const Group& group : groups) measured.insert(group.points.begin(), group.points.end());
  const std::size_t needed = std::min<std::size_t>(2, measured.size());
  std::vector<const Group*> kept, apart;
  for (const Group& group : groups) {
    (group.points.size() >= needed ? kept : apart).push_back(&group);
  }
  if (kept.empty()) {  // every provenance has one K: the first is a baseline at least
    kept.push_back(apart.front());
    apart.erase(apart.begin());
  }

  std::set<int> placed;
  for (const Group* group : kept) placed.insert(group->points.begin(), group->points.end());
  std::vector<CurveMembers> curves;
  for (const Group* group : kept) {
    CurveMembers part = curve;
    part.provenance = group->own;
    part.runs_with = group->text;
    const bool first = curves.empty();
    std::erase_if(part.points, [&](int i) {
      return !group->points.contains(i) && !(first && !placed.contains(i));
    });
    if (first) {
      for (const Group* other : apart) {
        part.apart.push_back(sentence_apart(evidence, *other, *group));
      }
    }
    curves.push_back(std::move(part));
  }
  if (curves.size() > 1) {
    for (CurveMembers& part : curves) {
      part.apart.insert(part.apart.begin(),
                        "the runs differ in provenance and are not averaged: this curve has those "
                        "with " +
                            part.provenance);
    }
  }
  return curves;
}

bool counts(const RunEvidence& run) {
  return run.state == AttemptState::succeeded && run.seconds > 0 && std::isfinite(run.seconds);
}

bool counts_on(const CurveMembers& curve, const RunEvidence& run) {
  return counts(run) && (!curve.runs_with || run.provenance == *curve.runs_with);
}

std::vector<const RunEvidence*> valid_runs(const CurveMembers& curve, const PointEvidence& point) {
  std::vector<const RunEvidence*> runs;
  for (const RunEvidence& run : point.runs) {
    if (counts_on(curve, run)) runs.push_back(&run);
  }
  return runs;
}

std::vector<double> valid_seconds(const CurveMembers& curve, const PointEvidence& point) {
  std::vector<double> seconds;
  for (const RunEvidence& run : point.runs) {
    if (counts_on(curve, run)) seconds.push_back(run.seconds);
  }
  return seconds;
}

std::vector<std::string> unusable_times(const CurveMembers& curve, const StudyEvidence& evidence) {
  std::vector<std::string> sentences;
  for (const int i : curve.points) {
    const PointEvidence& point = evidence.points[i];
    for (const RunEvidence& run : point.runs) {
      if (run.state != AttemptState::succeeded || counts(run)) continue;
      const std::string value = std::isnan(run.seconds)   ? "not a number"
                                : std::isinf(run.seconds) ? "infinite"
                                                          : number_text(run.seconds) + " s";
      sentences.push_back("run r" + std::to_string(run.number) +
                          " at K=" + std::to_string(point.point.k) + ": its time is " + value +
                          "; times are positive and finite, so it enters no number");
    }
  }
  return sentences;
}

const RunDetail* detail_of(const PointEvidence& point, const RunEvidence& run) {
  // Both are by repeat, and runs that failed have no detail: it is at its repeat or a bit before.
  const auto& details = point.details;
  auto past = static_cast<std::ptrdiff_t>(details.size());
  past = std::clamp<std::ptrdiff_t>(run.repeat + 1, 0, past);
  const auto mine = [&](const RunDetail& detail) { return detail.number == run.number; };
  for (std::ptrdiff_t i = past; i-- > 0;) {
    if (mine(details[static_cast<std::size_t>(i)])) return &details[static_cast<std::size_t>(i)];
  }
  const auto found = std::find_if(details.begin() + past, details.end(), mine);
  return found == details.end() ? nullptr : &*found;
}

std::vector<const RunDetail*> valid_details(const CurveMembers& curve, const PointEvidence& point) {
  std::vector<const RunDetail*> details;
  for (const RunEvidence* run : valid_runs(curve, point)) {
    if (const RunDetail* detail = detail_of(point, *run)) details.push_back(detail);
  }
  return details;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/provenance_split.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "orchestrator/analysis/valid_runs.h"

namespace kneepoint {
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
  return std::to_string(group.runs) + (group.runs == 1 ? " run at " : " runs at ") +
         joined(where, ", ") + (group.runs == 1 ? " is" : " are") + " set apart: " + group.own +
         " there, " + kept.own + " on the curve; runs of different provenance are not averaged";
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

}  // namespace kneepoint

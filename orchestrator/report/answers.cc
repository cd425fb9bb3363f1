// SPDX-License-Identifier: Apache-2.0
//
// Recommends only K that were measured. "Sure" means by the intervals; without intervals it says
// so.
#include "orchestrator/report/answers.h"

#include <algorithm>
#include <map>
#include <set>

#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kNamedInHeadline = 4;

bool has_intervals(const Curve& curve) {
  return std::any_of(curve.points.begin(), curve.points.end(),
                     [](const PointSummary& p) { return p.decisive_interval().has_value(); });
}

const PointSummary* point_at(const Curve& curve, int k) {
  const auto it = std::find_if(curve.points.begin(), curve.points.end(),
                               [&](const PointSummary& p) { return p.point.k == k; });
  return it == curve.points.end() ? nullptr : &*it;
}

std::string efficiency_words(const Curve& curve, int k) {
  const PointSummary* p = point_at(curve, k);
  if (p == nullptr) return "";
  if (p->baseline) return "the baseline";
  const std::string name = p->efficiency_by_work ? "E by work " : "E ";
  const auto& interval = p->decisive_interval();
  return name + efficiency_with_bounds(p->decisive_efficiency(), interval) +
         (interval ? "" : ", no interval");
}

std::string knee_words(const Curve& curve, const KneeAnswer& knee) {
  const std::string emulated = curve.emulated ? "emulated knee" : "knee";
  std::vector<int> ks;
  for (const PointSummary& p : curve.points) {
    if (p.valid > 0) ks.push_back(p.point.k);
  }
  if (knee.where == "beyond K_max") return emulated + " beyond K=" + std::to_string(ks.back());
  if (knee.where == "below the first step") return emulated + " below K=" + std::to_string(ks[1]);
  return emulated + " at about K=" + significant_text(knee.k.value_or(0), 3);
}

}  // namespace

std::vector<std::string> curve_labels(const StudySummary& summary) {
  std::set<std::string> builds;
  std::map<std::string, int> same;
  const auto name = [](const Curve& c) {
    return c.case_name + " " + to_string(c.mode) + " " + c.build;
  };
  for (const Curve& c : summary.curves) {
    builds.insert(c.build);
    ++same[name(c)];
  }
  std::vector<std::string> labels;
  for (const Curve& c : summary.curves) {
    std::string label = plain(c.case_name) + " " + to_string(c.mode);
    if (builds.size() > 1) label += ", build " + plain(c.build);
    if (same[name(c)] > 1) label += ", " + c.shape_name;
    labels.push_back(label);
  }
  return labels;
}

std::optional<int> recommended_k(const Curve& curve, const KneeAnswer& knee) {
  if (knee.where == "no data") return std::nullopt;
  return has_intervals(curve) ? knee.k_sure : knee.k_measured;
}

std::string answer_of(const Curve& curve, const KneeAnswer& knee, const std::string& label) {
  if (knee.where == "no data") {
    const PointSummary* base = curve.baseline();
    return label + ": no answer, " +
           (base == nullptr ? "no point has a valid run"
                            : "only K=" + std::to_string(base->point.k) + " has a valid run");
  }
  const std::optional<int> k = recommended_k(curve, knee);
  if (!k) return label + ": no K reaches an efficiency of " + fixed_text(knee.floor, 2);
  std::string answer =
      label + ": use K=" + std::to_string(*k) + " (" + efficiency_words(curve, *k) + ")";
  if (knee.k_measured && *knee.k_measured > *k) {
    answer += "; K=" + std::to_string(*knee.k_measured) + " is possible (" +
              efficiency_words(curve, *knee.k_measured) + ")";
  }
  answer += "; " + knee_words(curve, knee);
  if (curve.k0 != 1) answer += "; relative to K0=" + std::to_string(curve.k0);
  return answer;
}

std::string headline_of(const StudySummary& summary, const std::vector<std::string>& labels,
                        const std::vector<std::string>& answers) {
  if (answers.empty()) return "no answer: the study has no points";
  if (answers.size() == 1) return answers.front();
  std::vector<std::string> parts;
  bool any = false;
  for (std::size_t i = 0; i < summary.curves.size() && i < kNamedInHeadline; ++i) {
    const std::optional<int> k = recommended_k(summary.curves[i], summary.knees[i]);
    parts.push_back((k ? "K=" + std::to_string(*k) : std::string("no answer")) + " for " +
                    labels[i] + (summary.curves[i].emulated ? " (emulated)" : ""));
    any = any || k.has_value();
  }
  if (summary.curves.size() > kNamedInHeadline) {
    parts.push_back("and " + std::to_string(summary.curves.size() - kNamedInHeadline) +
                    " more curves");
  }
  return (any ? "use " : "") + joined(parts, ", ");
}

}  // namespace kneepoint

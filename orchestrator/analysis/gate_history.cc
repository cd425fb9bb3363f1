// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/gate_history.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "orchestrator/analysis/intervals.h"
#include "orchestrator/analysis/provenance_split.h"

namespace kneepoint {
namespace {

constexpr std::string_view kProgram = "program=";

std::string joined(const std::set<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

// The parts of all provenance texts of a study that are of the program, or are not.
std::set<std::string> provenance_parts(const StudyEvidence& study, bool of_program) {
  std::set<std::string> parts;
  for (const PointEvidence& point : study.points) {
    for (const RunEvidence& run : point.runs) {
      std::size_t begin = 0;
      while (begin < run.provenance.size()) {
        const std::size_t end = std::min(run.provenance.find("; ", begin), run.provenance.size());
        const std::string part = run.provenance.substr(begin, end - begin);
        if (part.starts_with(kProgram) == of_program) {
          parts.insert(of_program ? part.substr(kProgram.size()) : part);
        }
        begin = end + 2;
      }
    }
  }
  return parts;
}

const PointEvidence* find_point(const StudyEvidence& study, const std::string& key) {
  for (const PointEvidence& point : study.points) {
    if (point.point.key() == key) return &point;
  }
  return nullptr;
}

struct Measured {
  std::optional<double> log_median;
  NightParts parts;
};

Measured measured_at(const PointEvidence* point) {
  Measured measured;
  if (point == nullptr) return measured;
  std::vector<double> seconds, compute, communication;
  for (const RunEvidence& run : point->runs) {
    if (run.state != AttemptState::succeeded || !(run.seconds > 0)) continue;
    seconds.push_back(run.seconds);
    compute.push_back(run.compute_seconds);
    communication.push_back(run.communication_seconds);
  }
  if (seconds.empty()) return measured;
  const double middle = median(std::move(seconds));
  measured.log_median = std::log(middle);
  measured.parts.compute = median(std::move(compute));
  measured.parts.communication = median(std::move(communication));
  if (measured.parts.compute + measured.parts.communication > 0) {
    measured.parts.rest =
        std::max(0.0, middle - measured.parts.compute - measured.parts.communication);
  }
  return measured;
}

std::string curve_of(const Point& point) {
  std::string name = point.case_name + " " + to_string(point.mode);
  return point.build == "default" ? name : point.build + " " + name;
}

bool belongs(const GateSeries& series, const GateFinding& finding) {
  return finding.whole_curve ? series.curve == finding.name : series.key == finding.name;
}

}  // namespace

std::string environment_of(const StudyEvidence& study) {
  return joined(provenance_parts(study, false));
}

GateHistory make_history(const std::vector<StudyEvidence>& studies) {
  GateHistory history;
  const StudyEvidence& tonight = studies.back();
  const std::string environment = environment_of(tonight);
  std::size_t first = studies.size() - 1;
  while (first > 0 && environment_of(studies[first - 1]) == environment) --first;
  history.other_environment = static_cast<int>(first);
  if (studies.size() > 1 && first == studies.size() - 1) {
    const std::string before = environment_of(studies[studies.size() - 2]);
    const std::vector<std::string> own = what_differs({before, environment});
    history.changed = own.at(0) + " before, " + own.at(1) + " tonight";
  }
  for (std::size_t night = first; night < studies.size(); ++night) {
    history.nights.push_back(studies[night].id);
    history.builds.push_back(joined(provenance_parts(studies[night], true)));
  }
  for (const PointEvidence& point : tonight.points) {
    GateSeries series;
    series.key = point.point.key();
    series.curve = curve_of(point.point);
    series.k = point.point.k;
    for (const RunEvidence& run : point.runs) {
      series.failed = series.failed || (run.finished && run.state != AttemptState::succeeded);
    }
    if (series.failed) history.failed.push_back(series.key);
    std::vector<NightParts> parts;
    for (std::size_t night = first; night < studies.size(); ++night) {
      const Measured measured = measured_at(find_point(studies[night], series.key));
      series.log_medians.push_back(measured.log_median);
      parts.push_back(measured.parts);
    }
    history.series.push_back(std::move(series));
    history.parts.push_back(std::move(parts));
  }
  return history;
}

std::optional<MovedTerm> moved_term(const GateHistory& history, const GateFinding& finding) {
  NightParts growth;
  for (std::size_t i = 0; i < history.series.size(); ++i) {
    const GateSeries& series = history.series[i];
    if (!belongs(series, finding) || !series.log_medians.back()) continue;
    std::vector<double> compute, communication, rest;
    for (std::size_t night = 0; night + 1 < series.log_medians.size(); ++night) {
      if (!series.log_medians[night]) continue;
      compute.push_back(history.parts[i][night].compute);
      communication.push_back(history.parts[i][night].communication);
      rest.push_back(history.parts[i][night].rest);
    }
    if (compute.empty()) continue;
    const NightParts& now = history.parts[i].back();
    if (now.compute + now.communication <= 0) continue;
    // As shares of T, so that small K don't outweigh large ones.
    const double t = std::exp(*series.log_medians.back());
    growth.compute += (now.compute - median(std::move(compute))) / t;
    growth.communication += (now.communication - median(std::move(communication))) / t;
    growth.rest += (now.rest - median(std::move(rest))) / t;
  }
  const double total = growth.compute + growth.communication + growth.rest;
  if (!(total > 0)) return std::nullopt;
  MovedTerm moved{"compute", growth.compute / total};
  if (growth.communication / total > moved.share) {
    moved = {"communication", growth.communication / total};
  }
  if (growth.rest / total > moved.share) moved = {"imbalance and waiting", growth.rest / total};
  return moved;
}

std::optional<DatedChange> last_change(const GateHistory& history, const GateFinding& finding) {
  std::vector<double> values;
  std::vector<std::size_t> nights;
  for (std::size_t night = 0; night < history.nights.size(); ++night) {
    double sum = 0;
    int count = 0;
    bool all = true;
    for (const GateSeries& series : history.series) {
      if (!belongs(series, finding) || !series.log_medians.back()) continue;
      all = all && series.log_medians[night].has_value();
      if (!all) break;
      sum += *series.log_medians[night];
      ++count;
    }
    if (!all || count == 0) continue;
    values.push_back(sum / count);
    nights.push_back(night);
  }
  const std::vector<ChangePoint> changes = change_points(values);
  if (changes.empty()) return std::nullopt;
  return DatedChange{nights[changes.back().night], changes.back().ratio};
}

}  // namespace kneepoint

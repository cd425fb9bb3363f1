// SPDX-License-Identifier: Apache-2.0
//
// Which MPI calls take the time, K by K: the largest few, as many as explain most of it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "orchestrator/report/tables/detail_tables.h"
#include "orchestrator/report/text.h"

namespace kneepoint {

namespace {

constexpr std::size_t kMostOperations = 5;
constexpr double kLeastShare = 0.001;  // of the window; smaller ones are left to the JSON

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(kUnits)) {
    bytes /= 1000;
    ++unit;
  }
  return (unit == 0 ? fixed_text(bytes, 0) : significant_text(bytes, 3)) + " " + kUnits[unit];
}

// The mean over ranks: whole where all made as many.
std::string calls_text(double calls) {
  return calls == std::floor(calls) ? count_text(calls) : significant_text(calls, 3);
}

std::string kind_text(const std::string& kind) {
  if (kind == "point_to_point") return "point-to-point";
  if (kind == "one_sided") return "one-sided";
  return kind;
}

}  // namespace

void add_profile_details(const CurveView& view, std::vector<DetailTable>& tables) {
  DetailTable table;
  table.title = "MPI calls (of a rank; time as a share from MPI_Init to MPI_Finalize)";
  table.columns = {{"K", Align::right},
                   {"call"},
                   {"kind"},
                   {"calls", Align::right},
                   {"bytes sent", Align::right},
                   {"time", Align::right}};
  const auto& details = view.analysis->points;
  for (std::size_t i = 0; i < details.size() && i < view.curve->points.size(); ++i) {
    if (!details[i].profile) continue;
    const std::string k = std::to_string(view.curve->points[i].point.k);
    std::size_t shown = 0;
    for (const OperationShare& one : details[i].profile->operations) {
      if (shown > 0 && (shown >= kMostOperations || one.share < kLeastShare)) break;
      table.rows.push_back({shown == 0 ? k : "", one.name, kind_text(one.kind),
                            calls_text(one.calls), bytes_text(one.bytes), percent_text(one.share)});
      ++shown;
    }
    if (shown == 0) table.rows.push_back({k, "none", "", "-", "-", "-"});
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

// ---- The numbers by name that runs report besides T, metric by metric over K. Few enough to be
// read; those of which the plan says which way is better come first. JSON has all.

namespace {

constexpr std::size_t kMostMetrics = 12;
constexpr int kDigits = 4;
constexpr double kSmall = 1e-3, kLarge = 1e6;  // beyond them with an exponent

using Key = std::pair<std::string, std::string>;  // name, unit

// In the order in which they are shown.
std::vector<Key> keys_of(const std::vector<PointDetail>& details) {
  std::vector<Key> first, others;
  std::set<Key> seen;
  for (const PointDetail& d : details) {
    for (const MetricSummary& m : d.metrics) {
      if (!seen.emplace(m.name, m.unit).second) continue;
      (m.better.empty() ? others : first).emplace_back(m.name, m.unit);
    }
  }
  std::sort(first.begin(), first.end());
  std::sort(others.begin(), others.end());
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

// A metric may be of any size.
std::string value_text(double value) {
  const double size = std::fabs(value);
  if (value == 0) return "0";
  if (size >= kSmall && size < kLarge) return significant_text(value, kDigits);
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", kDigits, value);
  return text;
}

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "";
  return " [" + value_text(interval->low) + ", " + value_text(interval->high) + "]";
}

}  // namespace

void add_metric_details(const CurveView& view, std::vector<DetailTable>& tables) {
  DetailTable table;
  table.title = "Metrics (median over runs, with its interval)";
  table.columns = {{"metric"}, {"K", Align::right}, {"median"},
                   {"unit"},   {"better"},          {"runs", Align::right}};
  const auto& details = view.analysis->points;
  const std::vector<Key> keys = keys_of(details);
  for (std::size_t at = 0; at < std::min(keys.size(), kMostMetrics); ++at) {
    bool first = true;
    for (std::size_t i = 0; i < details.size() && i < view.curve->points.size(); ++i) {
      for (const MetricSummary& m : details[i].metrics) {
        if (Key(m.name, m.unit) != keys[at]) continue;
        table.rows.push_back({first ? m.name : "", std::to_string(view.curve->points[i].point.k),
                              value_text(m.median) + interval_text(m.interval), first ? m.unit : "",
                              first ? m.better : "", std::to_string(m.runs)});
        first = false;
      }
    }
  }
  if (keys.size() > kMostMetrics) {
    table.lines.push_back("and " + std::to_string(keys.size() - kMostMetrics) +
                          " more metrics; the JSON report has all");
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

}  // namespace kneepoint

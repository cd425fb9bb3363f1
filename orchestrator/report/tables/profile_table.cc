// SPDX-License-Identifier: Apache-2.0
//
// Which MPI calls take the time, K by K: the largest few, as many as explain most of it.
#include <cmath>

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

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/import_text.h"

#include <algorithm>
#include <tuple>

#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/curve_words.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr std::size_t kMostPoints = 100;  // that people want to read

std::string name_of(const ImportedCurve& curve) {
  return curve_name(curve.build, curve.case_name, curve.mode);
}

std::string table_of(const ImportedCurve& curve, bool relative) {
  const int k0 = curve.points.front().k;
  const std::vector<ColumnOf<ImportedPoint>> columns = {
      {"K", [](auto& p) { return std::to_string(p.k); }},
      {"RUNS", [](auto& p) { return std::to_string(p.runs); }},
      {relative ? "T (relative)" : "T (s)", [](auto& p) { return number_text(p.seconds, 4); }},
      {"S", [](auto& p) { return fixed_text(p.speedup, 2); }},
      {"E", [](auto& p) { return fixed_text(p.efficiency, 3); }},
  };
  std::vector<ImportedPoint> shown = curve.points;
  shown.resize(std::min(shown.size(), kMostPoints));
  const std::size_t more = curve.points.size() - shown.size();
  return name_of(curve) + (k0 > 1 ? " (relative to K=" + std::to_string(k0) + ")" : "") + "\n" +
         to_table(columns, shown, 2) +
         (more > 0 ? "  and " + std::to_string(more) + " more K\n" : "");
}

}  // namespace

std::vector<ImportedCurve> imported_curves(const Table& table) {
  std::vector<std::vector<double>> seconds(table.points.size());
  for (const TableRun& run : table.runs) seconds[run.point].push_back(run.seconds);
  std::vector<ImportedCurve> curves;
  std::vector<Times> times;
  for (std::size_t i = 0; i < table.points.size(); ++i) {  // a curve's are together, by K
    const TablePoint& point = table.points[i];
    if (curves.empty() ||
        std::tie(curves.back().case_name, curves.back().build, curves.back().mode) !=
            std::tie(point.case_name, point.build, point.mode)) {
      curves.push_back({point.build, point.case_name, point.mode, {}});
      times.emplace_back();
    }
    Times& curve = times.back();
    if (curve.empty() || curve.back().k != point.k) curve.push_back({point.k, {}, 1});
    auto& here = curve.back().seconds;
    here.insert(here.end(), seconds[i].begin(), seconds[i].end());
  }
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const std::vector<double> middle = medians(times[c]);
    const std::vector<double> cost = normalised_cost(curves[c].mode, times[c], middle);
    const double k0 = times[c].front().k;
    for (std::size_t i = 0; i < middle.size(); ++i) {
      const int k = times[c][i].k;
      curves[c].points.push_back({k, static_cast<int>(times[c][i].seconds.size()), middle[i],
                                  k / k0 / cost[i], 1 / cost[i]});
    }
  }
  return curves;
}

std::string import_text(const ImportAnswer& answer, int width) {
  std::string text;
  if (answer.created) {
    text = "study " + answer.study + ": " + counted(answer.runs, "run") + " from " + answer.file +
           (answer.before.empty() ? "" : ", which has changed since " + answer.before) + "\n";
  } else {
    text = answer.file + " is study " + answer.study +
           " already; nothing was written. Import it again with --new.\n";
  }
  for (const ImportedCurve& curve : answer.curves) {
    text += "\n" + table_of(curve, answer.relative);
  }
  text += "\n";
  for (const Caveat& caveat : answer.caveats) {
    text += "note: " + wrap(caveat.message, width, 6).substr(6);
  }
  return plain_lines(text + "report: kneepoint report " + answer.study + "\n");
}

std::string import_json(const ImportAnswer& answer) {
  JsonWriter json;
  json.begin_object().put("study", answer.study).put("created", answer.created);
  json.put("file", answer.file).put("sha256", answer.sha256).put("runs", answer.runs);
  json.put("time_unit", answer.relative ? "baseline" : "s").put("curves", answer.curves);
  put_caveats(json, answer.caveats);
  return json.end_object().text();
}

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/import_text.h"

#include <cstdio>
#include <map>
#include <tuple>

#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/curve_words.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr std::size_t kMostPoints = 100;  // that people want to read

std::string name_of(const ImportedCurve& curve) {
  return curve_name(curve.build, curve.case_name, curve.mode);
}

std::string table_of(const ImportedCurve& curve, bool relative) {
  const int k0 = curve.points.front().k;
  std::vector<std::vector<std::string>> rows;
  for (const ImportedPoint& point : curve.points) {
    if (rows.size() == kMostPoints) break;
    rows.push_back({std::to_string(point.k), std::to_string(point.runs),
                    number_text(point.seconds, 4), fixed_text(point.speedup, 2),
                    fixed_text(point.efficiency, 3)});
  }
  const std::size_t more = curve.points.size() - rows.size();
  return name_of(curve) + (k0 > 1 ? " (relative to K=" + std::to_string(k0) + ")" : "") + "\n" +
         to_table({{"K", Align::right},
                   {"RUNS", Align::right},
                   {relative ? "T (relative)" : "T (s)", Align::right},
                   {"S", Align::right},
                   {"E", Align::right}},
                  rows, 2) +
         (more > 0 ? "  and " + std::to_string(more) + " more K\n" : "");
}

}  // namespace

std::vector<ImportedCurve> imported_curves(const Table& table) {
  std::vector<std::vector<double>> seconds(table.points.size());
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    seconds[i].reserve(static_cast<std::size_t>(table.points[i].runs));
  }
  for (const TableRun& run : table.runs) seconds[run.point].push_back(run.seconds);
  std::vector<ImportedCurve> curves;
  std::vector<Times> times;
  std::map<std::tuple<std::string, std::string, Mode>, std::size_t> place;
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    const TablePoint& point = table.points[i];
    const auto [at, fresh] =
        place.try_emplace({point.case_name, point.build, point.mode}, curves.size());
    if (fresh) {
      curves.push_back({point.build, point.case_name, point.mode, {}});
      times.emplace_back();
    }
    Times& curve = times[at->second];
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
  json.begin_object();
  json.key("study").value(answer.study);
  json.key("created").value(answer.created);
  json.key("file").value(answer.file);
  json.key("sha256").value(answer.sha256);
  json.key("runs").value(static_cast<std::int64_t>(answer.runs));
  json.key("time_unit").value(answer.relative ? "baseline" : "s");
  json.key("curves").begin_array();
  for (const ImportedCurve& curve : answer.curves) {
    json.begin_object();
    json.key("build").value(curve.build);
    json.key("case").value(curve.case_name);
    json.key("mode").value(to_string(curve.mode));
    json.key("points").begin_array();
    for (const ImportedPoint& point : curve.points) {
      json.begin_object();
      json.key("k").value(point.k);
      json.key("runs").value(point.runs);
      json.key("time").value(point.seconds);
      json.key("speedup").value(point.speedup);
      json.key("efficiency").value(point.efficiency);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
  put_caveats(json, answer.caveats);
  return json.end_object().text();
}

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
//
// What an import is as a study, and what its report must say of it.
#include "orchestrator/plan/tables/reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "orchestrator/base/hash.h"
#include "orchestrator/base/text.h"
#include "orchestrator/plan/plan/parts.h"

namespace kneepoint {
namespace {

constexpr double kSameSize = 0.01;  // relative: 1000 GPUs rarely divide a batch exactly
constexpr std::size_t kLongestStudyName = 40;

using CurveKey = std::tuple<std::string, std::string, Mode>;
using Curves = std::map<CurveKey, std::vector<const TablePoint*>>;

Curves curves_of(const Table& table) {
  Curves curves;
  for (const TablePoint& point : table.points) {
    curves[{point.case_name, point.build, point.mode}].push_back(&point);
  }
  return curves;
}

// The size that the mode holds fixed, if the table has one and it does hold.
std::optional<double> size_held(const std::vector<const TablePoint*>& points) {
  std::optional<double> held;
  for (const TablePoint* point : points) {
    if (!point->size) return std::nullopt;
    const double size = point->mode == Mode::weak ? *point->size / point->k : *point->size;
    if (held && std::abs(size / *held - 1) > kSameSize) return std::nullopt;
    if (!held) held = size;
  }
  return held;
}

std::string held_fixed(Mode mode, const std::optional<double>& held) {
  if (held)
    return (mode == Mode::weak ? "a size per worker of " : "a total size of ") +
           format_number("%.6g", *held);
  return mode == Mode::weak ? "the problem per worker, as the table says"
                            : "the total problem, as the table says";
}

Shape shape_of(const TablePoint& point, WorkerUnit worker, int workers_per_node) {
  Shape shape;
  const int per_node = worker == WorkerUnit::node ? 1 : workers_per_node;
  shape.nodes = point.nodes > 0 ? point.nodes : (point.k + per_node - 1) / per_node;
  shape.ranks = point.k;
  shape.ranks_per_node = (point.k + shape.nodes - 1) / shape.nodes;
  shape.gpus_per_node = worker == WorkerUnit::gpu ? per_node : 0;
  shape.bind = Bind::none;
  return shape;
}

std::string series_text(const Table& table, const Curves& curves) {
  std::string text = std::string("import 1\nworker ") + to_string(table.worker) + "\nvalue " +
                     to_string(table.value) + "\n";
  for (const auto& [key, points] : curves) {
    text += "curve " + std::get<0>(key) + "\t" + std::get<1>(key) + "\t" +
            to_string(std::get<2>(key)) + "\n";
  }
  return text;
}

std::string import_text(const Table& table, const TableOptions& options,
                        const TableOrigin& origin) {
  return std::string("# The runs of this study come from a table, not from a plan.\nimport:\n") +
         "  sha256: " + origin.sha256 + "\n  mode: " + to_string(options.mode) + "\n  case: '" +
         options.case_name +
         "'\n  unit: " + (options.time_unit ? options.time_unit_word : std::string("s")) +
         "\n  decimal: " + (options.decimal ? to_string(*options.decimal) : "auto") +
         "\n  worker: " + to_string(table.worker) +
         "\n  workers_per_node: " + std::to_string(origin.workers_per_node) + "\n";
}

std::string relative_words(const Table& table) {
  int least = 0;
  bool repeats = false;
  for (const TablePoint& point : table.points) {
    least = least == 0 ? point.k : std::min(least, point.k);
    repeats = repeats || point.runs > 1;
  }
  std::string text = table.value == ColumnKind::speedup ? "speedups" : "efficiencies";
  text = "The table holds " + text +
         " only: T is in units of the baseline's time, not in seconds, so the seconds shown "
         "mean nothing by themselves" +
         (repeats ? "." : ", and without repeats there are no intervals.");
  if (least == 1) return text;
  return text + " Its smallest K is " + std::to_string(least) +
         ": all is relative to that, not to one worker.";
}

std::vector<Caveat> caveats_of(const Table& table, const Curves& curves,
                               const TableOrigin& origin) {
  std::vector<Caveat> out;
  const auto add = [&](std::string code, std::string message) {
    out.push_back({std::move(code), std::move(message)});
  };
  add("imported", "The times come from " + origin.file + " (sha256 " + origin.sha256.substr(0, 12) +
                      "); kneepoint did not measure them.");
  if (table.value == ColumnKind::throughput) {
    add("throughput_only",
        "The table holds throughput, not times: T is the time of one result (weak: of K results) "
        "by that rate, averaged over a run nobody described.");
  } else if (table.value != ColumnKind::time) {
    add(to_string(table.value) + std::string("_only"), relative_words(table));
  }
  if (table.units.size() > 1) {
    add("units_mixed", "The table has times in several units (" + comma_separated(table.units) +
                           "); all were turned into seconds.");
  }
  if (table.unit_assumed) {
    add("unit_assumed", "The table names no unit of time; its times were taken as seconds.");
  }
  for (const auto& [key, points] : curves) {
    const std::string mode = to_string(std::get<Mode>(key));
    const std::string name = std::get<0>(key) + " " + mode;
    const int k = points.front()->k;  // points are by K
    if (points.back()->k == k) {
      add("one_k", name + " has one K only (K=" + std::to_string(k) +
                       "): nothing can be said of its scaling.");
    }
    if (points.front()->size && !size_held(points)) {
      add("size_varies", name + ": the sizes in the table differ" +
                             (std::get<Mode>(key) == Mode::weak ? " per worker" : "") +
                             " from K to K, so this is not " + mode + " scaling of one problem.");
    }
  }
  if (!table.unused.empty()) {
    add("columns_unused", "Columns of " + origin.file +
                              " that were not used: " + comma_separated(table.unused) + ".");
  }
  return out;
}

}  // namespace

bool is_study_name(std::string_view text) {
  return !text.empty() && text.size() <= 40 && text.front() != '-' && is_made_of(text, "-") &&
         ascii_lower(text) == text;
}

std::string study_name_of(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  file = file.substr(0, file.rfind('.'));
  std::string name;
  for (const char c : ascii_lower(file)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name.resize(std::min(name.size(), kLongestStudyName));
  while (name.ends_with('-')) name.pop_back();
  return name;
}

TableStudy make_table_study(const Table& table, const TableOptions& options,
                            const TableOrigin& origin) {
  const Curves curves = curves_of(table);
  TableStudy out;
  out.caveats = caveats_of(table, curves, origin);
  out.site.name = origin.file;
  out.site.backend = BackendKind::imported;
  Plan& plan = out.study.plan;
  plan.study = origin.study;
  plan.worker = table.worker;
  plan.knee = origin.knee;
  plan.path = origin.path;
  plan.text = import_text(table, options, origin);
  out.study.hash8 = sha256_hex(series_text(table, curves)).substr(0, 8);
  std::map<CurveKey, std::string> held;
  for (const auto& [key, points] : curves) {
    held[key] = held_fixed(std::get<Mode>(key), size_held(points));
  }
  for (const TablePoint& from : table.points) {
    Point& point = out.study.points.emplace_back();
    point.build = from.build;
    point.workload = point.case_name = from.case_name;
    point.mode = from.mode;
    point.k = from.k;
    point.shape = shape_of(from, table.worker, origin.workers_per_node);
    point.size = from.size.value_or(0);
    point.has_size = from.size.has_value();
    point.results = from.results.value_or(1);
    point.held_fixed = held[{from.case_name, from.build, from.mode}];
    point.mpi = false;
  }
  return out;
}

}  // namespace kneepoint

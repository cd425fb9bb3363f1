// SPDX-License-Identifier: Apache-2.0
//
// All times of one table share a unit, so that a column can be read downwards. An interval's header
// is the level it has; where points differ in it, the levels stand below the table.
#include "orchestrator/report/tables/detail_tables.h"

#include <algorithm>
#include <map>

#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

TimeUnit unit_for(const Curve& curve) {
  double shortest = 0;
  for (const PointSummary& p : curve.points) {
    if (p.valid > 0 && (shortest == 0 || p.seconds < shortest)) shortest = p.seconds;
  }
  return time_unit(shortest);
}

using Pick = const std::optional<Interval>& (*)(const PointSummary&);

const std::optional<Interval>& time_interval(const PointSummary& p) {
  return p.seconds_interval;
}
const std::optional<Interval>& efficiency_interval(const PointSummary& p) {
  return p.efficiency_interval;
}

// Level and method of each interval -> the K that have it, in order of first K.
std::vector<std::pair<std::string, std::string>> levels(const Curve& curve, Pick pick) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const PointSummary& p : curve.points) {
    const auto& interval = pick(p);
    if (!interval) continue;
    const std::string what = level_text(interval->level) + " (" + interval->method + ")";
    const auto it = std::find_if(found.begin(), found.end(),
                                 [&](const auto& entry) { return entry.first == what; });
    if (it == found.end()) {
      found.emplace_back(what, std::to_string(p.point.k));
    } else {
      it->second += ", " + std::to_string(p.point.k);
    }
  }
  return found;
}

std::string interval_header(const Curve& curve, Pick pick) {
  const auto found = levels(curve, pick);
  if (found.size() != 1) return "[interval]";
  return "[" + found[0].first.substr(0, found[0].first.find(' ')) + "]";
}

// "intervals of T: 93.75% (order statistics); of E: 96.8% (Hodges-Lehmann)".
std::string interval_words(const Curve& curve) {
  std::vector<std::string> parts;
  for (const auto& [name, pick] :
       {std::pair<const char*, Pick>{"of T", time_interval}, {"of E", efficiency_interval}}) {
    const auto found = levels(curve, pick);
    if (found.empty()) continue;
    std::vector<std::string> words;
    for (const auto& [what, ks] : found) {
      words.push_back(found.size() == 1 ? what : what + " at K=" + ks);
    }
    parts.push_back(std::string(name) + " " + joined(words, ", "));
  }
  return parts.empty() ? "" : "intervals " + joined(parts, "; ");
}

// "E >= 0.80, 0.50 at every K measured": floors with the same answer are told once.
std::string line_words(const std::vector<KneeAnswer>& lines) {
  std::vector<std::pair<std::string, std::string>> told;  // words -> floors
  for (const KneeAnswer& line : lines) {
    std::string words = " up to K=" + std::to_string(line.k_measured.value_or(0)) +
                        " (crosses at about K=" + significant_text(line.k.value_or(0), 3) + ")";
    if (line.place == KneePlace::beyond) words = " at every K measured";
    if (line.place == KneePlace::below) words = " at no K above the baseline";
    const auto it = std::find_if(told.begin(), told.end(),
                                 [&](const auto& entry) { return entry.first == words; });
    if (it == told.end()) {
      told.emplace_back(words, fixed_text(line.floor, 2));
    } else {
      it->second += ", " + fixed_text(line.floor, 2);
    }
  }
  std::vector<std::string> parts;
  for (const auto& [words, floors] : told) parts.push_back("E >= " + floors + words);
  return joined(parts, "; ");
}

std::vector<Column> columns_of(const Curve& curve, const TimeUnit& unit, bool sizes, bool by_work) {
  const std::string relative = curve.k0 == 1 ? "" : " relative\nto K0=" + std::to_string(curve.k0);
  std::vector<Column> columns = {{"K", Align::right},
                                 {"nodes", Align::right, false, true},
                                 {"ranks", Align::right, false, true}};
  if (sizes) columns.push_back({"size", Align::right, false, true});
  columns.push_back({std::string("T, ") + unit.name, Align::right});
  columns.push_back({interval_header(curve, time_interval), Align::left, true});
  columns.push_back({curve.mode == Mode::weak ? "scaled\nspeedup" : "speedup", Align::right});
  if (curve.k0 != 1) columns.back().title = "S" + relative;
  columns.push_back({by_work ? "E by\nwork" : "E" + relative, Align::right});
  columns.push_back({interval_header(curve, efficiency_interval), Align::left, true});
  if (by_work) {
    columns.push_back({"E by\ntime", Align::right});
    columns.push_back({interval_header(curve, efficiency_interval), Align::left, true});
  }
  return columns;
}

std::vector<std::string> row_of(const PointSummary& p, const TimeUnit& unit, bool sizes,
                                bool by_work) {
  const Shape& shape = p.point.shape;
  std::vector<std::string> row = {std::to_string(p.point.k), std::to_string(shape.nodes),
                                  std::to_string(shape.ranks)};
  if (sizes) row.push_back(p.point.has_size ? count_text(p.point.size) : "-");
  const bool data = p.valid > 0;
  const double scaled = p.seconds * unit.per_second;
  const int decimals = decimals_for(scaled, 4);
  row.push_back(data ? fixed_text(scaled, decimals) : "-");
  row.push_back(data ? bounds_text(p.seconds_interval, unit.per_second, decimals) : "");
  row.push_back(data ? fixed_text(p.speedup, 2) : "-");
  row.push_back(data ? efficiency_text(p.efficiency) : "-");
  const auto bounds = [&](const std::optional<Interval>& interval) {
    return !data ? "" : p.baseline ? "baseline" : bounds_text(interval, 1, 3);
  };
  row.push_back(bounds(p.efficiency_interval));
  if (by_work) {
    row.push_back(data ? efficiency_text(p.efficiency_plain) : "-");
    row.push_back(bounds(p.efficiency_plain_interval));
  }
  return row;
}

}  // namespace

CurveTable make_curve_table(const Curve& curve, const KneeAnswer& knee) {
  CurveTable table;
  // What all points are is said once, in the title.
  const bool all_emulated = std::all_of(curve.points.begin(), curve.points.end(),
                                        [](const PointSummary& p) { return p.point.emulated; });
  table.title = plain(curve.case_name) + ", " + to_string(curve.mode) +
                (all_emulated ? ", emulated" : "") +
                (curve.stand_in ? ", CPU stand-in, no GPU" : "") + " (" +
                (curve.build == "default" ? "" : "build " + plain(curve.build) + ", ") +
                plain(curve.shape_name) +
                (curve.provenance.empty() ? "" : ", " + plain(curve.provenance)) + ")";
  table.held_fixed =
      "held fixed: " + (curve.held_fixed.empty()
                            ? std::string(curve.mode == Mode::strong ? "the total problem"
                                                                     : "the problem per worker")
                            : plain(curve.held_fixed));
  if (const PointSummary* base = curve.baseline()) {
    table.held_fixed += "; T(K0=" + std::to_string(curve.k0) + ") = " + seconds_text(base->seconds);
  }
  for (const std::string& finding : curve.findings) table.findings.push_back(plain(finding));

  const TimeUnit unit = unit_for(curve);
  bool sizes = false, by_work = false;
  for (const PointSummary& p : curve.points) {
    sizes = sizes || p.point.has_size;
    by_work = by_work || p.is_by_work();
  }
  table.columns = columns_of(curve, unit, sizes, by_work);
  for (const PointSummary& p : curve.points) {
    table.rows.push_back(row_of(p, unit, sizes, by_work));
    std::vector<std::string> flags = p.flags;
    if (all_emulated) std::erase(flags, kEmulatedFlag);
    table.flags.push_back(plain(joined(flags, "; ")));
    table.efficiency.push_back(p.valid > 0 ? p.efficiency : 0);
  }

  if (knee.place != KneePlace::none) {
    std::vector<KneeAnswer> lines = {knee};
    for (const KneeAnswer& line : curve.lines) {
      if (line.floor != knee.floor) lines.push_back(line);
    }
    table.below.push_back(line_words(lines));
  }
  if (const std::string words = interval_words(curve); !words.empty()) {
    table.below.push_back(words);
  }
  return table;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// All times of one table share a unit, so that a column can be read downwards. An interval's header
// is the level it has; where points differ in it, the levels stand below the table.
#include <fmt/core.h>

#include <algorithm>

#include "orchestrator/report/tables/detail_tables.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

// What is said of several -> which these are, "a, b", in order of the first.
using Grouped = std::vector<std::pair<std::string, std::string>>;

void add_to(Grouped& groups, const std::string& what, const std::string& which) {
  const auto it = std::find_if(groups.begin(), groups.end(),
                               [&](const auto& group) { return group.first == what; });
  it == groups.end() ? void(groups.emplace_back(what, which)) : void(it->second += ", " + which);
}

using IntervalOf = std::optional<Interval> PointSummary::*;

// Level and method of each interval -> the K that have it.
Grouped levels(const Curve& curve, IntervalOf interval) {
  Grouped found;
  for (const PointSummary& p : curve.points) {
    if (!(p.*interval)) continue;
    const auto& [low, high, level, method] = *(p.*interval);
    add_to(found, level_text(level) + " (" + method + ")", std::to_string(p.point.k));
  }
  return found;
}

std::string interval_header(const Curve& curve, IntervalOf interval) {
  const Grouped found = levels(curve, interval);
  if (found.size() != 1) return "[interval]";
  return "[" + found[0].first.substr(0, found[0].first.find(' ')) + "]";
}

// "intervals of T: 93.75% (order statistics); of E: 96.8% (Hodges-Lehmann)".
std::string interval_words(const Curve& curve) {
  std::vector<std::string> parts;
  for (const auto& [name, interval] :
       {std::pair<const char*, IntervalOf>{"of T", &PointSummary::seconds_interval},
        {"of E", &PointSummary::efficiency_interval}}) {
    const Grouped found = levels(curve, interval);
    std::vector<std::string> words;
    for (const auto& [what, ks] : found) {
      words.push_back(found.size() == 1 ? what : what + " at K=" + ks);
    }
    if (!words.empty()) parts.push_back(fmt::format("{} {}", name, joined(words, ", ")));
  }
  return parts.empty() ? "" : "intervals " + joined(parts, "; ");
}

// "E >= 0.80, 0.50 at every K measured": floors with the same answer are named together.
std::string line_words(const std::vector<KneeAnswer>& lines) {
  Grouped answers;
  for (const KneeAnswer& line : lines) {
    std::string words =
        fmt::format(" up to K={} (crosses at about K={})", line.k_measured.value_or(0),
                    significant_text(line.k.value_or(0), 3));
    if (line.place == KneePlace::beyond) words = " at every K measured";
    if (line.place == KneePlace::below) words = " at no K above the baseline";
    add_to(answers, words, fixed_text(line.floor, 2));
  }
  std::vector<std::string> parts;
  for (const auto& [words, floors] : answers) parts.push_back("E >= " + floors + words);
  return joined(parts, "; ");
}

std::vector<ColumnOf<PointSummary>> columns_of(const Curve& curve) {
  using P = PointSummary;
  const auto any = [&](auto has) {
    return std::any_of(curve.points.begin(), curve.points.end(), has);
  };
  std::vector<double> times;
  for (const P& p : curve.points) times.push_back(p.valid > 0 ? p.seconds : 0);
  const TimeUnit unit = unit_of_least(times);
  const auto decimals = [unit](const P& p) { return decimals_for(p.seconds * unit.per_second, 4); };
  // Of a point without a valid run only the shape is known.
  const auto number = [](auto text) {
    return [text](const P& p) { return p.valid > 0 ? text(p) : std::string("-"); };
  };
  const auto bounds = [&curve](IntervalOf interval) {
    const auto cell = [interval](const P& p) -> std::string {
      if (p.valid == 0) return "";
      return p.baseline ? "baseline" : bounds_text(p.*interval, 1, 3);
    };
    return ColumnOf<P>{interval_header(curve, &P::efficiency_interval), cell, Align::left, true};
  };
  const std::string relative = curve.k0 == 1 ? "" : fmt::format(" relative\nto K0={}", curve.k0);
  const bool by_work = any([](const P& p) { return p.is_by_work(); });

  std::vector<ColumnOf<P>> columns = {
      {"K", [](auto& p) { return std::to_string(p.point.k); }},
      {"nodes", [](auto& p) { return std::to_string(p.point.shape.nodes); }, Align::right, false,
       true},
      {"ranks", [](auto& p) { return std::to_string(p.point.shape.ranks); }, Align::right, false,
       true},
      {"size", [](auto& p) { return p.point.has_size ? count_text(p.point.size) : "-"; },
       Align::right, false, true},
      {std::string("T, ") + unit.name,
       number([=](const P& p) { return fixed_text(p.seconds * unit.per_second, decimals(p)); })},
      {interval_header(curve, &P::seconds_interval),
       [=](const P& p) {
         return p.valid > 0 ? bounds_text(p.seconds_interval, unit.per_second, decimals(p)) : "";
       },
       Align::left, true},
      {curve.k0 != 1              ? "S" + relative
       : curve.mode == Mode::weak ? "scaled\nspeedup"
                                  : "speedup",
       number([](const P& p) { return fixed_text(p.speedup, 2); })},
      {by_work ? "E by\nwork" : "E" + relative,
       number([](const P& p) { return efficiency_text(p.efficiency); })},
      bounds(&P::efficiency_interval),
  };
  if (!any([](const P& p) { return p.point.has_size; })) columns.erase(columns.begin() + 3);
  if (by_work) {
    columns.push_back(
        {"E by\ntime", number([](const P& p) { return efficiency_text(p.efficiency_plain); })});
    columns.push_back(bounds(&P::efficiency_plain_interval));
  }
  return columns;
}

}  // namespace

CurveTable make_curve_table(const Curve& curve, const KneeAnswer& knee) {
  CurveTable table{table_of(columns_of(curve), curve.points), {}, {}, {}, {}};
  // What all points are is said once, in the title.
  const bool all_emulated = std::all_of(curve.points.begin(), curve.points.end(),
                                        [](const PointSummary& p) { return p.point.emulated; });
  table.title = fmt::format(
      "{}, {}{}{} ({}{}{})", plain(curve.case_name), to_string(curve.mode),
      all_emulated ? ", emulated" : "", curve.stand_in ? ", CPU stand-in, no GPU" : "",
      is_default_build(curve.build) ? "" : "build " + plain(curve.build) + ", ",
      plain(curve.shape_name), curve.provenance.empty() ? "" : ", " + plain(curve.provenance));
  const char* usual = curve.mode == Mode::strong ? "the total problem" : "the problem per worker";
  table.held_fixed = "held fixed: " + (curve.held_fixed.empty() ? usual : plain(curve.held_fixed));
  if (const PointSummary* base = curve.baseline()) {
    table.held_fixed += fmt::format("; T(K0={}) = {}", curve.k0, seconds_text(base->seconds));
  }
  for (const std::string& finding : curve.findings) table.findings.push_back(plain(finding));
  for (const PointSummary& p : curve.points) {
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
    table.lines.push_back(line_words(lines));
  }
  if (const std::string words = interval_words(curve); !words.empty()) {
    table.lines.push_back(words);
  }
  return table;
}

}  // namespace kneepoint

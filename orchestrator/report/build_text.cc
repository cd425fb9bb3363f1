// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/build_text.h"

#include <algorithm>
#include <limits>

#include "orchestrator/report/terminal/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

std::string name_of(const BuildCurve& curve) {
  return curve.case_name + " " + to_string(curve.mode);
}

std::string mark_of(const BuildTest& test) {
  return test.slower ? "slower" : test.faster ? "faster" : "";
}

std::string moved_text(const BuildTest& test) {
  if (!test.moved || (!test.slower && !test.faster)) return "";
  return test.moved->name + ", " + percent_text(std::min(1.0, test.moved->share)) + " of it";
}

std::string detectable_text(const BuildTest& test) {
  return test.detectable ? percent_text(*test.detectable) : "-";
}

std::string ratio_with_bounds(const BuildTest& test) {
  if (!test.ratio) return "-";
  return fixed_text(*test.ratio, 3) + " " + bounds_text(test.interval, 1, 3);
}

DetailTable table_of(const BuildComparison& builds, const BuildCurve& curve) {
  DetailTable table;
  table.title =
      "Builds: " + name_of(curve) + ", " + builds.candidate + " against " + builds.reference;
  double shortest = std::numeric_limits<double>::infinity();
  for (const BuildPoint& point : curve.points) {
    for (const BuildSide* side : {&point.reference, &point.candidate}) {
      if (side->seconds > 0) shortest = std::min(shortest, side->seconds);
    }
  }
  const TimeUnit unit = time_unit(shortest);
  const auto time = [&](const BuildSide& side) {
    return side.seconds > 0 ? significant_text(side.seconds * unit.per_second, 4) : "-";
  };
  table.columns = {{"K", Align::right},
                   {"T " + builds.reference + ",\n" + unit.name, Align::right},
                   {"T " + builds.candidate + ",\n" + unit.name, Align::right},
                   {builds.candidate + " /\n" + builds.reference, Align::right},
                   {"[95%]", Align::left, true},
                   {"pairs", Align::right},
                   {"could\nsee", Align::right},
                   {""},
                   {"what moved"}};
  const auto row = [](const std::string& k, const std::string& a, const std::string& b,
                      const BuildTest& test) {
    return std::vector<std::string>{k,
                                    a,
                                    b,
                                    test.ratio ? fixed_text(*test.ratio, 3) : "-",
                                    test.ratio ? bounds_text(test.interval, 1, 3) : "",
                                    std::to_string(test.pairs),
                                    detectable_text(test),
                                    mark_of(test),
                                    moved_text(test)};
  };
  for (const BuildPoint& point : curve.points) {
    table.rows.push_back(
        row(std::to_string(point.k), time(point.reference), time(point.candidate), point));
  }
  if (curve.points.size() > 1) table.rows.push_back(row("all", "", "", curve));
  return table;
}

// What the verdict rests on: curves before points, the surest first.
const BuildTest* decisive(const BuildComparison& builds, std::string& name) {
  const BuildTest* best = nullptr;
  const bool slower = builds.verdict == Verdict::regressed;
  const bool decided = slower || builds.verdict == Verdict::improved;
  const auto consider = [&](const BuildTest& test, const std::string& words) {
    if (decided && !(slower ? test.slower : test.faster)) return;
    if (best != nullptr && (!decided || (slower ? test.p_slower >= best->p_slower
                                                : test.p_faster >= best->p_faster))) {
      return;
    }
    best = &test;
    name = words;
  };
  for (const BuildCurve& curve : builds.curves) {
    consider(curve, name_of(curve) + " (" + std::to_string(curve.points.size()) + " K)");
  }
  if (best != nullptr) return best;
  for (const BuildCurve& curve : builds.curves) {
    for (const BuildPoint& point : curve.points) {
      consider(point, name_of(curve) + " K=" + std::to_string(point.k));
    }
  }
  return best;
}

}  // namespace

void add_build_tables(const BuildComparison& builds, std::vector<DetailTable>& tables) {
  for (const BuildCurve& curve : builds.curves) tables.push_back(table_of(builds, curve));
  if (tables.empty() || builds.curves.empty()) return;
  std::vector<std::string>& lines = tables.back().lines;
  lines.emplace_back(
      "Ratios are of T; below 1 the second build is faster. 'could see': a change that four of "
      "five such studies would show.");
  for (const std::string& note : builds.notes) lines.push_back(note + ".");
}

std::string build_verdict_line(const std::string& study, const BuildComparison& builds) {
  std::string name;
  const BuildTest* test = decisive(builds, name);
  std::string line = std::string(to_string(builds.verdict)) + "  " + study + ": " + builds.why;
  if (builds.verdict == Verdict::failed || test == nullptr) return plain(line);
  line += "; " + name + " " + ratio_with_bounds(*test);
  if (const std::string moved = moved_text(*test); !moved.empty()) line += ", " + moved;
  return plain(line);
}

std::string to_build_text(const std::string& study, const BuildComparison& builds, int width) {
  std::vector<DetailTable> tables;
  add_build_tables(builds, tables);
  std::string text;
  for (DetailTable& table : tables) {
    make_plain(table);
    text += drawn_detail(table, {.color = false, .width = width, .brief = false}) + "\n";
  }
  return text + build_verdict_line(study, builds) + "\n";
}

}  // namespace kneepoint

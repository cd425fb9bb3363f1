// SPDX-License-Identifier: Apache-2.0
//
// What is known of each point beside T and E: the step to it, where its time goes, its MPI calls,
// metrics and iterations, its place under the roofline, the audit of E > 1. A column without any
// value is left out.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "orchestrator/report/tables/detail_tables.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostOperations = 5;
constexpr double kLeastShare = 0.001;  // of the window; smaller ones are left to the JSON
constexpr std::size_t kMostMetrics = 12;
constexpr int kMetricDigits = 4;
constexpr double kSmall = 1e-3, kLarge = 1e6;  // metrics beyond them have an exponent

// A point with its detail.
struct Both {
  const PointSummary* summary;
  const PointDetail* detail;
  std::string k() const { return std::to_string(summary->point.k); }
};
using Columns = std::vector<ColumnOf<Both>>;
using Points = std::vector<Both>;

Points points_of(const CurveView& view) {
  Points points;
  const auto& details = view.analysis->points;
  for (std::size_t i = 0; i < details.size() && i < view.curve->points.size(); ++i) {
    points.push_back({&view.curve->points[i], &details[i]});
  }
  return points;
}

// `text` of a part of the detail, "-" where it is not there.
template <typename Part, typename Text>
auto of(std::optional<Part> PointDetail::*part, Text text) {
  return [part, text](const Both& p) { return or_dash(p.detail->*part, text); };
}

// Sentences stand without a table where no column has a value.
void add_if_any(TextTable table, std::vector<TextTable>& tables) {
  if (table.columns.size() < 2) {
    table.columns.clear();
    table.rows.clear();
  }
  if (!table.columns.empty() || !table.lines.empty()) tables.push_back(std::move(table));
}

std::string rate_text(const PointDetail& d) {
  return d.results_per_second > 0 ? significant_text(d.results_per_second, 3) : "-";
}

void add_steps(const Points& points, std::vector<TextTable>& tables) {
  // Throughput stands beside the iterations where there are any.
  const bool tail =
      std::any_of(points.begin(), points.end(), [](auto& p) { return p.detail->tail.has_value(); });
  const Columns columns = {
      {"K", &Both::k},
      {"E from the\nK before", of(&PointDetail::local_efficiency, fixed(3))},
      {"[interval]",
       [](auto& p) {
         const PointDetail& d = *p.detail;
         return d.local_efficiency ? bounds_text(d.local_efficiency_interval, 1, 3) : "";
       },
       Align::left, true},
      {"serial fraction\nby Karp-Flatt",
       [](auto& p) { return or_dash(p.summary->karp_flatt, fixed(4)); }},
      {"[interval]",
       [](auto& p) {
         const PointSummary& s = *p.summary;
         return s.karp_flatt ? bounds_text(s.karp_flatt_interval, 1, 4) : "";
       },
       Align::left, true},
      {"speedup by\nGustafson", of(&PointDetail::gustafson, fixed(2))},
      {"results\nper second", [tail](auto& p) { return tail ? "-" : rate_text(*p.detail); }}};
  TextTable table = table_of(columns, points, "Step by step");
  drop_empty(table);
  if (points.size() > 1 && table.columns.size() > 1) tables.push_back(std::move(table));
}

std::string loss_line(const LossShares& loss) {
  std::vector<std::string> parts;
  const std::array<double, 4> shares = loss.parts();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (std::abs(shares[i]) < 0.005) continue;
    parts.push_back(
        fmt::format("{} {:.0f}%", loss_name(static_cast<LossPart>(i)), shares[i] * 100));
  }
  return fmt::format("of the loss at K={} (by the {}): {}", loss.k, loss.basis,
                     joined(parts, ", "));
}

void add_breakdown(const CurveView& view, const Points& points, std::vector<TextTable>& tables) {
  const auto of_wall = [](double Breakdown::*seconds) {
    return of(&PointDetail::breakdown, [seconds](const Breakdown& b) {
      return fmt::format("{:.1f}%", b.*seconds / b.wall * 100);
    });
  };
  const auto ratio = [](auto part, auto number) {
    return of(part, [number](const auto& of_part) { return fixed_text(of_part.*number, 3); });
  };
  const Columns columns = {
      {"K", &Both::k},
      {"useful", of_wall(&Breakdown::useful_mean)},
      {"imbal-\nance", of_wall(&Breakdown::imbalance_seconds)},
      {"comm.", of_wall(&Breakdown::communication_seconds)},
      {"load\nbalance", ratio(&PointDetail::breakdown, &Breakdown::load_balance)},
      {"comm.\nefficiency", ratio(&PointDetail::breakdown, &Breakdown::communication_efficiency)},
      {"compute\nscaling", ratio(&PointDetail::accounting, &Accounting::computation_scaling)},
      {"E they\nimply", ratio(&PointDetail::accounting, &Accounting::implied_efficiency)},
      {"E by\ncomm_ratio", of(&PointDetail::comm_ratio_efficiency, fixed(3))}};
  TextTable table = table_of(columns, points, "Where the time goes");
  drop_empty(table);
  if (table.columns.size() > 1) {
    table.title += " (mean over ranks, of the run whose T is the median)";
  }
  if (view.analysis->loss) table.lines.push_back(loss_line(*view.analysis->loss));
  for (const Both& p : points) {
    const auto& accounting = p.detail->accounting;
    if (accounting && !accounting->consistent) {
      table.lines.push_back("K=" + p.k() + ": " + accounting->sentence);
    }
    for (const Straggler& slow : p.detail->stragglers) {
      table.lines.push_back("K=" + p.k() + ": " + slow.sentence);
    }
  }
  add_if_any(std::move(table), tables);
}

// ---- MPI calls: the largest few, as many as explain most of it

// The mean over ranks: whole where all made as many.
std::string calls_text(double calls) {
  return calls == std::floor(calls) ? count_text(calls) : significant_text(calls, 3);
}

// "point-to-point", as people write it.
std::string kind_text(std::string kind) {
  std::replace(kind.begin(), kind.end(), '_', '-');
  return kind;
}

void add_profile(const Points& points, std::vector<TextTable>& tables) {
  TextTable table;
  table.title = "MPI calls (of a rank; time as a share from MPI_Init to MPI_Finalize)";
  table.columns = {{"K", Align::right},
                   {"call"},
                   {"kind"},
                   {"calls", Align::right},
                   {"bytes sent", Align::right},
                   {"time", Align::right}};
  for (const Both& p : points) {
    if (!p.detail->profile) continue;
    std::size_t shown = 0;
    for (const OperationShare& one : p.detail->profile->operations) {
      if (shown > 0 && (shown >= kMostOperations || one.share < kLeastShare)) break;
      table.rows.push_back({shown == 0 ? p.k() : "", one.name, kind_text(one.kind),
                            calls_text(one.calls), bytes_text(one.bytes), percent_text(one.share)});
      ++shown;
    }
    if (shown == 0) table.rows.push_back({p.k(), "none", "", "-", "-", "-"});
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

// ---- The numbers by name that runs report besides T, metric by metric over K. Few enough to be
// read; those of which the plan says which way is better come first. JSON has all.

using Key = std::pair<std::string, std::string>;  // name, unit

// In the order in which they are shown.
std::vector<Key> keys_of(const Points& points) {
  std::set<Key> all, first;
  for (const Both& p : points) {
    for (const MetricSummary& m : p.detail->metrics) {
      if (all.emplace(m.name, m.unit).second && !m.better.empty()) first.emplace(m.name, m.unit);
    }
  }
  std::vector<Key> keys(first.begin(), first.end());
  std::set_difference(all.begin(), all.end(), first.begin(), first.end(), std::back_inserter(keys));
  return keys;
}

// A metric may be of any size.
std::string value_text(double value) {
  const double size = std::fabs(value);
  if (value == 0) return "0";
  if (size >= kSmall && size < kLarge) return significant_text(value, kMetricDigits);
  return fmt::format("{:.{}g}", value, kMetricDigits);
}

void add_metrics(const Points& points, std::vector<TextTable>& tables) {
  TextTable table;
  table.title = "Metrics (median over runs, with its interval)";
  table.columns = {{"metric"}, {"K", Align::right}, {"median"},
                   {"unit"},   {"better"},          {"runs", Align::right}};
  const std::vector<Key> keys = keys_of(points);
  for (std::size_t at = 0; at < std::min(keys.size(), kMostMetrics); ++at) {
    bool first = true;
    for (const Both& p : points) {
      for (const MetricSummary& m : p.detail->metrics) {
        if (Key(m.name, m.unit) != keys[at]) continue;
        std::string median = value_text(m.median);
        if (const auto& interval = m.interval) {
          median += " [" + value_text(interval->low) + ", " + value_text(interval->high) + "]";
        }
        table.rows.push_back({first ? m.name : "", p.k(), median, first ? m.unit : "",
                              first ? m.better : "", std::to_string(m.runs)});
        first = false;
      }
    }
  }
  if (keys.size() > kMostMetrics) {
    table.lines.push_back(
        fmt::format("and {} more metrics; the JSON report has all", keys.size() - kMostMetrics));
  }
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

// ---- iterations

void add_tail(const Points& points, std::vector<TextTable>& tables) {
  Points with_tail;
  std::vector<double> medians;
  std::vector<std::string> lines;
  for (const Both& p : points) {
    if (!p.detail->tail) continue;
    with_tail.push_back(p);
    medians.push_back(p.detail->tail->p50.value);
    // The largest K says it best.
    if (const auto& growth = p.detail->tail_growth)
      lines = {"K=" + p.k() + ": " + growth->sentence};
  }
  if (std::none_of(medians.begin(), medians.end(), [](double t) { return t > 0; })) return;
  const TimeUnit unit = unit_of_least(medians);
  const auto scaled = [unit](double s) { return significant_text(s * unit.per_second, 3); };
  Columns columns = {{"K", &Both::k},
                     {"results\nper second", [](auto& p) { return rate_text(*p.detail); }}};
  for (const auto& [name, quantile] : {std::pair{"p50", &TailSummary::p50},
                                       {"p95", &TailSummary::p95},
                                       {"p99", &TailSummary::p99}}) {
    const auto of_point = [quantile = quantile](const Both& p) {
      return (*p.detail->tail).*quantile;
    };
    columns.push_back({name, [=](auto& p) { return scaled(of_point(p).value); }});
    columns.push_back({"",
                       [=](auto& p) -> std::string {
                         const TailQuantile& q = of_point(p);
                         if (!q.low && !q.high) return "[-]";
                         return "[" + or_dash(q.low, scaled) + ", " + or_dash(q.high, scaled) + "]";
                       },
                       Align::left, true});
  }
  columns.push_back({"max", [=](auto& p) { return scaled(p.detail->tail->max); }});
  tables.push_back(table_of(columns, with_tail,
                            fmt::format("Iterations, in {} (of all valid runs; 95%)", unit.name)));
  tables.back().lines = lines;
}

// ---- roofline, work and depth

void add_roofline(const CurveView& view, const Points& points, std::vector<TextTable>& tables) {
  const auto gflops = [](double flops) { return significant_text(flops * 1e-9, 3); };
  const auto of_roof = [](auto text) { return of(&PointDetail::roofline, text); };
  const Columns columns = {
      {"K", &Both::k},
      {"Gflop/s", of(&PointDetail::flops_per_second, gflops)},
      {"of peak", of(&PointDetail::utilisation, percent_text)},
      {"attainable\nGflop/s",
       of_roof([gflops](const RooflinePoint& r) { return gflops(r.attainable); })},
      {"flops\nper byte",
       of_roof([](const RooflinePoint& r) { return significant_text(r.intensity, 2); })},
      {"limits\nmeet at",
       of_roof([](const RooflinePoint& r) { return significant_text(r.ridge, 2); })},
      {"bound",
       [](auto& p) {
         return std::string(p.detail->roofline ? to_string(p.detail->roofline->bound) : "");
       },
       Align::left}};
  TextTable table = table_of(columns, points, "Roofline");
  drop_empty(table);
  if (view.analysis->work_depth) {
    const WorkDepth& w = *view.analysis->work_depth;
    table.lines.push_back(fmt::format(
        "the decomposition keeps at most {} workers busy; at the largest K that allows a speedup "
        "of {} to {}",
        significant_text(w.parallelism, 3), significant_text(w.speedup_low, 3),
        significant_text(w.speedup_high, 3)));
  }
  add_if_any(std::move(table), tables);
}

// ---- audit

bool same_answers(const SuperlinearAudit& a, const SuperlinearAudit& b) {
  return std::equal(a.checks.begin(), a.checks.end(), b.checks.begin(), b.checks.end(),
                    [](const AuditCheck& x, const AuditCheck& y) { return x.answer == y.answer; });
}

void add_audits(const Points& points, std::vector<TextTable>& tables) {
  TextTable table;
  table.title = "Audit of E > 1";
  const SuperlinearAudit* before = nullptr;
  for (const Both& p : points) {
    const auto& audit = p.detail->audit;
    if (!audit || !audit->triggered) continue;
    table.lines.push_back("K=" + p.k() + ": " + audit->sentence);
    if (before != nullptr && same_answers(*before, *audit)) {
      table.lines.back() += "; the checks answer as above";
      continue;
    }
    before = &*audit;
    int number = 0;
    for (const AuditCheck& check : audit->checks) {
      table.lines.push_back(
          fmt::format("  {}. {} {}", ++number, check.question, to_string(check.answer)));
    }
    table.lines.push_back("  what would settle it: " + audit->settle);
  }
  if (!table.lines.empty()) tables.push_back(std::move(table));
}

}  // namespace

void add_point_tables(const CurveView& view, std::vector<TextTable>& tables) {
  const Points all = points_of(view);
  Points points = all;
  std::erase_if(points, [](const Both& p) { return p.summary->valid == 0; });
  add_steps(points, tables);
  add_breakdown(view, points, tables);
  add_profile(all, tables);
  add_metrics(all, tables);
  add_tail(points, tables);
  add_roofline(view, points, tables);
  add_audits(points, tables);
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// What is known of each point beside T and E: the step to it, where its time goes, its iterations,
// its place under the roofline, the audit of E > 1. A column without any value is left out.
#include <algorithm>
#include <array>
#include <cmath>

#include "orchestrator/report/tables/detail_tables.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

// A point with its detail.
struct Both {
  const PointSummary* summary;
  const PointDetail* detail;
  std::string k() const { return std::to_string(summary->point.k); }
};

std::vector<Both> points_of(const CurveView& view) {
  std::vector<Both> points;
  const auto& details = view.analysis->points;
  for (std::size_t i = 0; i < details.size() && i < view.curve->points.size(); ++i) {
    if (view.curve->points[i].valid > 0) points.push_back({&view.curve->points[i], &details[i]});
  }
  return points;
}

// Leaves out columns in which every cell is empty, "-" or "[-]".
void drop_empty(TextTable& table) {
  for (std::size_t c = table.columns.size(); c-- > 1;) {
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return row[c].empty() || row[c] == "-" || row[c] == "[-]";
    });
    if (!empty) continue;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

std::string number_or_dash(const std::optional<double>& value, int decimals) {
  return value ? fixed_text(*value, decimals) : "-";
}

std::string rate_text(const PointDetail& d) {
  return d.results_per_second > 0 ? significant_text(d.results_per_second, 3) : "-";
}

// ---- steps

void add_steps(const std::vector<Both>& points, std::vector<DetailTable>& tables) {
  // Throughput stands beside the iterations where there are any.
  const bool tail = std::any_of(points.begin(), points.end(),
                                [](const Both& p) { return p.detail->tail.has_value(); });
  DetailTable table;
  table.title = "Step by step";
  table.columns = {{"K", Align::right},
                   {"E from the\nK before", Align::right},
                   {"[interval]", Align::left, true},
                   {"serial fraction\nby Karp-Flatt", Align::right},
                   {"[interval]", Align::left, true},
                   {"speedup by\nGustafson", Align::right},
                   {"results\nper second", Align::right}};
  for (const Both& p : points) {
    const PointDetail& d = *p.detail;
    table.rows.push_back(
        {p.k(), number_or_dash(d.local_efficiency, 3),
         d.local_efficiency ? bounds_text(d.local_efficiency_interval, 1, 3) : "",
         number_or_dash(p.summary->karp_flatt, 4),
         p.summary->karp_flatt ? bounds_text(p.summary->karp_flatt_interval, 1, 4) : "",
         number_or_dash(d.gustafson, 2), tail ? "-" : rate_text(d)});
  }
  drop_empty(table);
  if (points.size() > 1 && table.columns.size() > 1) tables.push_back(std::move(table));
}

// ---- where the time goes

std::string loss_line(const LossShares& loss) {
  std::vector<std::string> parts;
  const std::array<double, 4> shares = loss.parts();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (std::abs(shares[i]) < 0.005) continue;
    parts.push_back(std::string(loss_name(static_cast<LossPart>(i))) + " " +
                    fixed_text(shares[i] * 100, 0) + "%");
  }
  return "of the loss at K=" + std::to_string(loss.k) + " (by the " + loss.basis +
         "): " + joined(parts, ", ");
}

void add_breakdown(const CurveView& view, const std::vector<Both>& points,
                   std::vector<DetailTable>& tables) {
  DetailTable table;
  table.title = "Where the time goes (mean over ranks, of the run whose T is the median)";
  table.columns = {{"K", Align::right},
                   {"useful", Align::right},
                   {"imbal-\nance", Align::right},
                   {"comm.", Align::right},
                   {"load\nbalance", Align::right},
                   {"comm.\nefficiency", Align::right},
                   {"compute\nscaling", Align::right},
                   {"E they\nimply", Align::right},
                   {"E by\ncomm_ratio", Align::right}};
  for (const Both& p : points) {
    const PointDetail& d = *p.detail;
    std::vector<std::string> row = {p.k()};
    if (d.breakdown) {
      const Breakdown& b = *d.breakdown;
      const auto of_wall = [&](double s) { return fixed_text(s / b.wall * 100, 1) + "%"; };
      row.insert(row.end(), {of_wall(b.useful_mean), of_wall(b.imbalance_seconds),
                             of_wall(b.communication_seconds), fixed_text(b.load_balance, 3),
                             fixed_text(b.communication_efficiency, 3)});
    } else {
      row.insert(row.end(), 5, "-");
    }
    row.push_back(d.accounting ? fixed_text(d.accounting->computation_scaling, 3) : "-");
    row.push_back(d.accounting ? fixed_text(d.accounting->implied_efficiency, 3) : "-");
    row.push_back(number_or_dash(d.comm_ratio_efficiency, 3));
    table.rows.push_back(std::move(row));
    if (d.accounting && !d.accounting->consistent) {
      table.lines.push_back("K=" + p.k() + ": " + d.accounting->sentence);
    }
    for (const Straggler& slow : d.stragglers) {
      table.lines.push_back("K=" + p.k() + ": " + slow.sentence);
    }
  }
  if (view.analysis->loss) table.lines.insert(table.lines.begin(), loss_line(*view.analysis->loss));
  drop_empty(table);
  if (table.columns.size() < 2) {
    table.columns.clear();
    table.rows.clear();
    table.title = "Where the time goes";
  }
  if (!table.columns.empty() || !table.lines.empty()) tables.push_back(std::move(table));
}

// ---- iterations

std::string quantile_bounds(const TailQuantile& q, const TimeUnit& unit) {
  if (!q.low && !q.high) return "[-]";
  const auto side = [&](const std::optional<double>& value) {
    return value ? significant_text(*value * unit.per_second, 3) : std::string("-");
  };
  return "[" + side(q.low) + ", " + side(q.high) + "]";
}

void add_tail(const std::vector<Both>& points, std::vector<DetailTable>& tables) {
  double shortest = 0;
  for (const Both& p : points) {
    if (!p.detail->tail) continue;
    const double t = p.detail->tail->p50.value;
    if (shortest == 0 || t < shortest) shortest = t;
  }
  if (shortest <= 0) return;
  const TimeUnit unit = time_unit(shortest);
  const auto scaled = [&](double s) { return significant_text(s * unit.per_second, 3); };
  DetailTable table;
  table.title = std::string("Iterations, in ") + unit.name + " (of all valid runs; 95%)";
  table.columns = {{"K", Align::right},   {"results\nper second", Align::right},
                   {"p50", Align::right}, {"", Align::left, true},
                   {"p95", Align::right}, {"", Align::left, true},
                   {"p99", Align::right}, {"", Align::left, true},
                   {"max", Align::right}};
  for (const Both& p : points) {
    if (!p.detail->tail) continue;
    const TailSummary& t = *p.detail->tail;
    table.rows.push_back({p.k(), rate_text(*p.detail), scaled(t.p50.value),
                          quantile_bounds(t.p50, unit), scaled(t.p95.value),
                          quantile_bounds(t.p95, unit), scaled(t.p99.value),
                          quantile_bounds(t.p99, unit), scaled(t.max)});
    if (p.detail->tail_growth) {  // the largest K says it best
      table.lines = {"K=" + p.k() + ": " + p.detail->tail_growth->sentence};
    }
  }
  tables.push_back(std::move(table));
}

// ---- roofline, work and depth

void add_roofline(const CurveView& view, const std::vector<Both>& points,
                  std::vector<DetailTable>& tables) {
  DetailTable table;
  table.title = "Roofline";
  table.columns = {{"K", Align::right},
                   {"Gflop/s", Align::right},
                   {"of peak", Align::right},
                   {"attainable\nGflop/s", Align::right},
                   {"flops\nper byte", Align::right},
                   {"limits\nmeet at", Align::right},
                   {"bound"}};
  for (const Both& p : points) {
    const PointDetail& d = *p.detail;
    std::vector<std::string> row = {
        p.k(), d.flops_per_second ? significant_text(*d.flops_per_second * 1e-9, 3) : "-",
        d.utilisation ? percent_text(*d.utilisation) : "-"};
    if (d.roofline) {
      const RooflinePoint& r = *d.roofline;
      row.insert(row.end(),
                 {significant_text(r.attainable * 1e-9, 3), significant_text(r.intensity, 2),
                  significant_text(r.ridge, 2), to_string(r.bound)});
    } else {
      row.insert(row.end(), {"-", "-", "-", ""});
    }
    table.rows.push_back(std::move(row));
  }
  drop_empty(table);
  if (table.columns.size() < 2) {
    table.columns.clear();
    table.rows.clear();
  }
  if (view.analysis->work_depth) {
    const WorkDepth& w = *view.analysis->work_depth;
    table.lines.push_back("the decomposition keeps at most " + significant_text(w.parallelism, 3) +
                          " workers busy; at the largest K that allows a speedup of " +
                          significant_text(w.speedup_low, 3) + " to " +
                          significant_text(w.speedup_high, 3));
  }
  if (!table.columns.empty() || !table.lines.empty()) tables.push_back(std::move(table));
}

// ---- audit

bool same_answers(const SuperlinearAudit& a, const SuperlinearAudit& b) {
  return std::equal(a.checks.begin(), a.checks.end(), b.checks.begin(), b.checks.end(),
                    [](const AuditCheck& x, const AuditCheck& y) { return x.answer == y.answer; });
}

void add_audits(const std::vector<Both>& points, std::vector<DetailTable>& tables) {
  DetailTable table;
  table.title = "Audit of E > 1";
  const SuperlinearAudit* told = nullptr;
  for (const Both& p : points) {
    const auto& audit = p.detail->audit;
    if (!audit || !audit->triggered) continue;
    table.lines.push_back("K=" + p.k() + ": " + audit->sentence);
    if (told != nullptr && same_answers(*told, *audit)) {
      table.lines.back() += "; the checks answer as above";
      continue;
    }
    told = &*audit;
    int number = 0;
    for (const AuditCheck& check : audit->checks) {
      table.lines.push_back("  " + std::to_string(++number) + ". " + check.question + " " +
                            to_string(check.answer));
    }
    table.lines.push_back("  what would settle it: " + audit->settle);
  }
  if (!table.lines.empty()) tables.push_back(std::move(table));
}

}  // namespace

void add_point_details(const CurveView& view, std::vector<DetailTable>& tables) {
  const std::vector<Both> points = points_of(view);
  add_steps(points, tables);
  add_breakdown(view, points, tables);
  add_profile_details(view, tables);
  add_metric_details(view, tables);
  add_tail(points, tables);
  add_roofline(view, points, tables);
  add_audits(points, tables);
}

}  // namespace kneepoint

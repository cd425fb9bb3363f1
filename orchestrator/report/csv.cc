// SPDX-License-Identifier: Apache-2.0
//
// One row per point, RFC 4180: a header, CRLF, quotes where needed. A number that does not exist is
// an empty field, a control character a question mark. The header is the same for every study;
// additions go to its end.
#include "orchestrator/base/json_text.h"
#include "orchestrator/report/answers.h"
#include "orchestrator/report/document.h"
#include "orchestrator/report/tables/detail_tables.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr const char* kHeader =
    "study,build,case,mode,shape,k,k0,nodes,ranks,ranks_per_node,threads_per_rank,gpus_per_node,"
    "bind,size,runs_valid,runs_failed,runs_pending,outliers,seconds,seconds_low,seconds_high,"
    "seconds_level,seconds_method,speedup_relative_to_k0,efficiency_relative_to_k0,efficiency_low,"
    "efficiency_high,efficiency_level,efficiency_method,efficiency_by_work,efficiency_by_work_low,"
    "efficiency_by_work_high,karp_flatt,karp_flatt_low,karp_flatt_high,work_total,work_unit,"
    "compute_share,communication_share,results,result_name,node_seconds_per_result,flags,"
    "provenance,local_efficiency,local_efficiency_low,local_efficiency_high,results_per_second,"
    "gustafson_speedup,load_balance,communication_efficiency,computation_scaling,comm_ratio,"
    "iterations,p50,p50_low,p50_high,p95,p95_low,p95_high,p99,p99_low,p99_high,max,"
    "flops_per_second,utilisation,bound,audit,model,model_seconds,serial_fraction,knee_rule,knee_k,"
    "knee_low,knee_high,knee_status,recommended_k,queue_wait_median,queue_wait_largest,"
    "currency,cost_per_result,cost_per_result_low,cost_per_result_high,cost_frontier,"
    "efficiency_basis,efficiency_plain,efficiency_plain_low,efficiency_plain_high";

class Row {
 public:
  Row& text(const std::string& given) {
    const std::string value = plain(given);
    if (!line_.empty() || !first_) line_ += ',';
    first_ = false;
    if (value.find_first_of(",\"\r\n") == std::string::npos) {
      line_ += value;
      return *this;
    }
    line_ += '"';
    for (const char c : value) line_ += c == '"' ? std::string("\"\"") : std::string(1, c);
    line_ += '"';
    return *this;
  }
  Row& number(double value) { return text(json_number(value)); }
  Row& number_if(bool exists, double value) { return exists ? number(value) : text(""); }
  Row& number(const std::optional<double>& value) {
    return number_if(value.has_value(), value.value_or(0));
  }
  // Of a part that may not be there.
  template <typename Part>
  Row& number(const std::optional<Part>& part, double Part::*member) {
    return number_if(part.has_value(), part ? (*part).*member : 0);
  }
  Row& whole(int value) { return text(std::to_string(value)); }
  Row& bounds(const std::optional<Interval>& interval) {
    return number(interval, &Interval::low).number(interval, &Interval::high);
  }
  Row& level(const std::optional<Interval>& interval) {
    return number(interval, &Interval::level).text(interval ? interval->method : "");
  }
  const std::string& line() const { return line_; }

 private:
  std::string line_;
  bool first_ = true;
};

void put_tail(Row& row, const std::optional<TailSummary>& tail) {
  row.text(tail ? std::to_string(tail->samples) : "");
  for (const auto q : {&TailSummary::p50, &TailSummary::p95, &TailSummary::p99}) {
    const TailQuantile quantile = tail ? (*tail).*q : TailQuantile{};
    row.number_if(tail.has_value(), quantile.value).number(quantile.low).number(quantile.high);
  }
  row.number(tail, &TailSummary::max);
}

// What the report adds beside T and E, at the point and of its curve.
void put_detail(Row& row, const CurveView& view, const PointSummary& p, const PointDetail& d) {
  row.text(view.curve->provenance).number(d.local_efficiency).bounds(d.local_efficiency_interval);
  row.number_if(d.results_per_second > 0, d.results_per_second).number(d.gustafson);
  row.number(d.breakdown, &Breakdown::load_balance);
  row.number(d.breakdown, &Breakdown::communication_efficiency);
  row.number(d.accounting, &Accounting::computation_scaling).number(d.comm_ratio);
  put_tail(row, d.tail);
  row.number(d.flops_per_second).number(d.utilisation);
  row.text(!d.roofline ? "" : to_string(d.roofline->bound));
  row.text(d.audit && d.audit->triggered ? to_text(d.audit->finding, d.audit->cause) : "");
  const auto& fits = view.analysis->models.fits;
  row.text(fits.empty() ? "" : fits.front().name);
  row.number_if(!fits.empty(), fits.empty() ? 0 : fits.front().coefficients.at(p.point.k));
  row.number(fits.empty() ? std::nullopt : fits.front().serial_fraction);
  const Knee* knee = decisive_knee(view);
  row.text(to_string(view.to_use->rule)).number(knee ? knee->k : std::nullopt);
  row.number(knee ? knee->low : std::nullopt).number(knee ? knee->high : std::nullopt);
  row.text(knee ? to_string(knee->place) : "");
  row.text(view.to_use->k ? std::to_string(*view.to_use->k) : "");
}

// Of all runs at this K on so many nodes.
void put_waits(Row& row, const std::optional<QueueUse>& queue, const Point& point) {
  std::optional<QueueWait> found;
  for (const QueueWait& wait : queue ? queue->waits : std::vector<QueueWait>()) {
    if (wait.k == point.k && wait.nodes == point.shape.nodes) found = wait;
  }
  row.number(found, &QueueWait::median_seconds).number(found, &QueueWait::largest_seconds);
}

void put_cost(Row& row, const CostCurve* costs, int k) {
  const CostPoint* found = nullptr;
  for (std::size_t i = 0; costs != nullptr && i < costs->points.size(); ++i) {
    if (costs->points[i].k == k) found = &costs->points[i];
  }
  row.text(found ? found->per_result.currency : "");
  row.text(found ? micros_text(found->per_result.micros) : "");
  row.bounds(found ? found->per_result_interval : std::nullopt);
  row.text(!found ? "" : found->on_frontier ? "yes" : "no");
}

std::string row_of(const Document& document, const CurveView& view, std::size_t i) {
  const StudyEvidence& study = document.study;
  const Curve& curve = *view.curve;
  const PointSummary& p = curve.points[i];
  const bool data = p.valid > 0;
  const Shape& shape = p.point.shape;
  const bool split = p.compute_share > 0 || p.communication_share > 0;
  Row row;
  row.text(study.id).text(curve.build).text(curve.case_name).text(to_string(curve.mode));
  row.text(curve.shape_name).whole(p.point.k).whole(curve.k0).whole(shape.nodes);
  row.whole(shape.ranks).whole(shape.ranks_per_node).whole(shape.threads_per_rank);
  row.whole(shape.gpus_per_node).text(to_string(shape.bind));
  row.number_if(p.point.has_size, p.point.size);
  row.whole(p.valid).whole(p.failed).whole(p.pending).whole(p.outliers);
  row.number_if(data, p.seconds).bounds(p.seconds_interval).level(p.seconds_interval);
  row.number_if(data, p.speedup).number_if(data, p.efficiency);
  row.bounds(p.efficiency_interval).level(p.efficiency_interval);
  row.number_if(p.is_by_work(), p.efficiency);
  row.bounds(p.is_by_work() ? p.efficiency_interval : std::nullopt);
  row.number(p.karp_flatt).bounds(p.karp_flatt_interval);
  row.number_if(p.work_total > 0, p.work_total).text(p.point.work_unit);
  row.number_if(split, p.compute_share).number_if(split, p.communication_share);
  row.number(p.point.results).text(p.point.result_name);
  row.number_if(data, p.node_seconds_per_result).text(joined(p.flags, "; "));
  const PointDetail nothing;
  put_detail(row, view, p, i < view.analysis->points.size() ? view.analysis->points[i] : nothing);
  put_waits(row, document.analysis.queue, p.point);
  put_cost(row, document.costs_of(view), p.point.k);
  row.text(data ? to_string(p.efficiency_basis) : "").number_if(data, p.efficiency_plain);
  row.bounds(p.efficiency_plain_interval);
  return row.line();
}

}  // namespace

std::string to_csv(const Document& document) {
  std::string out = std::string(kHeader) + "\r\n";
  for (const CurveView& view : curve_views(document.analysis)) {
    for (std::size_t i = 0; i < view.curve->points.size(); ++i) {
      out += row_of(document, view, i) + "\r\n";
    }
  }
  return out;
}

}  // namespace kneepoint

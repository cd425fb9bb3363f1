// SPDX-License-Identifier: Apache-2.0
//
// One row per point, RFC 4180: a header, CRLF, quotes where needed. A number that does not exist is
// an empty field, a control character a question mark. The header is the same for every study;
// additions go to its end.
#include "orchestrator/base/json_text.h"
#include "orchestrator/report/document.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr const char* kHeader =
    "study,build,case,mode,shape,k,k0,nodes,ranks,ranks_per_node,threads_per_rank,gpus_per_node,"
    "bind,size,runs_valid,runs_failed,runs_pending,outliers,seconds,seconds_low,seconds_high,"
    "seconds_level,seconds_method,speedup_relative_to_k0,efficiency_relative_to_k0,efficiency_low,"
    "efficiency_high,efficiency_level,efficiency_method,efficiency_by_work,efficiency_by_work_low,"
    "efficiency_by_work_high,karp_flatt,karp_flatt_low,karp_flatt_high,work_total,work_unit,"
    "compute_share,communication_share,results,result_name,node_seconds_per_result,flags";

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
  Row& whole(int value) { return text(std::to_string(value)); }
  Row& bounds(const std::optional<Interval>& interval) {
    number_if(interval.has_value(), interval ? interval->low : 0);
    return number_if(interval.has_value(), interval ? interval->high : 0);
  }
  Row& level(const std::optional<Interval>& interval) {
    number_if(interval.has_value(), interval ? interval->level : 0);
    return text(interval ? interval->method : "");
  }
  const std::string& line() const { return line_; }

 private:
  std::string line_;
  bool first_ = true;
};

std::string row_of(const StudyEvidence& study, const Curve& curve, const PointSummary& p) {
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
  row.number_if(p.efficiency_by_work.has_value(), p.efficiency_by_work.value_or(0));
  row.bounds(p.efficiency_by_work_interval);
  row.number_if(p.karp_flatt.has_value(), p.karp_flatt.value_or(0)).bounds(p.karp_flatt_interval);
  row.number_if(p.work_total > 0, p.work_total).text(p.point.work_unit);
  row.number_if(split, p.compute_share).number_if(split, p.communication_share);
  row.number(p.point.results).text(p.point.result_name);
  row.number_if(data, p.node_seconds_per_result).text(joined(p.flags, "; "));
  return row.line();
}

}  // namespace

std::string to_csv(const Document& document) {
  std::string out = std::string(kHeader) + "\r\n";
  for (const Curve& curve : document.summary.curves) {
    for (const PointSummary& p : curve.points) out += row_of(document.study, curve, p) + "\r\n";
  }
  return out;
}

}  // namespace kneepoint

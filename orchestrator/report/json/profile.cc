// SPDX-License-Identifier: Apache-2.0
//
// MPI calls and metrics of a point as JSON: all of them, where tables show the first few.
#include "orchestrator/report/json/parts.h"

namespace kneepoint {

void put_profile(JsonWriter& w, const PointDetail& d) {
  w.key("mpi_profile");
  if (!d.profile) {
    w.null();
    return;
  }
  const MpiProfile& p = *d.profile;
  w.begin_object().key("runs").value(p.runs).key("window").value(p.window);
  w.key("collective").value(p.collective).key("point_to_point").value(p.point_to_point);
  w.key("wait").value(p.wait).key("one_sided").value(p.one_sided).key("other").value(p.other);
  w.key("operations").begin_array();
  for (const OperationShare& one : p.operations) {
    JsonWriter line;
    line.begin_object().key("name").value(one.name).key("kind").value(one.kind);
    line.key("calls").value(one.calls).key("bytes").value(one.bytes);
    line.key("share").value(one.share).key("share_of_mpi").value(one.share_of_mpi);
    w.raw(line.end_object().text());
  }
  w.end_array().end_object();
}

void put_metrics(JsonWriter& w, const PointDetail& d) {
  w.key("metrics").begin_array();
  for (const MetricSummary& m : d.metrics) {
    JsonWriter line;
    line.begin_object().key("name").value(m.name).key("unit").value(m.unit).key("better");
    m.better.empty() ? line.null() : line.value(m.better);
    line.key("runs").value(m.runs).key("median").value(m.median);
    put_if(line, "low", m.interval.has_value(), m.interval ? m.interval->low : 0);
    put_if(line, "high", m.interval.has_value(), m.interval ? m.interval->high : 0);
    put_if(line, "level", m.interval.has_value(), m.interval ? m.interval->level : 0);
    line.key("method");
    m.interval ? line.value(m.interval->method) : line.null();
    w.raw(line.end_object().text());
  }
  w.end_array();
}

}  // namespace kneepoint

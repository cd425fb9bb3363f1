// SPDX-License-Identifier: Apache-2.0
//
// The MPI calls of a point as JSON: all of them, where tables show the largest.
#include "orchestrator/report/json_parts.h"

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

}  // namespace kneepoint

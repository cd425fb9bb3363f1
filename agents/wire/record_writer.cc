// SPDX-License-Identifier: Apache-2.0
//
// Values to lines. The order of the keys is fixed, so that equal records are equal bytes.
#include "agents/wire/record.h"
#include "orchestrator/base/json_text.h"

namespace kneepoint::record {
namespace {

// An open object that begins with the stamp (unless seq < 0) and the type.
class Line {
 public:
  Line(int seq, const char* type) {
    writer_.begin_object();
    if (seq >= 0) writer_.key("v").value(kVersion).key("seq").value(seq);
    writer_.key("type").value(type);
  }
  template <typename T>
  Line& field(const char* name, const T& value) {
    writer_.key(name).value(value);
    return *this;
  }
  JsonWriter& writer() { return writer_; }
  std::string text() { return writer_.end_object().text() + '\n'; }

 private:
  JsonWriter writer_;
};

}  // namespace

std::string to_line(int seq, const Begin& r) {
  return Line(seq, "begin").field("attempt", r.attempt).field("wall_ns", r.wall_ns).text();
}

std::string to_line(int seq, const Provenance& r) {
  Line line(seq, "provenance");
  line.field("scope", r.scope);
  line.writer().key("facts").begin_object();
  for (const auto& [name, value] : r.facts) line.writer().key(name).value(value);
  line.writer().end_object();
  return line.text();
}

std::string to_line(int seq, const Sample& r) {
  return Line(seq, "sample")
      .field("iteration", r.iteration)
      .field("warmup", r.warmup)
      .field("max_ns", r.max_ns)
      .field("mean_ns", r.mean_ns)
      .field("min_ns", r.min_ns)
      .field("compute_ns", r.compute_ns)
      .field("communication_ns", r.communication_ns)
      .field("other_ns", r.other_ns)
      .text();
}

std::string to_line(int seq, const RankTotal& r) {
  return Line(seq, "rank")
      .field("rank", r.rank)
      .field("host", r.host)
      .field("cpus", r.cpus)
      .field("compute_ns", r.compute_ns)
      .field("communication_ns", r.communication_ns)
      .field("work", r.work)
      .text();
}

std::string to_line(int seq, const Metric& r) {
  Line line(seq, "metric");
  line.field("name", r.name).field("value", r.value).field("unit", r.unit);
  if (!r.better.empty()) line.field("better", r.better);
  return line.text();
}

std::string to_line(int seq, const RankProfile& r) {
  return Line(seq, "profile")
      .field("rank", r.rank)
      .field("complete", r.complete)
      .field("threads", r.threads)
      .field("window_ns", r.window_ns)
      .field("collective_ns", r.collective_ns)
      .field("point_to_point_ns", r.point_to_point_ns)
      .field("wait_ns", r.wait_ns)
      .field("one_sided_ns", r.one_sided_ns)
      .field("other_ns", r.other_ns)
      .field("other_threads_ns", r.other_threads_ns)
      .text();
}

std::string to_line(int seq, const Operation& r) {
  return Line(seq, "operation")
      .field("name", r.name)
      .field("kind", r.kind)
      .field("calls", r.calls)
      .field("bytes", r.bytes)
      .field("time_ns", r.time_ns)
      .field("max_ns", r.max_ns)
      .text();
}

std::string to_line(int seq, const Check& r) {
  return Line(seq, "check").field("passed", r.passed).field("detail", r.detail).text();
}

std::string to_line(int seq, const Failure& r) {
  return Line(seq, "failure").field("reason", r.reason).field("detail", r.detail).text();
}

std::string to_line(int seq, const Done& r) {
  return Line(seq, "done").field("iterations", r.iterations).text();
}

std::string to_line(int seq, const End& r) {
  return Line(seq, "end")
      .field("outcome", r.outcome)
      .field("reason", r.reason)
      .field("exit_code", r.exit_code)
      .field("signal", r.signal)
      .field("wall_ns", r.wall_ns)
      .field("elapsed_ns", r.elapsed_ns)
      .field("output_truncated", r.output_truncated)
      .field("detail", r.detail)
      .field("count", r.count)
      .field("checksum", r.checksum)
      .text();
}

}  // namespace kneepoint::record

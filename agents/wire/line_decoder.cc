// SPDX-License-Identifier: Apache-2.0
//
// One line to one value, by nlohmann-json, which no other file of this folder includes. Any bytes
// may come in: what can't be read is a problem in words, never an exception.
#include "agents/wire/line_decoder.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "agents/wire/time_metric.h"

namespace kneepoint::record {
namespace {

using nlohmann::json;

// Takes the fields of one object; the first that is wrong is remembered in words.
class Fields {
 public:
  explicit Fields(const json& object) : object_(object) {}

  bool ok() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }
  void fail(const std::string& text) {
    if (problem_.empty()) problem_ = text;
  }
  void prefix(const std::string& text) { problem_ = text + problem_; }

  std::int64_t integer(const char* name, std::int64_t least = 0,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    const json* value = find(name);
    if (value == nullptr) return 0;
    const bool too_large = value->is_number_unsigned() &&
                           value->get<std::uint64_t>() >
                               static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!value->is_number_integer() || too_large) {
      return fail("field '" + std::string(name) + "' must be a whole number"), 0;
    }
    const auto number = value->get<std::int64_t>();
    if (number < least || number > most) {
      return fail("field '" + std::string(name) + "' is " + std::to_string(number) +
                  ", outside of what it can be"),
             0;
    }
    return number;
  }
  int small(const char* name, std::int64_t least = 0) {
    return static_cast<int>(integer(name, least, std::numeric_limits<int>::max()));
  }
  double number(const char* name) {
    const json* value = find(name);
    if (value == nullptr) return 0;
    if (!value->is_number() || !std::isfinite(value->get<double>())) {
      return fail("field '" + std::string(name) + "' must be a finite number"), 0;
    }
    return value->get<double>();
  }
  bool truth(const char* name) {
    const json* value = find(name);
    if (value == nullptr) return false;
    if (!value->is_boolean()) {
      return fail("field '" + std::string(name) + "' must be true or false"), false;
    }
    return value->get<bool>();
  }
  std::string text(const char* name, bool may_be_empty = true) {
    const json* value = find(name);
    if (value == nullptr) return "";
    if (!value->is_string()) return fail("field '" + std::string(name) + "' must be a text"), "";
    auto result = value->get<std::string>();
    if (result.empty() && !may_be_empty) fail("field '" + std::string(name) + "' is empty");
    return result;
  }
  std::string text_if_there(const char* name) {
    return object_.contains(name) ? text(name) : std::string();
  }
  std::vector<std::pair<std::string, std::string>> facts(const char* name) {
    std::vector<std::pair<std::string, std::string>> result;
    const json* value = find(name);
    if (value == nullptr) return result;
    if (!value->is_object())
      return fail("field '" + std::string(name) + "' must be an object"), result;
    for (const auto& [key, fact] : value->items()) {
      if (!fact.is_string()) return fail("fact '" + key + "' must be a text"), result;
      result.emplace_back(key, fact.get<std::string>());
    }
    return result;
  }

 private:
  const json* find(const char* name) {
    const auto at = object_.find(name);
    if (at != object_.end()) return &*at;
    fail("field '" + std::string(name) + "' is missing");
    return nullptr;
  }

  const json& object_;
  std::string problem_;
};

Begin read_begin(Fields& f) {
  return {f.text("attempt", false), f.integer("wall_ns")};
}

Provenance read_provenance(Fields& f) {
  return {f.text("scope", false), f.facts("facts")};
}

Sample read_sample(Fields& f) {
  Sample r;
  r.iteration = f.small("iteration");
  r.warmup = f.truth("warmup");
  r.max_ns = f.integer("max_ns");
  r.mean_ns = f.integer("mean_ns");
  r.min_ns = f.integer("min_ns");
  r.compute_ns = f.integer("compute_ns");
  r.communication_ns = f.integer("communication_ns");
  r.other_ns = f.integer("other_ns");
  if (r.min_ns > r.mean_ns || r.mean_ns > r.max_ns) f.fail("min_ns <= mean_ns <= max_ns is broken");
  return r;
}

RankTotal read_rank(Fields& f) {
  RankTotal r;
  r.rank = f.small("rank");
  r.host = f.text("host");
  r.cpus = f.text("cpus");
  r.compute_ns = f.integer("compute_ns");
  r.communication_ns = f.integer("communication_ns");
  r.work = f.number("work");
  if (r.work < 0) f.fail("field 'work' is negative");
  return r;
}

Metric read_metric(Fields& f) {
  Metric r{f.text("name", false), f.number("value"), f.text("unit"), f.text_if_there("better")};
  if (!r.better.empty() && r.better != "lower" && r.better != "higher") {
    f.fail("field 'better' is neither lower nor higher");
  }
  if (r.name == "time" && f.ok()) {
    if (const auto problem = problem_of_time(r.value, r.unit); !problem.empty()) {
      f.fail("metric 'time': " + problem);
    }
  }
  return r;
}

RankProfile read_profile(Fields& f) {
  RankProfile r;
  r.rank = f.small("rank");
  r.complete = f.truth("complete");
  r.threads = f.small("threads");
  r.window_ns = f.integer("window_ns");
  r.collective_ns = f.integer("collective_ns");
  r.point_to_point_ns = f.integer("point_to_point_ns");
  r.wait_ns = f.integer("wait_ns");
  r.one_sided_ns = f.integer("one_sided_ns");
  r.other_ns = f.integer("other_ns");
  r.other_threads_ns = f.integer("other_threads_ns");
  return r;
}

Operation read_operation(Fields& f) {
  Operation r;
  r.name = f.text("name", false);
  r.kind = f.text("kind", false);
  r.calls = f.integer("calls");
  r.bytes = f.integer("bytes");
  r.time_ns = f.integer("time_ns");
  r.max_ns = f.integer("max_ns");
  for (const char* known : {"collective", "point_to_point", "wait", "one_sided", "other"}) {
    if (r.kind == known) return r;
  }
  f.fail("kind '" + r.kind + "' is not known");
  return r;
}

Check read_check(Fields& f) {
  return {f.truth("passed"), f.text("detail")};
}

Failure read_failure(Fields& f) {
  Failure r{f.text("reason", false), f.text("detail")};
  if (f.ok() && !is_failure_reason(r.reason)) {
    f.fail("reason '" + r.reason + "' is not one that a program can give");
  }
  return r;
}

Done read_done(Fields& f) {
  return {f.small("iterations")};
}

End read_end(Fields& f) {
  End r;
  r.outcome = f.text("outcome", false);
  r.reason = f.text("reason", false);
  r.exit_code = f.small("exit_code", std::numeric_limits<int>::min());
  r.signal = f.small("signal");
  r.wall_ns = f.integer("wall_ns");
  r.elapsed_ns = f.integer("elapsed_ns");
  r.output_truncated = f.truth("output_truncated");
  r.detail = f.text("detail");
  r.count = f.small("count");
  r.checksum = f.text("checksum");
  for (const char* known : {"succeeded", "failed", "timed_out", "cancelled", "invalid", "lost"}) {
    if (r.outcome == known) return r;
  }
  f.fail("outcome '" + r.outcome + "' is not known");
  return r;
}

Content read_content(const std::string& type, Fields& f) {
  if (type == "begin") return read_begin(f);
  if (type == "provenance") return read_provenance(f);
  if (type == "sample") return read_sample(f);
  if (type == "rank") return read_rank(f);
  if (type == "metric") return read_metric(f);
  if (type == "profile") return read_profile(f);
  if (type == "operation") return read_operation(f);
  if (type == "check") return read_check(f);
  if (type == "failure") return read_failure(f);
  if (type == "done") return read_done(f);
  if (type == "end") return read_end(f);
  return std::monostate{};
}

}  // namespace

Decoded decode_line(std::string_view line, bool stamped) {
  Decoded result;
  if (line.size() > kMaxLine) {
    result.problem = "longer than " + std::to_string(kMaxLine) + " bytes";
    return result;
  }
  const json object = json::parse(line.begin(), line.end(), nullptr, false);
  if (!object.is_object()) {
    result.problem = "not a JSON object";
    return result;
  }
  Fields f(object);
  if (stamped) {
    const int version = f.small("v");
    if (f.ok() && !is_readable(version)) {
      f.fail("version " + std::to_string(version) + " can't be read; this reader knows " +
             std::to_string(kVersion - 1) + " and " + std::to_string(kVersion));
    }
    const int seq = f.small("seq");
    if (f.ok()) result.seq = seq;
  }
  result.type = f.text("type", false);
  if (f.ok()) {
    result.content = read_content(result.type, f);
    if (!f.ok()) f.prefix(result.type + ": ");
  }
  result.problem = f.problem();
  if (!f.ok()) result.content = std::monostate{};
  return result;
}

}  // namespace kneepoint::record

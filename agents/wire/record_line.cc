// SPDX-License-Identifier: Apache-2.0
//
// One line back to its record, by the record's list of fields. Any bytes may come in: what can't be
// read is a problem in words, never an exception.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "agents/wire/record.h"

namespace kneepoint::record {
namespace {

using nlohmann::json;
using wire::Rule;

// Takes the fields of one object; the first that is wrong is remembered in words.
class FieldReader {
 public:
  explicit FieldReader(const json& object) : object_(object) {}

  const std::string& problem() const { return problem_; }
  bool ok() const { return problem_.empty(); }
  void fail(const std::string& text) {
    if (ok()) problem_ = text;
  }

  template <typename Record>
  void take_all(Record& record) {
    wire::each_field(record, [&](const auto& field) {
      take<wire::rule_of<std::decay_t<decltype(field)>>()>(field.name, record.*field.get);
    });
  }

  template <Rule kRule = Rule::required, typename Value>
  void take(const char* name, Value& value) {
    const auto at = object_.find(name);
    if (at != object_.end()) return read<kRule>(name, *at, value);
    if (kRule != Rule::sparse) wrong(name, "is missing");
  }

 private:
  void wrong(const char* name, const std::string& what) {
    fail("field '" + std::string(name) + "' " + what);
  }

  template <Rule kRule, typename Whole>
  requires std::is_integral_v<Whole>
  void read(const char* name, const json& from, Whole& number) {
    using Limits = std::numeric_limits<Whole>;
    constexpr std::int64_t kLeast = kRule == Rule::any_sign ? Limits::min() : 0;
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    const bool too_large =
        from.is_number_unsigned() && from.get<std::uint64_t>() > static_cast<std::uint64_t>(kMost);
    if (!from.is_number_integer() || too_large) return wrong(name, "must be a whole number");
    const auto wide = from.get<std::int64_t>();
    if (wide < kLeast || wide > Limits::max()) {
      return wrong(name, "is " + std::to_string(wide) + ", outside of what it can be");
    }
    number = static_cast<Whole>(wide);
  }
  template <Rule>
  void read(const char* name, const json& from, double& number) {
    if (!from.is_number() || !std::isfinite(from.get<double>())) {
      return wrong(name, "must be a finite number");
    }
    number = from.get<double>();
  }
  template <Rule>
  void read(const char* name, const json& from, bool& truth) {
    if (!from.is_boolean()) return wrong(name, "must be true or false");
    truth = from.get<bool>();
  }
  template <Rule kRule>
  void read(const char* name, const json& from, std::string& text) {
    if (!from.is_string()) return wrong(name, "must be a text");
    text = from.get<std::string>();
    if (kRule == Rule::not_empty && text.empty()) wrong(name, "is empty");
  }
  template <Rule>
  void read(const char* name, const json& from, wire::Pairs& facts) {
    if (!from.is_object()) return wrong(name, "must be an object");
    for (const auto& [key, fact] : from.items()) {
      if (!fact.is_string()) return fail("fact '" + key + "' must be a text");
      facts.emplace_back(key, fact.template get<std::string>());
    }
  }

  const json& object_;
  std::string problem_;
};

bool is_one_of(std::initializer_list<const char*> words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What the fields of one record must be to each other, and the closed lists of words.
template <typename Record>
std::string problem_of(const Record&) {
  return "";
}
std::string problem_of(const Sample& r) {
  const bool ordered = r.min_ns <= r.mean_ns && r.mean_ns <= r.max_ns;
  return ordered ? "" : "min_ns <= mean_ns <= max_ns is broken";
}
std::string problem_of(const RankTotal& r) {
  return r.work < 0 ? "field 'work' is negative" : "";
}
std::string problem_of(const Metric& r) {
  if (!is_one_of({"", "lower", "higher"}, r.better)) {
    return "field 'better' is neither lower nor higher";
  }
  const std::string problem = r.name == "time" ? problem_of_time(r.value, r.unit) : "";
  return problem.empty() ? "" : "metric 'time': " + problem;
}
std::string problem_of(const Operation& r) {
  const bool known =
      is_one_of({"collective", "point_to_point", "wait", "one_sided", "other"}, r.kind);
  return known ? "" : "kind '" + r.kind + "' is not known";
}
std::string problem_of(const Failure& r) {
  if (is_failure_reason(r.reason)) return "";
  return "reason '" + r.reason + "' is not one that a program can give";
}
std::string problem_of(const End& r) {
  const bool known =
      is_one_of({"succeeded", "failed", "timed_out", "cancelled", "invalid", "lost"}, r.outcome);
  return known ? "" : "outcome '" + r.outcome + "' is not known";
}

// The record of that type; std::monostate: there is none.
template <typename... Record>
void read_content(const std::string& type, FieldReader& reader,
                  std::variant<std::monostate, Record...>& content) {
  const auto read = [&](auto& record) {
    reader.take_all(record);
    if (reader.ok()) reader.fail(problem_of(record));
  };
  ((type == Record::kType && (read(content.template emplace<Record>()), true)) || ...);
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
  FieldReader head(object);
  if (stamped) {
    int version = 0, seq = 0;
    head.take("v", version);
    if (head.ok() && !is_readable(version)) {
      head.fail("version " + std::to_string(version) + " can't be read; this reader knows " +
                std::to_string(kVersion - 1) + " and " + std::to_string(kVersion));
    }
    head.take("seq", seq);
    if (head.ok()) result.seq = seq;
  }
  head.take<Rule::not_empty>("type", result.type);
  result.problem = head.problem();
  if (!head.ok()) return result;
  FieldReader reader(object);
  read_content(result.type, reader, result.content);
  if (reader.ok()) return result;
  result.problem = result.type + ": " + reader.problem();
  result.content = std::monostate{};
  return result;
}

}  // namespace kneepoint::record

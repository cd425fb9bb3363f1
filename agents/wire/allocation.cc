// SPDX-License-Identifier: Apache-2.0
//
// Writes by base/json_put.h, reads by nlohmann-json, both by the lists of fields.
#include "agents/wire/allocation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_put.h"

namespace kneepoint {
namespace {

using nlohmann::json;

template <typename T>
inline constexpr bool is_list_of_objects = false;
template <Described T>
inline constexpr bool is_list_of_objects<std::vector<T>> = true;
template <>
inline constexpr bool is_list_of_objects<std::vector<SanityRule>> = true;

Error invalid(const std::string& message) {
  return Error{ErrorCode::invalid, message, false};
}

SanityRule::Kind kind_of(const json& rule) {
  if (rule.contains("exit_codes")) return SanityRule::Kind::exit_codes;
  if (rule.contains("metric")) return SanityRule::Kind::metric;
  return rule.contains("must_not_match") ? SanityRule::Kind::must_not_match
                                         : SanityRule::Kind::must_match;
}

wire::Pairs pairs_of(const json& object) {
  wire::Pairs pairs;
  for (const auto& [name, text] : object.items()) pairs.emplace_back(name, text.get<std::string>());
  return pairs;
}

template <typename T>
void read_fields(const json& object, T& out);

// Throws json::exception with the field's name in it; parse_allocation turns that into an Error.
template <typename T>
void read_value(const json& value, T& out) {
  if constexpr (std::is_same_v<T, wire::Pairs>) {
    out = pairs_of(value);
  } else if constexpr (is_optional<T>) {
    read_value(value, out.emplace());
  } else if constexpr (is_list_of_objects<T>) {
    for (const json& one : value) read_value(one, out.emplace_back());
  } else if constexpr (std::is_same_v<T, SanityRule>) {
    out.kind = kind_of(value);
    read_fields(value, out);
  } else if constexpr (Described<T>) {
    read_fields(value, out);
  } else {
    value.get_to(out);
  }
}

// What is no base64 leaves its owner without a name, which is refused.
template <typename T>
void read_base64(const json& value, std::optional<std::string>& content, T& owner) {
  if (!base64_decoded(value.get<std::string>(), content.emplace())) owner.name.clear();
}

template <typename T>
void read_fields(const json& object, T& out) {
  wire::each_field(out, [&](const auto& field) {
    constexpr wire::Rule kRule = wire::rule_of<std::decay_t<decltype(field)>>();
    if (kRule >= wire::Rule::optional && !object.contains(field.name)) return;
    const json& value = object.at(field.name);
    if constexpr (kRule == wire::Rule::base64) {
      read_base64(value, out.*field.get, out);
    } else {
      read_value(value, out.*field.get);
    }
  });
}

std::string problem_of(const StepSpec& step) {
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (step.attempt.empty()) return "'attempt' is empty";
  if (step.run_dir.empty() || step.run_dir[0] != '/' || has_nul(step.run_dir)) {
    return "'run_dir' is '" + step.run_dir + "'; it must be an absolute path";
  }
  if (step.argv.empty() || step.argv[0].empty()) return "'argv' names no program";
  for (const std::string& argument : step.argv) {
    if (has_nul(argument)) return "an argument in 'argv' contains a NUL byte";
  }
  for (const auto& [name, value] : step.env) {
    if (name.empty() || name.find('=') != std::string::npos || has_nul(name) || has_nul(value)) {
      return "'" + name + "' in 'env' can't be an environment variable";
    }
  }
  if (!step.profile.empty() && step.profile != "none" && step.profile != "mpi") {
    return "'profile' is '" + step.profile + "'; this agent knows none and mpi";
  }
  for (const InputSpec& input : step.inputs) {
    if (input.name.empty() || has_nul(input.name) || has_nul(input.from)) {
      return "an entry of 'inputs' has no name, or its content is not base64";
    }
  }
  if (step.limit_ns < 0) return "'limit_ns' is negative";
  return "";
}

}  // namespace

// As json_put.h does it for structs whose fields do not depend on their value.
void put(JsonWriter& w, const SanityRule& rule) {
  w.begin_object();
  wire::each_field(rule, [&](const auto& field) { put_field(w, rule, field); });
  w.end_object();
}

std::string allocation_text(const AllocationFile& file) {
  return json_text(file) + "\n";
}

Result<AllocationFile> parse_allocation(std::string_view text) {
  AllocationFile file;
  try {
    const json object = json::parse(text.begin(), text.end());
    const int version = object.at("v").get<int>();
    if (version != kAllocationVersion) {
      return invalid("version " + std::to_string(version) +
                     " of the allocation file; this agent (" + KNEEPOINT_VERSION +
                     ") reads version " + std::to_string(kAllocationVersion));
    }
    read_fields(object, file);
  } catch (const json::exception& e) {
    const std::size_t number = std::max<std::size_t>(1, file.steps.size());
    return invalid("step " + std::to_string(number) + " or before: " + e.what());
  }
  for (std::size_t i = 0; i < file.steps.size(); ++i) {
    const std::string problem = problem_of(file.steps[i]);
    if (!problem.empty()) return invalid("step " + std::to_string(i + 1) + ": " + problem);
  }
  return file;
}

std::optional<AllocationFile> read_back_allocation(std::string_view text) {
  AllocationFile file;
  try {
    read_fields(json::parse(text.begin(), text.end()), file);
  } catch (const json::exception&) {
    return std::nullopt;
  }
  return file;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Following a path into JSON. Numbers written as texts ("1.5e3") count: many programs quote them.
#include <cmath>
#include <nlohmann/json.hpp>

#include "agents/agent/supervise/outcome.h"
#include "agents/agent/text.h"
#include "orchestrator/base/json_path.h"

namespace kneepoint::agent {
namespace {

using nlohmann::json;

constexpr std::size_t kMostNames = 8;  // in a message

json parsed(std::string_view text) {
  return json::parse(text.begin(), text.end(), nullptr, false);
}

json document_of(std::string_view text) {
  json whole = parsed(text);
  if (!whole.is_discarded()) return whole;
  while (!text.empty()) {
    const std::string_view line = take_last_line(text);
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || (line[begin] != '{' && line[begin] != '[')) continue;
    json one = parsed(line);
    if (!one.is_discarded()) return one;
  }
  return json(json::value_t::discarded);
}

std::string names_in(const json& object) {
  std::string names;
  std::size_t count = 0;
  for (const auto& [name, value] : object.items()) {
    if (++count > kMostNames) return names + ", ...";
    names += (names.empty() ? "'" : ", '") + name + "'";
  }
  return names.empty() ? "nothing" : names;
}

// The value, or null with a problem.
const json* step_into(const json& value, const JsonStep& step, const std::string& where,
                      std::string& problem) {
  if (!step.is_index) {
    if (!value.is_object()) {
      problem = where + " is no object, so it has no '" + step.name + "'";
      return nullptr;
    }
    const auto found = value.find(step.name);
    if (found != value.end()) return &*found;
    problem = where + " has no '" + step.name + "'; it has " + names_in(value);
    return nullptr;
  }
  if (!value.is_array()) {
    problem = where + " is no list, so it has no [" + std::to_string(step.index) + "]";
    return nullptr;
  }
  const auto size = static_cast<long>(value.size());
  const long index = step.index < 0 ? size + step.index : step.index;
  if (index >= 0 && index < size) return &value[static_cast<std::size_t>(index)];
  problem = where + " has " + std::to_string(size) + " entries, so it has no [" +
            std::to_string(step.index) + "]";
  return nullptr;
}

std::optional<double> number_of(const json& value) {
  std::optional<double> number;
  if (value.is_number()) number = value.get<double>();
  if (value.is_string()) number = whole_number<double>(value.get_ref<const std::string&>());
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace

JsonNumber json_number_at(std::string_view text, const std::string& path) {
  JsonNumber result;
  const auto steps = parse_json_path(path);
  if (!steps) {
    result.problem = "'" + path + "' is not a path into JSON: " + steps.error().message;
    return result;
  }
  const json document = document_of(text);
  if (document.is_discarded()) {
    result.problem = "neither the whole nor a line of it is JSON";
    return result;
  }
  const json* value = &document;
  std::string where = "$";
  for (const JsonStep& step : *steps) {
    value = step_into(*value, step, where, result.problem);
    if (value == nullptr) return result;
    where += step.is_index ? "[" + std::to_string(step.index) + "]" : "." + step.name;
  }
  result.value = number_of(*value);
  if (!result.value)
    result.problem = where + " is not a finite number: " + value->dump().substr(0, 80);
  return result;
}

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// Reads the allocation file by nlohmann-json. Fields that a newer launcher adds are left alone;
// a field that is there must have the right type.
#include "agents/agent/allocation_file.h"

#include <nlohmann/json.hpp>

namespace kneepoint::agent {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;

Error invalid(const std::string& message) {
  return Error{ErrorCode::invalid, message, false};
}

// Throws json::exception with the field's name in it; parse_allocation turns that into an Error.
StepSpec read_step(const json& object) {
  StepSpec step;
  object.at("attempt").get_to(step.attempt);
  object.at("run_dir").get_to(step.run_dir);
  object.at("argv").get_to(step.argv);
  if (object.contains("env")) {
    for (const auto& [name, value] : object.at("env").items()) {
      step.env.emplace_back(name, value.get<std::string>());
    }
  }
  step.limit_ns = object.value("limit_ns", step.limit_ns);
  step.own_harness = object.value("own_harness", step.own_harness);
  step.ranks = object.value("ranks", step.ranks);
  step.threads_per_rank = object.value("threads_per_rank", step.threads_per_rank);
  step.nodes = object.value("nodes", step.nodes);
  step.place = object.value("place", step.place);
  step.bind = object.value("bind", step.bind);
  step.emulated = object.value("emulated", step.emulated);
  step.oversubscribed = object.value("oversubscribed", step.oversubscribed);
  step.program = object.value("program", step.program);
  step.measure_machine = object.value("measure_machine", step.measure_machine);
  step.profile = object.value("profile", step.profile);
  if (object.contains("metrics")) {
    for (const json& metric : object.at("metrics")) {
      step.metrics.push_back(
          {metric.at("name").get<std::string>(), metric.value("pattern", std::string()),
           metric.value("unit", std::string()), metric.value("from", std::string("stdout"))});
    }
  }
  return step;
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
  if (step.profile != "none" && step.profile != "mpi") {
    return "'profile' is '" + step.profile + "'; this agent knows none and mpi";
  }
  if (step.limit_ns < 0) return "'limit_ns' is negative";
  return "";
}

}  // namespace

Result<AllocationFile> parse_allocation(std::string_view text) {
  AllocationFile file;
  try {
    const json object = json::parse(text.begin(), text.end());
    const int version = object.at("v").get<int>();
    if (version != kVersion) {
      return invalid("version " + std::to_string(version) +
                     " of the allocation file; this agent (" + KNEEPOINT_VERSION +
                     ") reads version " + std::to_string(kVersion));
    }
    object.at("name").get_to(file.name);
    for (const json& step : object.at("steps")) {
      file.steps.push_back(read_step(step));
      const std::string problem = problem_of(file.steps.back());
      if (!problem.empty()) {
        return invalid("step " + std::to_string(file.steps.size()) + ": " + problem);
      }
    }
  } catch (const json::exception& e) {
    return invalid("step " + std::to_string(file.steps.size() + 1) + " or before: " + e.what());
  }
  return file;
}

}  // namespace kneepoint::agent

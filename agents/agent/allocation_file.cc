// SPDX-License-Identifier: Apache-2.0
//
// Reads the allocation file by nlohmann-json. Fields that a newer launcher adds are left alone;
// a field that is there must have the right type.
#include "agents/agent/allocation_file.h"

#include <nlohmann/json.hpp>

#include "orchestrator/base/base64.h"

namespace kneepoint::agent {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;

Error invalid(const std::string& message) {
  return Error{ErrorCode::invalid, message, false};
}

std::string text_of(const json& object, const char* name, const char* fallback = "") {
  return object.value(name, std::string(fallback));
}

SanityRule read_rule(const json& object) {
  SanityRule rule;
  const auto number = [&](const char* name) -> std::optional<double> {
    if (!object.contains(name)) return std::nullopt;
    return object.at(name).get<double>();
  };
  if (object.contains("exit_codes")) {
    rule.kind = SanityRule::Kind::exit_codes;
    object.at("exit_codes").get_to(rule.exit_codes);
  } else if (object.contains("metric")) {
    rule.kind = SanityRule::Kind::metric;
    object.at("metric").get_to(rule.metric);
    rule.at_least = number("at_least");
    rule.at_most = number("at_most");
    rule.equals = number("equals");
    rule.tolerance = object.value("tolerance", 0.0);
    rule.relative = object.value("relative", false);
  } else {
    const bool must_not = object.contains("must_not_match");
    rule.kind = must_not ? SanityRule::Kind::must_not_match : SanityRule::Kind::must_match;
    object.at(must_not ? "must_not_match" : "must_match").get_to(rule.pattern);
    rule.from = text_of(object, "from", "stdout");
    rule.file = text_of(object, "file");
  }
  return rule;
}

InputSpec read_input(const json& object) {
  InputSpec input;
  object.at("name").get_to(input.name);
  input.from = text_of(object, "from");
  input.executable = object.value("executable", false);
  if (object.contains("content") &&
      !base64_decoded(object.at("content").get<std::string>(), input.content)) {
    input.name.clear();  // refused with what has no name
  }
  return input;
}

// What its program prints, writes and reads.
void read_program(const json& object, StepSpec& step) {
  const json none = json::array();
  const auto list = [&](const char* name) -> const json& {
    return object.contains(name) ? object.at(name) : none;
  };
  for (const json& metric : list("metrics")) {
    step.metrics.push_back({metric.at("name").get<std::string>(), text_of(metric, "pattern"),
                            text_of(metric, "unit"), text_of(metric, "from", "stdout"),
                            text_of(metric, "file"), text_of(metric, "json"),
                            text_of(metric, "better")});
  }
  for (const json& rule : list("sanity")) step.sanity.push_back(read_rule(rule));
  for (const json& input : list("inputs")) step.inputs.push_back(read_input(input));
  list("keep").get_to(step.keep);
  step.own_folder = object.value("own_folder", false);
  step.keep_bytes = object.value("keep_bytes", step.keep_bytes);
  step.noise_sample_ns = object.value("noise_sample_ns", step.noise_sample_ns);
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
  read_program(object, step);
  return step;
}

PushSpec read_push(const json& object) {
  PushSpec push;
  object.at("url").get_to(push.url);
  object.at("token").get_to(push.token);
  push.ca = object.value("ca", push.ca);
  return push;
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
  for (const InputSpec& input : step.inputs) {
    if (input.name.empty() || has_nul(input.name) || has_nul(input.from)) {
      return "an entry of 'inputs' has no name, or its content is not base64";
    }
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
    if (object.contains("push")) file.push = read_push(object.at("push"));
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

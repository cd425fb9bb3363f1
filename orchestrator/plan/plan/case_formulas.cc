// SPDX-License-Identifier: Apache-2.0
//
// Cases, sizes, words and command lines.
#include "orchestrator/plan/plan/case_formulas.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

bool matches(const std::vector<Parameter>& parameters, const std::vector<Parameter>& pattern) {
  return std::all_of(pattern.begin(), pattern.end(), [&](const Parameter& one) {
    return std::find(parameters.begin(), parameters.end(), one) != parameters.end();
  });
}

}  // namespace

std::vector<std::vector<Parameter>> cases_of(const WorkloadSpec& workload) {
  std::vector<ParameterList> lists;
  if (workload.catalog) {
    for (const Parameter& parameter : workload.catalog->parameters) {
      lists.push_back({parameter.name, {parameter.value}});
    }
  }
  for (const ParameterList& given : workload.parameters) {
    const auto same = std::find_if(lists.begin(), lists.end(),
                                   [&](const auto& one) { return one.name == given.name; });
    if (same == lists.end()) {
      lists.push_back(given);
    } else {
      same->values = given.values;
    }
  }
  std::vector<std::vector<Parameter>> cases = {{}};
  constexpr std::size_t kMaxCases = 100'000;
  for (const ParameterList& list : lists) {
    std::vector<std::vector<Parameter>> longer;
    for (const std::vector<Parameter>& prefix : cases) {
      for (const std::string& value : list.values) {
        if (longer.size() > kMaxCases) break;  // the points' own limit reports it
        longer.push_back(prefix);
        longer.back().push_back({list.name, value});
      }
    }
    cases = std::move(longer);
  }
  std::erase_if(cases, [&](const std::vector<Parameter>& parameters) {
    return std::any_of(workload.exclude.begin(), workload.exclude.end(),
                       [&](const auto& pattern) { return matches(parameters, pattern); });
  });
  return cases;
}

std::string case_name(const WorkloadSpec& workload, const std::vector<Parameter>& parameters) {
  std::string varying;
  for (const Parameter& parameter : parameters) {
    for (const ParameterList& list : workload.parameters) {
      if (list.name != parameter.name || list.values.size() < 2) continue;
      varying += (varying.empty() ? "" : ",") + parameter.name + "=" + parameter.value;
    }
  }
  return varying.empty() ? workload.name : workload.name + "[" + varying + "]";
}

bool is_emulated(const CatalogEntry& entry, const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    const std::string text = parameter.name + "=" + parameter.value;
    const auto& words = entry.emulated_when;
    if (std::find(words.begin(), words.end(), text) != words.end()) return true;
  }
  return false;
}

double rounded_size(double size, const SizeSpec& spec) {
  if (spec.rounding == Rounding::none) return size;
  const double count = size / spec.multiple_of;
  const double whole = std::round(count);
  if (std::abs(count - whole) <= 1e-9 * std::max(1.0, std::abs(count))) {
    return whole * spec.multiple_of;
  }
  if (spec.rounding == Rounding::down) return std::floor(count) * spec.multiple_of;
  if (spec.rounding == Rounding::up) return std::ceil(count) * spec.multiple_of;
  return whole * spec.multiple_of;
}

std::vector<std::string> case_names(const std::vector<Parameter>& parameters, bool with_size) {
  std::vector<std::string> names = {"K", "ranks", "nodes", "threads"};
  if (with_size) names.emplace_back("size");
  for (const Parameter& parameter : parameters) {
    if (is_number(parameter.value)) names.push_back(parameter.name);
  }
  return names;
}

std::vector<double> numbers_of(const std::vector<Parameter>& parameters) {
  std::vector<double> numbers;
  for (const Parameter& parameter : parameters) {
    if (is_number(parameter.value))
      numbers.push_back(parse_number<double>(parameter.value).value_or(0));
  }
  return numbers;
}

std::vector<double> case_values(const std::vector<double>& parameters, int k, const Shape& shape,
                                const double* size) {
  std::vector<double> values = {double(k), double(shape.ranks), double(shape.nodes),
                                double(shape.threads_per_rank)};
  if (size != nullptr) values.push_back(*size);
  values.insert(values.end(), parameters.begin(), parameters.end());
  return values;
}

CaseFormulas::CaseFormulas(const WorkloadSpec& workload, const std::vector<Parameter>& parameters,
                           Mode mode, std::optional<FormulaProblem>& problem)
    : size_spec_(mode == Mode::strong ? workload.size_strong : workload.size_weak),
      parameters_(numbers_of(parameters)) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const std::string of_mode = std::string(".") + to_string(mode);
  const std::string wrong_amount = "the formula gives {}; expected a number above 0";
  const struct {
    std::string key;
    const std::string& text;
    double CaseValues::*value;
    double most;
    std::string wrong;
  } all[] = {
      {"size" + of_mode, size_spec_.formula, &CaseValues::size, 1e15,
       "'" + size_spec_.formula + "' gives the size {}; expected one above 0 and at most 1e15"},
      {"model" + of_mode, mode == Mode::strong ? workload.model_strong : workload.model_weak,
       &CaseValues::modelled_seconds, 1e9,
       "the model gives {} s; expected a time above 0 and at most 1e9 s"},
      {"result.count", workload.result.count, &CaseValues::results, kAny,
       "the count is {}; expected a number above 0"},
      {"flops", workload.flops, &CaseValues::flops, kAny, wrong_amount},
      {"bytes", workload.bytes, &CaseValues::bytes, kAny, wrong_amount},
      {"parallelism", workload.parallelism, &CaseValues::parallelism, kAny, wrong_amount},
  };
  for (const auto& one : all) {
    if (one.text.empty()) continue;
    const bool with_size = one.value != &CaseValues::size && !size_spec_.formula.empty();
    auto parsed = Formula::parse(one.text, case_names(parameters, with_size));
    if (!parsed) {
      problem = FormulaProblem{one.key, parsed.error().message};
      return;
    }
    formulas_.push_back({one.key, one.value, one.most, one.wrong, std::move(parsed).value()});
  }
}

CaseValues CaseFormulas::at(int k, const Shape& shape,
                            std::optional<FormulaProblem>& problem) const {
  CaseValues values;
  for (const One& one : formulas_) {
    const double* size = values.has_size ? &values.size : nullptr;
    const auto given = one.formula.evaluate(case_values(parameters_, k, shape, size));
    if (!given) {
      problem = FormulaProblem{one.key, given.error().message};
      return values;
    }
    const bool is_size = one.value == &CaseValues::size;
    double& value = values.*one.value;
    value = is_size ? rounded_size(*given, size_spec_) : *given;
    values.has_size = values.has_size || is_size;
    if (value > 0 && value <= one.most) continue;
    problem = FormulaProblem{one.key, one.wrong};
    std::string& message = problem->message;
    message.replace(message.rfind("{}"), 2, number_text(value));
    return values;
  }
  return values;
}

std::string held_fixed(const WorkloadSpec& workload, const Point& point) {
  const bool strong = point.mode == Mode::strong;
  const std::string size = !point.has_size ? ""
                           : strong        ? number_text(point.size)
                                           : workload.size_weak.formula;
  if (workload.catalog) {
    const std::string& words =
        strong ? workload.catalog->held_fixed_strong : workload.catalog->held_fixed_weak;
    std::vector<Parameter> values = point.parameters;
    values.push_back({"size", size});
    if (!words.empty()) return replace_placeholders(words, values);
  }
  if (!point.has_size) {
    return std::string(strong ? "total problem" : "problem per worker") + ", by the command itself";
  }
  return strong ? "size = " + size + " (total problem)" : "problem per worker; size = " + size;
}

std::vector<Parameter> placeholder_values(const Point& point, std::uint64_t seed) {
  std::vector<Parameter> values = {
      {"K", std::to_string(point.k)},
      {"size", point.has_size ? number_text(point.size) : ""},
      {"mode", to_string(point.mode)},
      {"ranks", std::to_string(point.shape.ranks)},
      {"nodes", std::to_string(point.shape.nodes)},
      {"ranks_per_node", std::to_string(point.shape.ranks_per_node)},
      {"threads", std::to_string(point.shape.threads_per_rank)},
      {"gpus_per_node", std::to_string(point.shape.gpus_per_node)},
      {"seed", std::to_string(seed)},
  };
  if (!point.binary.label.empty()) values.push_back({"build", point.binary.place});
  values.insert(values.end(), point.parameters.begin(), point.parameters.end());
  return values;
}

std::string harness_program(const CatalogEntry& entry, const std::string& programs,
                            const Build& binary) {
  const bool named = !binary.label.empty();
  if (named && binary.kind == Build::Kind::file) return binary.place;
  const std::string& folder = named && binary.kind == Build::Kind::folder ? binary.place : programs;
  return folder.empty() ? entry.program : folder + "/" + entry.program;
}

std::vector<std::string> harness_arguments(const CatalogEntry& entry, const std::string& programs,
                                           const Plan& plan, const Point& point) {
  std::vector<std::string> argv = {harness_program(entry, programs, point.binary)};
  const auto add = [&](const std::string& name, const std::string& value) {
    argv.push_back("--" + name);
    argv.push_back(value);
  };
  if (point.has_size) add("size", number_text(point.size));
  add("mode", to_string(point.mode));
  add("workers", std::to_string(point.k));
  add("warmup", std::to_string(plan.iterations.warmup));
  if (plan.iterations.min_time > 0) {
    add("min-time", number_text(to_seconds(plan.iterations.min_time)));
  } else {
    add("iterations", std::to_string(plan.iterations.count));
  }
  add("seed", std::to_string(plan.seed));
  for (const Parameter& parameter : point.parameters) {
    if (!parameter.value.empty()) add(parameter.name, parameter.value);
  }
  return argv;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// One workload: which program, its parameters, sizes, metrics. What the catalog knows is filled in
// here, so that nobody later asks whether a value was given or is a default.
#include "orchestrator/plan/plan/workload_reader.h"

#include <algorithm>

#include "orchestrator/plan/plan/formula.h"
#include "orchestrator/plan/plan/parts.h"
#include "orchestrator/plan/plan/placeholders.h"
#include "orchestrator/plan/plan/program_reader.h"

namespace kneepoint {
namespace {

template <typename Range>
std::vector<std::string> names_of(const Range& range) {
  std::vector<std::string> names;
  for (const auto& one : range) names.push_back(one.name);
  return names;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// `use` or `command`: exactly one.
void read_program(const YamlView& view, const std::vector<CatalogEntry>& catalog,
                  WorkloadSpec& workload) {
  const YamlView use = view["use"];
  const YamlView command = view["command"];
  if (use.present() && command.present()) {
    command.fail_at_key("give either 'use' or 'command'");
  } else if (!use.present() && !command.present()) {
    view.fail(
        "the program is missing; add use: NAME (from the catalog) or command: [PROGRAM, ...]");
  }
  if (const auto name = use.text()) {
    workload.use = *name;
    for (const CatalogEntry& entry : catalog) {
      if (entry.name == *name) workload.catalog = entry;
    }
    if (!workload.catalog) {
      use.fail("'" + *name + "': " + unknown_word("workload", *name, names_of(catalog)));
    }
  }
  if (command.present() && !command.is(YamlNode::Kind::list)) {
    command.expected("a list of arguments such as [./app, --n, \"{size}\"] (no shell reads it)");
    return;
  }
  for (const YamlView& argument : command.items()) {
    if (const auto text = argument.text()) workload.command.push_back(*text);
  }
  if (command.is(YamlNode::Kind::list) && command.items().empty()) {
    command.fail("the list is empty; expected at least the program");
  } else if (!workload.command.empty() && workload.command[0].empty()) {
    command.fail("the program's name is empty");
  }
}

void read_parameters(const YamlView& view, WorkloadSpec& workload) {
  const std::vector<std::string> allowed =
      workload.catalog ? names_of(workload.catalog->parameters) : std::vector<std::string>{};
  for (const YamlView& entry : view["parameters"].entries()) {
    const std::string& name = entry.name();
    if (!is_plain_name(name)) {
      entry.fail_at_key("expected a name of letters, digits, '_' and '-'");
    } else if (contains(built_in_placeholders(), name)) {
      entry.fail_at_key("the name is taken: {" + name + "} is given by kneepoint");
    } else if (workload.catalog && !contains(allowed, name)) {
      entry.fail_at_key(unknown_word("parameter of '" + workload.use + "'", name, allowed));
    }
    ParameterList list{name, {}};
    for (const YamlView& value : entry.one_or_many()) {
      const auto text = value.text();
      if (!text) continue;
      if (contains(list.values, *text))
        value.fail("'" + *text + "' is listed twice");
      else
        list.values.push_back(*text);
    }
    if (entry.is(YamlNode::Kind::list) && entry.items().empty()) {
      entry.fail("the list is empty; expected at least one value");
    }
    if (!list.values.empty()) workload.parameters.push_back(std::move(list));
  }
}

void read_exclude(const YamlView& view, WorkloadSpec& workload) {
  const std::vector<std::string> known = names_of(workload.parameters);
  for (const YamlView& item : view["exclude"].items()) {
    std::vector<Parameter> match;
    for (const YamlView& entry : item.entries()) {
      const auto value = entry.text();
      if (!value) continue;
      const auto list = std::find_if(workload.parameters.begin(), workload.parameters.end(),
                                     [&](const auto& one) { return one.name == entry.name(); });
      if (list == workload.parameters.end()) {
        entry.fail_at_key(unknown_word("parameter", entry.name(), known));
      } else if (!contains(list->values, *value)) {
        entry.fail("'" + *value +
                   "': " + unknown_word("value of '" + entry.name() + "'", *value, list->values));
      }
      match.push_back({entry.name(), *value});
    }
    if (item.is(YamlNode::Kind::map) && match.empty()) {
      item.fail("an empty map would exclude every case");
    }
    if (!match.empty()) workload.exclude.push_back(std::move(match));
  }
}

void read_size(const YamlView& view, WorkloadSpec& workload) {
  const YamlView size = view["size"];
  const std::vector<std::string> names = formula_names(workload, false);
  SizeSpec& strong = workload.size_strong;
  SizeSpec& weak = workload.size_weak;
  if (workload.catalog) {
    strong.formula = workload.catalog->default_size_strong;
    weak.formula = workload.catalog->default_size_weak;
  }
  if (!size.is(YamlNode::Kind::map)) {
    if (!size.present()) return;
    strong.formula = weak.formula = read_formula(size, names);
    return;
  }
  size.check_map();
  if (size["strong"].present()) strong.formula = read_formula(size["strong"], names);
  if (size["weak"].present()) weak.formula = read_formula(size["weak"], names);
  static const std::vector<std::string> words = {"nearest", "down", "up", "none"};
  if (const auto word = size["round"].word(words)) {
    strong.rounding = *word == "nearest" ? Rounding::nearest
                      : *word == "down"  ? Rounding::down
                      : *word == "up"    ? Rounding::up
                                         : Rounding::none;
  }
  read_into(size["multiple_of"].integer(1, 1'000'000), strong.multiple_of);
  if (strong.rounding == Rounding::none && strong.multiple_of > 1) {
    size["multiple_of"].fail_at_key("round: none leaves sizes as they are; drop one of the two");
  }
  weak.rounding = strong.rounding;
  weak.multiple_of = strong.multiple_of;
}

bool needs_size(const WorkloadSpec& workload) {
  if (workload.catalog) return !workload.catalog->size_meaning.empty();
  for (const std::string& argument : workload.command) {
    if (contains(placeholders_in(argument), "size")) return true;
  }
  for (const EnvironmentVariable& variable : workload.environment) {
    if (contains(placeholders_in(variable.value), "size")) return true;
  }
  return false;
}

void check_sizes(const YamlView& view, const std::vector<Mode>& modes,
                 const WorkloadSpec& workload) {
  const YamlView size = view["size"];
  const bool needed = needs_size(workload);
  for (const Mode mode : modes) {
    const SizeSpec& spec = mode == Mode::strong ? workload.size_strong : workload.size_weak;
    if (!spec.formula.empty()) continue;
    if (size.is(YamlNode::Kind::map) && !size[to_string(mode)].present()) {
      size[to_string(mode)].fail(std::string("missing; modes has '") + to_string(mode) + "'");
    } else if (needed && !size.present()) {
      size.fail("missing; this workload needs one, e.g. {strong: 512, weak: \"256 * K^(1/3)\"}");
      return;
    }
  }
}

void read_profile(const YamlView& view, WorkloadSpec& workload) {
  static const std::vector<std::string> words = {"none", "mpi"};
  read_into(view["profile"].word(words), workload.profile);
  if (workload.profile == "mpi" && !workload.mpi) {
    view["profile"].fail_at_key("profile: mpi counts MPI calls, but mpi: false starts no ranks");
  }
  const bool time_from_mpi =
      std::any_of(workload.metrics.begin(), workload.metrics.end(),
                  [](const MetricSpec& metric) { return metric.from == "mpi"; });
  if (!time_from_mpi || workload.profile == "mpi") return;
  for (const YamlView& entry : view["metrics"].entries()) {
    if (entry.name() != "time") continue;
    entry["from"].fail("from: mpi is told by the profile; add profile: mpi");
  }
}

void read_rest(const YamlView& view, WorkloadSpec& workload) {
  const std::vector<std::string> names = formula_names(workload, true);
  if (const YamlView result = view["result"]; result.check_map()) {
    read_into(result["name"].text(), workload.result.name);
    if (result["count"].present()) workload.result.count = read_formula(result["count"], names);
  }
  if (workload.catalog) {
    workload.model_strong = workload.catalog->model_strong;
    workload.model_weak = workload.catalog->model_weak;
  }
  if (const YamlView model = view["model"]; model.check_map()) {
    if (model["strong"].present()) workload.model_strong = read_formula(model["strong"], names);
    if (model["weak"].present()) workload.model_weak = read_formula(model["weak"], names);
  }
  const auto read_amount = [&](const char* key, std::string CatalogEntry::*of_catalog) {
    if (view[key].present()) return read_formula(view[key], names);
    return workload.catalog ? *workload.catalog.*of_catalog : std::string();
  };
  workload.flops = read_amount("flops", &CatalogEntry::flops);
  workload.bytes = read_amount("bytes", &CatalogEntry::bytes);
  workload.parallelism = read_amount("parallelism", &CatalogEntry::parallelism);
  workload.scale = read_scale(view["scale"]);
  read_into(view["mpi"].truth(), workload.mpi);
  if (const auto build = view["build"].text()) {
    if (!is_plain_name(*build)) {
      view["build"].fail("expected a name of letters, digits, '_' and '-', found '" + *build + "'");
    }
    workload.build = *build;
  }
}

}  // namespace

std::vector<std::string> formula_names(const WorkloadSpec& workload, bool with_size) {
  std::vector<std::string> names = {"K", "ranks", "nodes", "threads"};
  if (with_size) names.emplace_back("size");
  for (const ParameterList& list : workload.parameters) {
    if (std::all_of(list.values.begin(), list.values.end(), is_number)) names.push_back(list.name);
  }
  if (!workload.catalog) return names;
  const std::vector<std::string> given = names_of(workload.parameters);
  for (const Parameter& parameter : workload.catalog->parameters) {
    if (!contains(given, parameter.name) && is_number(parameter.value)) {
      names.push_back(parameter.name);
    }
  }
  return names;
}

WorkloadSpec read_workload(const YamlView& view, const std::vector<Mode>& modes,
                           const std::vector<CatalogEntry>& catalog) {
  WorkloadSpec workload;
  if (!view.check_map()) return workload;
  if (!view["name"].present()) view["name"].fail("missing; expected a name for tables and reports");
  if (const auto name = view["name"].text()) {
    workload.name = *name;
    if (!is_plain_name(*name)) {
      view["name"].fail("expected letters, digits, '_' and '-' (at most 64), found '" + *name +
                        "'");
    }
  }
  read_program(view, catalog, workload);
  read_parameters(view, workload);
  read_exclude(view, workload);
  read_size(view, workload);

  std::vector<std::string> known = built_in_placeholders();
  for (const std::string& name : names_of(workload.parameters)) known.push_back(name);
  if (workload.catalog) {
    for (const std::string& name : names_of(workload.catalog->parameters)) known.push_back(name);
  }
  for (const YamlView& argument : view["command"].is(YamlNode::Kind::list)
                                      ? view["command"].items()
                                      : std::vector<YamlView>{}) {
    if (argument.is(YamlNode::Kind::scalar)) check_placeholders(argument, *argument.text(), known);
  }
  workload.environment = read_environment(view["environment"], known);
  check_sizes(view, modes, workload);
  read_program_files(view, known, workload);
  read_rest(view, workload);
  read_profile(view, workload);
  return workload;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// One workload: which program, its parameters, sizes, metrics. What the catalog knows is filled in
// here, so that nobody later asks whether a value was given or is a default.
#include <algorithm>

#include "orchestrator/plan/plan/formula.h"
#include "orchestrator/plan/plan/parts.h"

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
  std::vector<std::string> allowed;
  if (workload.catalog) allowed = names_of(workload.catalog->parameters);
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
    const auto value = [](const YamlView& item) { return item.text(); };
    read_distinct(entry, value, "at least one value", list.values);
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

// Names that formulas of this workload can use: K, ranks, nodes, threads, and the parameters whose
// values are all numbers, catalog defaults included. `size` only where there is one by then.
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

const Keys<SizeSpec> kSize = {
    {"strong", as("number or formula"), "the catalog's", "for each mode"},
    {"weak"},
    {"round", one_of(&SizeSpec::rounding), "`nearest`",
     "how a formula's value becomes a whole size"},
    {"multiple_of", whole(&SizeSpec::multiple_of, 1, 1'000'000), "1", "to a multiple of this"},
};

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
  kSize.read(size, strong);
  if (size["strong"].present()) strong.formula = read_formula(size["strong"], names);
  if (size["weak"].present()) weak.formula = read_formula(size["weak"], names);
  if (strong.rounding == Rounding::none && strong.multiple_of > 1) {
    size["multiple_of"].fail_at_key("round: none leaves sizes as they are; drop one of the two");
  }
  weak.rounding = strong.rounding;
  weak.multiple_of = strong.multiple_of;
}

bool needs_size(const WorkloadSpec& workload) {
  if (workload.catalog) return !workload.catalog->size_meaning.empty();
  std::string texts;
  for (const std::string& argument : workload.command) texts += argument + "\n";
  for (const EnvironmentVariable& one : workload.environment) texts += one.value + "\n";
  return contains(placeholders_in(texts), "size");
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

void check_profile(const YamlView& view, const WorkloadSpec& workload) {
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

const Keys<ResultSpec> kResult = {{"name", text(&ResultSpec::name)}, {"count"}};
const KeySet kModel = {{{"strong"}, {"weak"}}};

void read_formulas(const YamlView& view, WorkloadSpec& workload) {
  const std::vector<std::string> names = formula_names(workload, true);
  if (const YamlView result = view["result"]; kResult.read(result, workload.result)) {
    if (result["count"].present()) workload.result.count = read_formula(result["count"], names);
  }
  const auto formula_or_catalogs = [&](const YamlView& at, std::string CatalogEntry::*of_catalog) {
    if (at.present()) return read_formula(at, names);
    return workload.catalog ? *workload.catalog.*of_catalog : std::string();
  };
  const YamlView model = view["model"];
  model.check_map();
  workload.model_strong = formula_or_catalogs(model["strong"], &CatalogEntry::model_strong);
  workload.model_weak = formula_or_catalogs(model["weak"], &CatalogEntry::model_weak);
  workload.flops = formula_or_catalogs(view["flops"], &CatalogEntry::flops);
  workload.bytes = formula_or_catalogs(view["bytes"], &CatalogEntry::bytes);
  workload.parallelism = formula_or_catalogs(view["parallelism"], &CatalogEntry::parallelism);
}

const Keys<WorkloadSpec> kWorkload = {
    {"name",
     as("letters, digits, `_`, `-`", required(text(&WorkloadSpec::name, is_plain_name,
                                                   "letters, digits, '_' and '-' (at most 64)"),
                                              "missing; expected a name for tables and reports")),
     "required", "unique (per `build`)"},
    {"use", as("word"), "", "a workload of the catalog (`kneepoint workloads`)"},
    {"command", as("list of arguments"), "", "any program, instead of `use`; no shell reads it"},
    {"mpi", truth(&WorkloadSpec::mpi), "true",
     "false: one plain process instead of ranks started by the site's starter; on Kubernetes with "
     "several pods `ranks_per_node` of them in each, see [site](site.md#programs-without-mpi)"},
    {"parameters", as("map: value or list", free_names()), "the catalog's",
     "lists multiply to cases; with `use` only the catalog's names"},
    {"exclude", as("list of maps", free_names()), "none",
     "leaves out the cases that match every value of one map"},
    {"size", as("number, formula or map", elsewhere(kSize)), "the catalog's",
     "size of the whole problem, see below"},
    {"environment", as("map", free_names()), "none", "goes over the plan's and the site's"},
    {"metrics", as("map", free_names(&metric_keys())), "none",
     "numbers taken from what the program prints or writes, see below"},
    {"sanity", as("rule or list of rules", elsewhere(sanity_keys())), "none",
     "what must hold for a run to count, see below"},
    {"keep", as("path or list of paths"), "none",
     "files of the run's own folder that are kept, see below"},
    {"inputs", as("path or list of paths"), "none",
     "files and folders that every run finds in its own folder, see below"},
    {"profile", word(&WorkloadSpec::profile, {"none", "mpi"}), "`none`",
     "`mpi`: count the program's MPI calls, see [profile](#profile)"},
    {"result", as("map of `name` and `count`", elsewhere(kResult)), "`{name: run, count: 1}`",
     "what one run makes; `count` may be a formula"},
    {"scale", reads_by(&WorkloadSpec::scale, "as above", read_scale, &scale_keys()), "the plan's",
     "K of this workload"},
    {"model", as("`{strong, weak}`", elsewhere(kModel)), "the catalog's",
     "formulas of T in seconds (with `use`: of one iteration) for the simulated backend and for "
     "estimates"},
    {"flops", as("number or formula"), "the catalog's",
     "floating point operations of all ranks; with `use`: of one iteration, with `command`: of one "
     "run"},
    {"bytes", as("number or formula"), "the catalog's", "bytes from and to memory, counted alike"},
    {"parallelism", as("number or formula"), "the catalog's",
     "how many ranks the decomposition can give work to"},
    {"build",
     as("word",
        text(&WorkloadSpec::build, is_plain_name, "a name of letters, digits, '_' and '-'")),
     "`default`", "label of the binary or image, to compare two"},
};

}  // namespace

const KeySet& workload_keys() {
  return kWorkload;
}

WorkloadSpec read_workload(const YamlView& view, const std::vector<Mode>& modes,
                           const std::vector<CatalogEntry>& catalog) {
  WorkloadSpec workload;
  if (!kWorkload.read(view, workload)) return workload;
  read_program(view, catalog, workload);
  read_parameters(view, workload);
  read_exclude(view, workload);
  read_size(view, workload);

  std::vector<std::string> known = built_in_placeholders();
  for (const std::string& name : names_of(workload.parameters)) known.push_back(name);
  if (workload.catalog) {
    for (const std::string& name : names_of(workload.catalog->parameters)) known.push_back(name);
  }
  if (view["command"].is(YamlNode::Kind::list)) {
    for (const YamlView& argument : view["command"].items()) {
      if (argument.is(YamlNode::Kind::scalar)) {
        check_placeholders(argument, *argument.text(), known);
      }
    }
  }
  workload.environment = read_environment(view["environment"], known);
  check_sizes(view, modes, workload);
  read_program_files(view, known, workload);
  read_formulas(view, workload);
  check_profile(view, workload);
  return workload;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The plan's top level. Each part reads itself; what no part can see alone (names used twice, a
// workload without a scale) is checked at the end.
#include "orchestrator/plan/plan/reader.h"

#include <algorithm>
#include <set>

#include "orchestrator/model/money.h"
#include "orchestrator/plan/plan/parts.h"
#include "orchestrator/plan/plan/placeholders.h"
#include "orchestrator/plan/plan/program_reader.h"
#include "orchestrator/plan/plan/workload_reader.h"
#include "orchestrator/plan/yaml/keys.h"

namespace kneepoint {
namespace {

constexpr int kMaxRepeats = 1'000;
constexpr double kMaxAmount = 1e12;
constexpr double kLeastNodeHours = 1e-6;  // 0 would read as "none"

void read_study(const YamlView& view, Plan& plan) {
  if (!view.present()) view.fail("missing; expected a name such as jacobi-nightly");
  const auto name = view.text();
  if (!name) return;
  plan.study = *name;
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (name->empty() || name->size() > 40 || name->front() == '-' ||
      !std::all_of(name->begin(), name->end(), is_good)) {
    view.fail("expected 1 to 40 of a-z, 0-9 and '-', not beginning with '-', found '" +
              name->substr(0, 60) + "'");
  }
}

void read_counts(const YamlView& view, int most, std::vector<int>& counts) {
  if (!view.present()) return;
  counts.clear();
  for (const YamlView& item : view.one_or_many()) {
    const auto count = item.integer(1, most);
    if (!count) continue;
    if (std::find(counts.begin(), counts.end(), *count) != counts.end()) {
      item.fail("'" + std::to_string(*count) + "' is listed twice");
    } else {
      counts.push_back(*count);
    }
  }
  if (view.is(YamlNode::Kind::list) && view.items().empty()) {
    view.fail("the list is empty; expected at least one number");
  }
}

void read_shape(const YamlView& view, ShapeSpec& shape) {
  if (!view.check_map()) return;
  read_counts(view["ranks_per_node"], 100'000, shape.ranks_per_node);
  read_counts(view["threads_per_rank"], 100'000, shape.threads_per_rank);
  read_into(view["gpus_per_node"].integer(0, 1'000), shape.gpus_per_node);
  static const std::vector<std::string> words = {"core", "socket", "none"};
  if (const auto word = view["bind"].word(words)) shape.bind = *parse_bind(*word);
}

void read_modes(const YamlView& view, std::vector<Mode>& modes) {
  if (!view.present()) return;
  modes.clear();
  static const std::vector<std::string> words = {"strong", "weak"};
  for (const YamlView& item : view.one_or_many()) {
    const auto word = item.word(words);
    if (!word) continue;
    if (std::find(modes.begin(), modes.end(), *parse_mode(*word)) != modes.end()) {
      item.fail("'" + *word + "' is listed twice");
    } else {
      modes.push_back(*parse_mode(*word));
    }
  }
  if (view.is(YamlNode::Kind::list) && view.items().empty()) {
    view.fail("the list is empty; expected strong, weak or both");
  }
}

void read_iterations(const YamlView& view, Iterations& iterations) {
  if (!view.check_map()) return;
  read_into(view["warmup"].integer(0, 1'000'000), iterations.warmup);
  read_into(view["count"].integer(1, 1'000'000), iterations.count);
  read_into(view["min_time"].duration(1), iterations.min_time);
  if (view["count"].present() && view["min_time"].present()) {
    view["min_time"].fail_at_key("give either 'count' or 'min_time'");
  }
}

void read_repeat(const YamlView& view, Repeat& repeat) {
  if (!view.present()) return;
  if (view.is(YamlNode::Kind::scalar)) {
    read_into(view.integer(1, kMaxRepeats), repeat.min);
    repeat.max = repeat.min;
    return;
  }
  if (!view.is(YamlNode::Kind::map)) {
    view.expected("a number or {min: 5, max: 20, until: {efficiency_ci: 2%}}");
    return;
  }
  view.check_map();
  const YamlView until = view["until"];
  if (until.check_map()) {
    const YamlView width = until["efficiency_ci"];
    if (!width.present()) width.fail("missing; expected a half-width such as 2%");
    read_into(width.share(), repeat.until_efficiency_ci);
  }
  repeat.max = until.present() ? 20 : 0;
  read_into(view["max"].integer(1, kMaxRepeats), repeat.max);
  if (repeat.max > 0) repeat.min = std::min(repeat.min, repeat.max);
  read_into(view["min"].integer(1, kMaxRepeats), repeat.min);
  if (repeat.max == 0) repeat.max = repeat.min;
  if (repeat.max < repeat.min && view["max"].present()) {
    view["max"].fail("'max' (" + std::to_string(repeat.max) + ") is below 'min' (" +
                     std::to_string(repeat.min) + ")");
  }
  repeat.max = std::max(repeat.max, repeat.min);
  if (!until.present() && view["max"].present() && repeat.max > repeat.min) {
    view["max"].fail_at_key(
        "nothing says when to stop before 'max'; add until: "
        "{efficiency_ci: 2%}, or write repeat: " +
        std::to_string(repeat.min));
  }
}

void read_limits(const YamlView& view, Limits& limits) {
  if (!view.check_map()) return;
  read_into(view["concurrent"].integer(1, 100'000), limits.concurrent);
  read_into(view["nodes"].integer(1, kMaxK), limits.nodes);
  read_into(view["timeout"].duration(kMillisecond), limits.timeout);
  read_into(view["queue_wait"].duration(0), limits.queue_wait);
  read_into(view["retries"].integer(0, 100), limits.retries);
  read_into(view["oversubscribe"].truth(), limits.oversubscribe);
  const YamlView budget = view["budget"];
  if (!budget.check_map()) return;
  read_into(budget["node_hours"].number(kLeastNodeHours, kMaxAmount), limits.node_hours);
  const auto amount = budget["amount"].text();
  if (amount) {
    const auto micros = parse_micros(*amount);
    if (micros && *micros > 0) {
      limits.amount_micros = *micros;
    } else {
      budget["amount"].fail(
          "expected an amount above 0 such as 200 or 12.50, at most a million and with at most six "
          "decimals, found '" +
          amount->substr(0, 40) + "'");
    }
  }
  const auto currency = budget["currency"].text();
  if (currency && !is_currency(*currency)) {
    budget["currency"].fail("expected a code of capitals such as USD or SU, found '" +
                            currency->substr(0, 40) + "'");
  }
  read_into(currency, limits.currency);
  if (amount && !budget["currency"].present()) {
    budget["amount"].fail_at_key("an amount needs a currency; add currency: USD");
  } else if (currency && !budget["amount"].present()) {
    budget["currency"].fail_at_key("a currency needs an amount");
  }
}

void read_knee(const YamlView& view, KneeSpec& knee) {
  if (!view.check_map()) return;
  static const std::vector<std::string> rules = {"efficiency", "power",    "marginal",
                                                 "min_time",   "usl_peak", "kneedle"};
  read_into(view["rule"].word(rules), knee.rule);
  read_into(view["floor"].share(), knee.floor);
}

void read_gate(const YamlView& view, GateOptions& gate) {
  if (!view.check_map()) return;
  read_into(view["alpha"].share(), gate.alpha);
  read_into(view["min_effect"].share(), gate.min_effect);
  read_into(view["confirm_effect"].share(), gate.confirm_effect);
  read_into(view["max_regression"].share(), gate.max_regression);
  read_into(view["curve_alpha"].share(), gate.curve_alpha);
  read_into(view["curve_effect"].share(), gate.curve_effect);
  read_into(view["drift"].share(), gate.drift);
  read_into(view["knee_shift"].share(), gate.knee_shift);
}

// `root` for what an adaptive search must agree with.
void read_search(const YamlView& root, Plan& plan) {
  const YamlView view = root["search"];
  if (!view.present()) return;
  if (!view.is(YamlNode::Kind::map)) {
    static const std::vector<std::string> words = {"grid"};
    static_cast<void>(view.word(words));
    return;
  }
  view.check_map();
  static const std::vector<std::string> words = {"adaptive"};
  SearchSpec& search = plan.search;
  const bool recommends = view["recommendation"].present();
  if (!view["knee"].present() && !recommends) {
    view["knee"].fail(
        "missing; expected knee: adaptive or recommendation: adaptive, or write search: grid");
  }
  if (view["knee"].present() && recommends) {
    view["recommendation"].fail_at_key("a search is for the knee or for the recommendation");
  }
  if (recommends) {
    search.target = SearchSpec::Target::recommendation;
    search.within = 0.05;
    static const std::vector<std::string> objectives = {"cost", "time"};
    const auto objective = view["objective"].word(objectives);
    if (objective == "time") search.objective = SearchSpec::Objective::time;
  } else if (view["objective"].present()) {
    view["objective"].fail_at_key("goes with recommendation: adaptive");
  }
  search.adaptive = view[recommends ? "recommendation" : "knee"].word(words).has_value();
  read_into(view["within"].share(), search.within);
  read_into(view["first"].integer(2, kMaxRepeats), search.first);
  if (!search.adaptive) return;
  if (plan.repeat.until_efficiency_ci > 0) {
    root["repeat"]["until"].fail_at_key(
        "an adaptive search decides itself how often; give the most runs at a K as repeat: 5, and "
        "how narrow the answer must be as search: {..., within: 10%}");
  }
  if (search.first > plan.repeat.max) {
    (view["first"].present() ? view["first"] : root["repeat"])
        .fail("an adaptive search begins with " + std::to_string(search.first) +
              " runs at a K, and repeat allows " + std::to_string(plan.repeat.max));
  }
  if (!recommends && plan.knee.rule != "efficiency") {
    root["knee"]["rule"].fail("an adaptive search looks for the knee by efficiency, found '" +
                              plan.knee.rule + "'; use search: grid for other rules");
  }
}

void read_workloads(const YamlView& root, const std::vector<CatalogEntry>& catalog, Plan& plan) {
  const YamlView list = root["workloads"];
  if (!list.present()) {
    list.fail("missing; expected a list of at least one workload");
    return;
  }
  const std::vector<YamlView> items = list.items();
  if (list.is(YamlNode::Kind::list) && items.empty()) {
    list.fail("the list is empty; expected at least one workload");
  }
  std::set<std::pair<std::string, std::string>> seen;
  for (const YamlView& item : items) {
    WorkloadSpec workload = read_workload(item, plan.modes, catalog);
    if (!workload.name.empty() && !seen.insert({workload.build, workload.name}).second) {
      item["name"].fail("'" + workload.name + "' is the name of another workload already" +
                        (workload.build == "default" ? "" : " of build '" + workload.build + "'"));
    }
    if (item.is(YamlNode::Kind::map) && !item["scale"].present() && !root["scale"].present()) {
      item["scale"].fail("missing, and the plan has none; expected K, e.g. [1, 2, 4, 8]");
    }
    plan.workloads.push_back(std::move(workload));
  }
}

}  // namespace

PlanRead read_plan(std::string_view text, const std::string& path,
                   const std::vector<CatalogEntry>& catalog) {
  PlanRead read;
  YamlFile file = parse_yaml(text, path);
  read.problems = std::move(file.problems);
  Plan& plan = read.plan;
  plan.text = text;
  plan.path = path;
  const YamlView root(file.root, plan_keys(), path, read.problems);
  if (root.check_map()) {
    read_study(root["study"], plan);
    static const std::vector<std::string> units = {"node", "rank", "gpu"};
    if (const auto unit = root["worker"].word(units)) plan.worker = *parse_worker_unit(*unit);
    read_into(read_scale(root["scale"]), plan.scale);
    read_shape(root["shape"], plan.shape);
    read_modes(root["modes"], plan.modes);
    plan.environment = read_environment(root["environment"], built_in_placeholders());
    read_workloads(root, catalog, plan);
    read_iterations(root["iterations"], plan.iterations);
    read_repeat(root["repeat"], plan.repeat);
    read_into(root["seed"].seed(), plan.seed);
    read_limits(root["limits"], plan.limits);
    read_knee(root["knee"], plan.knee);
    read_gate(root["gate"], plan.gate);
    plan.gate.knee_floor = plan.knee.floor;
    read_search(root, plan);
    read_noise(root["noise"], plan.noise);
    if (plan.worker == WorkerUnit::gpu && root["shape"]["ranks_per_node"].present()) {
      root["shape"]["ranks_per_node"].fail_at_key(
          "worker: gpu starts one rank per GPU; give gpus_per_node instead");
    }
  }
  sort_problems(read.problems);
  read.origins = origins_of(file.root);
  return read;
}

}  // namespace kneepoint

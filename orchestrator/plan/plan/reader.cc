// SPDX-License-Identifier: Apache-2.0
//
// The plan's top level. Each part reads itself; what no part can see alone (names used twice, a
// workload without a scale) is checked at the end.
#include "orchestrator/plan/readers.h"

#include <algorithm>
#include <set>

#include "orchestrator/plan/plan/formula.h"
#include "orchestrator/plan/plan/parts.h"
#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {
namespace {

constexpr int kMaxRepeats = 1'000;
constexpr double kMaxAmount = 1e12;
constexpr double kLeastNodeHours = 1e-6;  // 0 would read as "none"

void read_counts(const YamlView& view, std::vector<int>& counts) {
  const auto count = [](const YamlView& item) { return item.integer(1, 100'000); };
  read_distinct(view, count, "at least one number", counts);
}

const Keys<ShapeSpec> kShape = {
    {"ranks_per_node", as("number or list", by(&ShapeSpec::ranks_per_node, read_counts)),
     "`worker: node`: 1; `rank`: as many as fit", "not with `worker: gpu`"},
    {"threads_per_rank", as("number or list", by(&ShapeSpec::threads_per_rank, read_counts)), "1",
     "`OMP_NUM_THREADS` of every rank"},
    {"gpus_per_node", whole(&ShapeSpec::gpus_per_node, 0, 1'000), "the site's, with `worker: gpu`",
     "GPUs of a node"},
    {"bind", one_of(&ShapeSpec::bind), "`core`",
     "what a rank is bound to; verified from what the ranks report"},
};

void read_modes(const YamlView& view, std::vector<Mode>& modes) {
  read_distinct(view, read_word<Mode>, "strong, weak or both", modes);
}

const Keys<Iterations> kIterations = {
    {"warmup", whole(&Iterations::warmup, 0, 1'000'000), "1", "iterations that don't count"},
    {"count", whole(&Iterations::count, 1, 1'000'000), "5", "T of a run is their sum"},
    {"min_time", duration(&Iterations::min_time, 1), "",
     "instead of `count`: as many as it takes; T is then per iteration"},
};

void check_iterations(const YamlView& view, Iterations& /*iterations*/) {
  if (view.has("count")) view.fail_at_keys({"min_time"}, "give either 'count' or 'min_time'");
}

const Keys<Repeat> kUntil = {
    {"efficiency_ci",
     required(share(&Repeat::until_efficiency_ci), "missing; expected a half-width such as 2%"), "",
     "stop early once the interval of E has this half-width"},
};
const Keys<Repeat> kRepeat = {
    {"min", as("number"), "5; `min`, or 20 with `until`", "at least, at most"},
    {"max"},
    {"until", map_of(kUntil)},
};

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
  kRepeat.read(view, repeat);
  const YamlView until = view["until"];
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

const Keys<Limits> kBudget = {
    {"node_hours", number(&Limits::node_hours, kLeastNodeHours, kMaxAmount), "none",
     "nothing starts that could pass them"},
    {"amount",
     as("number, `USD`",
        amount_above_zero(&Limits::amount_micros,
                          "an amount above 0 such as 200 or 12.50, at most a million and with at "
                          "most six decimals")),
     "none",
     "the same in money; needs a price in the same currency: `--prices FILE --item NAME` of "
     "`check` and `run`, or that of the site"},
    {"currency",
     as("", text(&Limits::currency, is_currency, "a code of capitals such as USD or SU"))},
};
const Keys<Limits> kLimits = {
    {"concurrent", whole(&Limits::concurrent, 1, 100'000), "the backend's", "allocations at once"},
    {"nodes", whole(&Limits::nodes, 1, kMaxK), "none", "nodes at once"},
    {"budget", map_of(kBudget)},
    {"timeout", duration(&Limits::timeout, kMillisecond), "`20m`", "of one run"},
    {"queue_wait", duration(&Limits::queue_wait, 0), "`0` (for ever)",
     "how long a run may wait in the queue"},
    {"retries", whole(&Limits::retries, 0, 100), "1", "attempts after the first"},
    {"oversubscribe", truth(&Limits::oversubscribe), "false",
     "may ranks × threads exceed the local cores? Such points are marked"},
};

void check_limits(const YamlView& view, Limits& /*limits*/) {
  const YamlView budget = view["budget"];
  if (!budget.is(YamlNode::Kind::map)) return;
  if (!budget.has("currency")) {
    budget.fail_at_keys({"amount"}, "an amount needs a currency; add currency: USD");
  } else if (!budget.has("amount")) {
    budget.fail_at_keys({"currency"}, "a currency needs an amount");
  }
}

const Keys<KneeSpec> kKnee = {
    {"rule",
     as("see below", word(&KneeSpec::rule,
                          {"efficiency", "power", "marginal", "min_time", "usl_peak", "kneedle"})),
     "`efficiency`", "which rule names the knee; reports list them all"},
    {"floor", share(&KneeSpec::floor), "0.7", "of the rule `efficiency`"},
};

const Keys<GateOptions> kGate = {
    {"min_effect", share(&GateOptions::min_effect), "3%",
     "a point that is slower by less is never suspect"},
    {"alpha", share(&GateOptions::alpha), "2.5%",
     "false alarms of a night, over all its points, for each window"},
    {"confirm_effect", share(&GateOptions::confirm_effect), "1.5%",
     "what builds in turns must show at a point (`gate --confirm`, `run --ab`)"},
    {"max_regression", share(&GateOptions::max_regression), "5%",
     "nights that can't show this on a whole curve are INCONCLUSIVE"},
    {"curve_alpha", share(&GateOptions::curve_alpha), "0.5%",
     "false alarms of a whole curve, for each window; also of its knee and its drift"},
    {"curve_effect", share(&GateOptions::curve_effect), "2%",
     "a whole curve that is slower by less is never suspect"},
    {"drift", share(&GateOptions::drift), "5%",
     "a curve whose last nights are slower than the baseline by less has not drifted"},
    {"knee_shift", share(&GateOptions::knee_shift), "25%",
     "of a doubling of K: a knee that moved by less has not moved"},
};

const Keys<SearchSpec> kSearch = {
    {"knee", as("`adaptive`"), "this or the next",
     "look for the knee by efficiency (`knee: {floor: ...}`)"},
    {"recommendation", as("`adaptive`"), "this or the one before",
     "look for the K to recommend, as `kneepoint recommend` does"},
    {"objective", one_of(&SearchSpec::objective), "`cost`",
     "with `recommendation`: of a result; cost by the study's price, without one node-hours"},
    {"within", share(&SearchSpec::within), "10%; 5%",
     "`knee`: stop when half of its 95% interval is at most this share of its K. "
     "`recommendation`: stop when no K is better than the best by more than this, with 95%"},
    {"first", as("number, 2 or more", whole(&SearchSpec::first, 2, kMaxRepeats)), "2",
     "runs at a K that is looked at for the first time"},
};

// `root` for what an adaptive search must agree with.
void read_search(const YamlView& root, Plan& plan) {
  const YamlView view = root["search"];
  if (!view.present()) return;
  if (!view.is(YamlNode::Kind::map)) {
    static const std::vector<std::string> words = {"grid"};
    static_cast<void>(view.word(words));
    return;
  }
  SearchSpec& search = plan.search;
  kSearch.read(view, search);
  static const std::vector<std::string> words = {"adaptive"};
  const bool recommends = view.has("recommendation");
  if (!view.has("knee") && !recommends) {
    view["knee"].fail(
        "missing; expected knee: adaptive or recommendation: adaptive, or write search: grid");
  }
  if (view.has("knee")) {
    view.fail_at_keys({"recommendation"}, "a search is for the knee or for the recommendation");
  }
  if (recommends) {
    search.target = SearchSpec::Target::recommendation;
    if (!view.has("within")) search.within = 0.05;
  } else {
    view.fail_at_keys({"objective"}, "goes with recommendation: adaptive");
  }
  search.adaptive = view[recommends ? "recommendation" : "knee"].word(words).has_value();
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

void read_environment_of_plan(const YamlView& view, std::vector<EnvironmentVariable>& variables) {
  variables = read_environment(view, built_in_placeholders());
}

const Keys<Plan> kPlan = {
    {"study",
     as("`a-z 0-9 -`, 1 to 40, not beginning with `-`",
        required(text(&Plan::study, is_study_name,
                      "1 to 40 of a-z, 0-9 and '-', not beginning with '-'"),
                 "missing; expected a name such as jacobi-nightly")),
     "required", "name of the study; its id is `<study>-<hash8>-<n>`"},
    {"worker", one_of(&Plan::worker), "`rank`", "what K counts"},
    {"scale", reads_by(&Plan::scale, "list or map", read_scale, &scale_keys()),
     "required, here or in every workload", "which K"},
    {"shape", map_for(&Plan::shape, kShape), "see below", "ranks, threads and GPUs of a node"},
    {"modes", as("`strong`, `weak` or a list", by(&Plan::modes, read_modes)), "`[strong, weak]`",
     "what is held fixed: the whole problem, or the problem per worker"},
    {"workloads", as("list", elsewhere(workload_keys())), "required", "what to time"},
    {"environment",
     as("map of names and values", names_by(&Plan::environment, read_environment_of_plan)), "none",
     "environment variables of every workload"},
    {"iterations", map_for(&Plan::iterations, kIterations, check_iterations), "see below",
     "samples inside one run"},
    {"repeat", as("number or map", by(&Plan::repeat, read_repeat, &kRepeat)), "5",
     "runs at every point"},
    {"search", as("`grid` or map", elsewhere(kSearch)), "`grid`",
     "every K of the scale alike, or where that narrows the knee or the recommendation; see below"},
    {"seed", seed(&Plan::seed), "1", "order of the runs, and the workloads' own randomness"},
    {"limits", map_for(&Plan::limits, kLimits, check_limits), "see below", "what a study may use"},
    {"knee", map_for(&Plan::knee, kKnee), "see below", "the rule that names the knee"},
    {"gate", map_for(&Plan::gate, kGate), "see below", "what the [nightly gate](gate.md) asks for"},
    {"noise", as("map", by(&Plan::noise, read_noise, &noise_keys())), "none",
     "samples of what else goes on on a node, and when that is too much; see below"},
};

}  // namespace

const KeySet& plan_keys() {
  return kPlan;
}

PlanRead read_plan(std::string_view text, const std::string& path,
                   const std::vector<CatalogEntry>& catalog) {
  PlanRead read;
  Plan& plan = read.plan;
  plan.text = text;
  plan.path = path;
  const auto read_root = [&](const YamlView& root) {
    if (!kPlan.read(root, plan)) return;
    plan.gate.knee_floor = plan.knee.floor;
    read_workloads(root, catalog, plan);
    read_search(root, plan);
    if (plan.worker == WorkerUnit::gpu) {
      root["shape"].fail_at_keys({"ranks_per_node"},
                                 "worker: gpu starts one rank per GPU; give gpus_per_node instead");
    }
  };
  read.problems = read_yaml(text, path, kPlan, read_root, &read.origins);
  return read;
}

}  // namespace kneepoint

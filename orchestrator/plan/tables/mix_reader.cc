// SPDX-License-Identifier: Apache-2.0
//
// The mix's file. What contradicts itself is refused here; whether studies and price books exist is
// seen when they are looked up.
#include "orchestrator/plan/readers.h"

#include <algorithm>
#include <set>

#include "orchestrator/base/text.h"
#include "orchestrator/plan/plan/parts.h"

namespace kneepoint {
namespace {

constexpr int kMostWorkers = 1'000'000;
constexpr int kMostWorkloads = 50;
constexpr double kMostRate = 1e6;
constexpr double kMostFactor = 1000;
// Below, the median job is late; above, the simulated queue has too few jobs to tell.
constexpr double kLeastInTime = 0.5, kMostInTime = 0.99;

void read_mix_name(const YamlView& view, std::string& name) {
  read_into(view.text(), name);
  if (is_plain_name(name)) return;
  view.fail((view.present() ? "" : std::string("missing; ")) +
            "expected a name of letters, digits, '_' and '-', at most 64");
}

void read_times(const YamlView& view, std::vector<MixTime>& times) {
  for (const YamlView& entry : view.entries()) {
    const int k = parse_number<int>(entry.name()).value_or(0);
    if (k < 1 || k > kMostWorkers) {
      entry.fail_at_key("expected a number of workers, found '" + entry.name() + "'");
      continue;
    }
    if (const auto time = entry.duration(1)) times.push_back({k, to_seconds(*time)});
  }
  std::sort(times.begin(), times.end(),
            [](const MixTime& a, const MixTime& b) { return a.k < b.k; });
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i].k == times[i - 1].k) {
      view.fail("K=" + std::to_string(times[i].k) + " is there twice");
    }
  }
  if (view.is(YamlNode::Kind::map) && view.node()->entries.empty()) {
    view.fail("expected at least one K with its time, such as {8: 20m}");
  }
}

const Keys<MixModel> kMixModel = {
    {"t1",
     required(seconds(&MixModel::t1_seconds, 1), "missing; expected the time at K=1, such as 20h")},
    {"s", number(&MixModel::serial, 0, 1)},
    {"c", number(&MixModel::log_coefficient, 0, 1)},
};

// Exactly one of the three says how long a run takes.
void check_curve(const YamlView& view) {
  int given = 0;
  for (const char* key : {"study", "times", "model"}) given += view.has(key) ? 1 : 0;
  if (given != 1) {
    view.fail(std::string(given == 0 ? "has no curve" : "has more than one curve") +
              "; expected one of study (a name), times (by K) or model (t1, s, c)");
  }
  if (!view.has("study")) view.fail_at_keys({"case", "baseline"}, "is for `study`");
}

void read_in_time(const YamlView& view, double& in_time) {
  const auto share = view.share();
  if (!share) return;
  if (*share < kLeastInTime || *share > kMostInTime) {
    view.fail("expected a share of the jobs from 50% to 99%");
    return;
  }
  in_time = *share;
}

void read_daily(const YamlView& view, MixWorkload& one) {
  if (const auto rate = view.number(1e-6, kMostRate)) one.per_hour = *rate / 24;
}

void read_allowed(const YamlView& view, std::vector<int>& ks) {
  for (const YamlView& item : view.one_or_many()) {
    if (const auto k = item.integer(1, kMostWorkers)) ks.push_back(*k);
  }
}

constexpr char kNoMode[] = "missing; expected strong or weak: K means another thing in each";
const Keys<MixWorkload> kMixWorkload = {
    {"name", by(&MixWorkload::name, read_mix_name)},
    {"mode", required(one_of(&MixWorkload::mode), kNoMode)},
    {"study", text(&MixWorkload::study)},
    {"times", names_by(&MixWorkload::times, read_times)},
    {"model", map_for(&MixWorkload::model, kMixModel)},
    {"case", text(&MixWorkload::case_name)},
    {"baseline", seconds(&MixWorkload::baseline_seconds, 1)},
    {"per_hour", number(&MixWorkload::per_hour, 1e-6, kMostRate)},
    {"per_day", by(read_daily)},
    {"arrivals",
     one_of(&MixWorkload::periodic, Words<bool>{{"poisson", false}, {"periodic", true}})},
    {"deadline", seconds(&MixWorkload::deadline_seconds, 1)},
    {"in_time", by(&MixWorkload::in_time, read_in_time)},
    {"value", number(&MixWorkload::value, 1e-6, 1e9)},
    {"spread", share(&MixWorkload::spread)},
    {"result_workers", whole(&MixWorkload::result_workers, 1, kMostWorkers)},
    {"k", by(&MixWorkload::ks, read_allowed)},
};

void read_workload_of_mix(const YamlView& view, MixWorkload& one) {
  if (!kMixWorkload.read(view, one)) return;
  check_curve(view);
  const bool hourly = view["per_hour"].present(), daily = view["per_day"].present();
  if (hourly == daily) {
    view.fail(hourly ? "has both per_hour and per_day; give one"
                     : "does not say how often it runs; expected per_hour or per_day");
  }
  if (!view.has("deadline")) view.fail_at_keys({"in_time"}, "is for workloads with a deadline");
  if (one.mode == Mode::strong && view.has("mode")) {
    view.fail_at_keys({"result_workers"}, "is for mode: weak");
  }
  for (const int k : one.ks) {
    const bool there = one.times.empty() || std::any_of(one.times.begin(), one.times.end(),
                                                        [&](const auto& at) { return at.k == k; });
    if (!there) view["k"].fail("K=" + std::to_string(k) + " is not in `times`");
  }
}

const Keys<Mix> kMixBudget = {
    {"amount", required(amount_above_zero(&Mix::budget_micros, "an amount above 0 such as 500"),
                        "missing; expected an amount such as 500")},
    {"per",
     one_of(&Mix::budget_hours, Words<double>{{"hour", 1}, {"day", 24}, {"month", 8766.0 / 12}})},
};

void read_budget(const YamlView& view, Mix& mix) {
  if (!view.is(YamlNode::Kind::map)) return view.expected("a map");
  mix.budget_hours = 24;
  kMixBudget.read(view, mix);
}

const Keys<Mix> kMixPrices = {{"book", text(&Mix::price_book)}, {"item", text(&Mix::price_item)}};

void check_mix_prices(const YamlView& view, Mix& mix) {
  if (mix.price_book.empty()) view["book"].fail("missing; expected the path of a price book");
}

const Keys<WhatIf> kWhatIf = {
    {"load", number(&WhatIf::load, 1e-3, kMostFactor)},
    {"price", number(&WhatIf::price, 1e-3, kMostFactor)},
};

const Keys<Mix> kMixSlurm = {{"node_prefix", text(&Mix::node_prefix)}};

void check_mix_slurm(const YamlView& view, Mix& mix) {
  if (is_plain_name(mix.node_prefix)) return;
  view["node_prefix"].fail("expected letters, digits, '_' and '-', at most 64");
}

const Keys<Mix> kMixKubernetes = {
    {"resource", text(&Mix::resource)},
    {"per_worker", whole(&Mix::resource_per_worker, 1, kMostWorkers)},
};

void check_mix_kubernetes(const YamlView& view, Mix& mix) {
  if (!is_made_of(mix.resource, ".-/_") || mix.resource.size() > 128) {
    view["resource"].fail("expected a resource such as cpu or nvidia.com/gpu");
  }
}

const Keys<Mix> kMix = {
    {"mix", by(&Mix::name, read_mix_name)},
    {"worker",
     required(one_of(&Mix::worker), "missing; expected node, rank or gpu: what K counts")},
    {"workers", whole(&Mix::workers, 1, kMostWorkers)},
    {"workers_per_node", whole(&Mix::workers_per_node, 1, 1024)},
    {"budget", by(read_budget, &kMixBudget)},
    {"prices", map_of(kMixPrices, check_mix_prices)},
    {"pay", one_of(&Mix::held, Words<bool>{{"used", false}, {"held", true}})},
    {"in_time"},
    {"backfill", truth(&Mix::backfill)},
    {"modelled", truth(&Mix::modelled)},
    {"seed", seed(&Mix::seed)},
    {"workloads", elsewhere(kMixWorkload)},
    {"what_if", list_of(&Mix::what_if, kWhatIf)},
    {"slurm", map_of(kMixSlurm, check_mix_slurm)},
    {"kubernetes", map_of(kMixKubernetes, check_mix_kubernetes)},
};

void check_total(const YamlView& root, const Mix& mix) {
  const bool total = root["workers"].present(), budget = root["budget"].present();
  if (total == budget) {
    root.fail(total ? "has both workers and budget; give one"
                    : "does not say how much there is; expected workers or budget");
  }
  if (mix.worker == WorkerUnit::node && mix.workers_per_node > 1) {
    root["workers_per_node"].fail_at_key("is for worker: gpu or rank");
  }
  if (mix.workers && *mix.workers % mix.workers_per_node != 0) {
    root["workers"].fail("expected whole nodes: a multiple of workers_per_node, " +
                         std::to_string(mix.workers_per_node));
  }
  if (root["budget"].is(YamlNode::Kind::map) && !root["prices"].present()) {
    root["budget"].fail_at_key("needs `prices` beside it");
  }
  if (budget && root["pay"].present() && !mix.held) {
    root["pay"].fail("a budget is for nodes that are held; give `workers` to pay for what is used");
  }
}

void read_workloads_of_mix(const YamlView& root, Mix& mix) {
  double in_time = kUsualInTime;
  read_in_time(root["in_time"], in_time);
  std::set<std::string> names;
  for (const YamlView& view : root["workloads"].items()) {
    MixWorkload& one = mix.workloads.emplace_back();
    one.in_time = in_time;
    read_workload_of_mix(view, one);
    if (!one.name.empty() && !names.insert(one.name).second) {
      view["name"].fail("another workload is called '" + one.name + "' already");
    }
  }
  if (!root["workloads"].present()) {
    root["workloads"].fail("missing; expected at least one workload");
  } else if (mix.workloads.empty() || mix.workloads.size() > kMostWorkloads) {
    root["workloads"].expected("a list of 1 to " + std::to_string(kMostWorkloads) + " workloads");
  }
}

}  // namespace

const KeySet& mix_keys() {
  return kMix;
}

MixRead read_mix(std::string_view text, const std::string& path) {
  MixRead read;
  Mix& mix = read.mix;
  mix.path = path;
  read.problems = read_yaml(text, path, kMix, [&](const YamlView& root) {
    mix.held = root.is(YamlNode::Kind::map) && root["budget"].present();
    if (!kMix.read(root, mix)) return;
    check_total(root, mix);
    read_workloads_of_mix(root, mix);
  });
  return read;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The mix's file. What contradicts itself is refused here; whether studies and price books exist is
// seen when they are looked up.
#include "orchestrator/plan/tables/mix_reader.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "orchestrator/model/money.h"
#include "orchestrator/plan/plan/parts.h"
#include "orchestrator/plan/yaml/keys.h"

namespace kneepoint {
namespace {

constexpr int kMostWorkers = 1'000'000;
constexpr int kMostWorkloads = 50;
constexpr double kMostRate = 1e6;
constexpr double kMostFactor = 1000;
// Below, the median job is late; above, the simulated queue has too few jobs to tell.
constexpr double kLeastInTime = 0.5, kMostInTime = 0.99;

double seconds_of(Nanoseconds time) {
  return to_seconds(time);
}

void read_times(const YamlView& view, MixWorkload& one) {
  for (const YamlView& entry : view.entries()) {
    int k = 0;
    const std::string& text = entry.name();
    const auto end = std::from_chars(text.data(), text.data() + text.size(), k);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() || k < 1 ||
        k > kMostWorkers) {
      entry.fail_at_key("expected a number of workers, found '" + text + "'");
      continue;
    }
    if (const auto time = entry.duration(1)) one.times.push_back({k, seconds_of(*time)});
  }
  std::sort(one.times.begin(), one.times.end(),
            [](const MixTime& a, const MixTime& b) { return a.k < b.k; });
  for (std::size_t i = 1; i < one.times.size(); ++i) {
    if (one.times[i].k == one.times[i - 1].k) {
      view.fail("K=" + std::to_string(one.times[i].k) + " is there twice");
    }
  }
  if (view.is(YamlNode::Kind::map) && view.node()->entries.empty()) {
    view.fail("expected at least one K with its time, such as {8: 20m}");
  }
}

void read_model(const YamlView& view, MixWorkload& one) {
  if (!view.check_map()) return;
  MixModel model;
  if (const auto time = view["t1"].duration(1)) {
    model.t1_seconds = seconds_of(*time);
  } else if (!view["t1"].present()) {
    view["t1"].fail("missing; expected the time at K=1, such as 20h");
  }
  read_into(view["s"].number(0, 1), model.serial);
  read_into(view["c"].number(0, 1), model.log_coefficient);
  one.model = model;
}

// Exactly one of the three says how long a run takes.
void read_curve(const YamlView& view, MixWorkload& one) {
  read_into(view["study"].text(), one.study);
  if (view["times"].present()) read_times(view["times"], one);
  read_model(view["model"], one);
  int given = 0;
  for (const char* key : {"study", "times", "model"}) given += view[key].present() ? 1 : 0;
  if (given != 1) {
    view.fail(std::string(given == 0 ? "has no curve" : "has more than one curve") +
              "; expected one of study (a name), times (by K) or model (t1, s, c)");
  }
  for (const char* key : {"case", "baseline"}) {
    if (view[key].present() && !view["study"].present()) view[key].fail_at_key("is for `study`");
  }
  read_into(view["case"].text(), one.case_name);
  if (const auto time = view["baseline"].duration(1)) one.baseline_seconds = seconds_of(*time);
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

void read_pace(const YamlView& view, MixWorkload& one) {
  const bool hourly = view["per_hour"].present(), daily = view["per_day"].present();
  if (hourly == daily) {
    view.fail(hourly ? "has both per_hour and per_day; give one"
                     : "does not say how often it runs; expected per_hour or per_day");
  }
  read_into(view["per_hour"].number(1e-6, kMostRate), one.per_hour);
  if (const auto rate = view["per_day"].number(1e-6, kMostRate)) one.per_hour = *rate / 24;
  static const std::vector<std::string> arrivals = {"poisson", "periodic"};
  if (const auto word = view["arrivals"].word(arrivals)) one.periodic = *word == "periodic";
  if (const auto time = view["deadline"].duration(1)) one.deadline_seconds = seconds_of(*time);
  if (view["in_time"].present() && !view["deadline"].present()) {
    view["in_time"].fail_at_key("is for workloads with a deadline");
  }
  read_in_time(view["in_time"], one.in_time);
  read_into(view["value"].number(1e-6, 1e9), one.value);
  read_into(view["spread"].share(), one.spread);
}

void read_workload(const YamlView& view, MixWorkload& one) {
  if (!view.check_map()) return;
  read_into(view["name"].text(), one.name);
  if (!is_plain_name(one.name)) {
    view["name"].fail((view["name"].present() ? "" : std::string("missing; ")) +
                      "expected a name of letters, digits, '_' and '-', at most 64");
  }
  static const std::vector<std::string> modes = {"strong", "weak"};
  if (const auto word = view["mode"].word(modes)) {
    one.mode = *word == "weak" ? Mode::weak : Mode::strong;
  } else if (!view["mode"].present()) {
    view["mode"].fail("missing; expected strong or weak: K means another thing in each");
  }
  read_curve(view, one);
  read_pace(view, one);
  if (view["result_workers"].present() && one.mode == Mode::strong && view["mode"].present()) {
    view["result_workers"].fail_at_key("is for mode: weak");
  }
  if (const auto count = view["result_workers"].integer(1, kMostWorkers)) {
    one.result_workers = *count;
  }
  for (const YamlView& k : view["k"].one_or_many()) {
    if (const auto value = k.integer(1, kMostWorkers)) one.ks.push_back(*value);
  }
  for (const int k : one.ks) {
    const bool there = one.times.empty() || std::any_of(one.times.begin(), one.times.end(),
                                                        [&](const auto& at) { return at.k == k; });
    if (!there) view["k"].fail("K=" + std::to_string(k) + " is not in `times`");
  }
}

void read_total(const YamlView& root, Mix& mix) {
  const bool total = root["workers"].present(), budget = root["budget"].present();
  if (total == budget) {
    root.fail(total ? "has both workers and budget; give one"
                    : "does not say how much there is; expected workers or budget");
  }
  if (const auto count = root["workers"].integer(1, kMostWorkers)) mix.workers = *count;
  read_into(root["workers_per_node"].integer(1, 1024), mix.workers_per_node);
  if (mix.worker == WorkerUnit::node && mix.workers_per_node > 1) {
    root["workers_per_node"].fail_at_key("is for worker: gpu or rank");
  }
  if (mix.workers && *mix.workers % mix.workers_per_node != 0) {
    root["workers"].fail("expected whole nodes: a multiple of workers_per_node, " +
                         std::to_string(mix.workers_per_node));
  }
  const YamlView view = root["budget"];
  if (!view.check_map()) return;
  if (const auto text = view["amount"].text()) {
    const auto micros = parse_micros(*text);
    if (micros && *micros > 0) {
      mix.budget_micros = *micros;
    } else {
      view["amount"].fail("expected an amount above 0 such as 500, found '" + *text + "'");
    }
  } else if (!view["amount"].present()) {
    view["amount"].fail("missing; expected an amount such as 500");
  }
  static const std::vector<std::string> spans = {"hour", "day", "month"};
  mix.budget_hours = 24;
  if (const auto word = view["per"].word(spans)) {
    mix.budget_hours = *word == "hour" ? 1 : *word == "day" ? 24 : 8766.0 / 12;
  }
  if (!root["prices"].present()) view.fail_at_key("needs `prices` beside it");
}

void read_rest(const YamlView& root, Mix& mix) {
  if (const YamlView prices = root["prices"]; prices.check_map()) {
    read_into(prices["book"].text(), mix.price_book);
    read_into(prices["item"].text(), mix.price_item);
    if (mix.price_book.empty()) prices["book"].fail("missing; expected the path of a price book");
  }
  static const std::vector<std::string> pays = {"used", "held"};
  mix.held = root["budget"].present();
  if (const auto word = root["pay"].word(pays)) {
    mix.held = *word == "held";
    if (!mix.held && root["budget"].present()) {
      root["pay"].fail(
          "a budget is for nodes that are held; give `workers` to pay for what is used");
    }
  }
  read_into(root["backfill"].truth(), mix.backfill);
  read_into(root["modelled"].truth(), mix.modelled);
  read_into(root["seed"].seed(), mix.seed);
  if (root["what_if"].present()) {
    for (const YamlView& one : root["what_if"].items()) {
      if (!one.check_map()) continue;
      WhatIf& factors = mix.what_if.emplace_back();
      read_into(one["load"].number(1e-3, kMostFactor), factors.load);
      read_into(one["price"].number(1e-3, kMostFactor), factors.price);
    }
  }
  if (const YamlView slurm = root["slurm"]; slurm.check_map()) {
    read_into(slurm["node_prefix"].text(), mix.node_prefix);
    if (!is_plain_name(mix.node_prefix)) {
      slurm["node_prefix"].fail("expected letters, digits, '_' and '-', at most 64");
    }
  }
  if (const YamlView kubernetes = root["kubernetes"]; kubernetes.check_map()) {
    read_into(kubernetes["resource"].text(), mix.resource);
    read_into(kubernetes["per_worker"].integer(1, kMostWorkers), mix.resource_per_worker);
    const bool plain = std::all_of(mix.resource.begin(), mix.resource.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '/' || c == '_';
    });
    if (!plain || mix.resource.size() > 128) {
      kubernetes["resource"].fail("expected a resource such as cpu or nvidia.com/gpu");
    }
  }
}

}  // namespace

MixRead read_mix(std::string_view text, const std::string& path) {
  MixRead read;
  YamlFile file = parse_yaml(text, path);
  read.problems = std::move(file.problems);
  Mix& mix = read.mix;
  mix.path = path;
  const YamlView root(file.root, mix_keys(), path, read.problems);
  if (root.check_map()) {
    read_into(root["mix"].text(), mix.name);
    if (!is_plain_name(mix.name)) {
      root["mix"].fail((root["mix"].present() ? "" : std::string("missing; ")) +
                       "expected a name of letters, digits, '_' and '-', at most 64");
    }
    static const std::vector<std::string> units = {"node", "rank", "gpu"};
    if (const auto word = root["worker"].word(units)) {
      mix.worker = *word == "node"   ? WorkerUnit::node
                   : *word == "rank" ? WorkerUnit::rank
                                     : WorkerUnit::gpu;
    } else if (!root["worker"].present()) {
      root["worker"].fail("missing; expected node, rank or gpu: what K counts");
    }
    read_total(root, mix);
    read_rest(root, mix);
    double in_time = kUsualInTime;
    read_in_time(root["in_time"], in_time);
    std::set<std::string> names;
    for (const YamlView& view : root["workloads"].items()) {
      MixWorkload& one = mix.workloads.emplace_back();
      one.in_time = in_time;
      read_workload(view, one);
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
  sort_problems(read.problems);
  return read;
}

}  // namespace kneepoint

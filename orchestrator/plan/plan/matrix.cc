// SPDX-License-Identifier: Apache-2.0
//
// workloads × builds × cases × modes × shapes × K, in this order. A point that two shapes resolve
// to alike (1 rank is 1 rank, whatever the ranks per node) appears once.
#include "orchestrator/plan/plan/matrix.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "orchestrator/base/random.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/plan/builds.h"
#include "orchestrator/plan/plan/case_formulas.h"
#include "orchestrator/plan/plan/formula.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMaxPoints = 100'000;

// Later ones win; the order of first appearance stays.
void set_variable(std::vector<EnvironmentVariable>& environment, std::string name,
                  std::string value) {
  for (EnvironmentVariable& variable : environment) {
    if (variable.name != name) continue;
    variable.value = std::move(value);
    return;
  }
  environment.push_back({std::move(name), std::move(value)});
}

class Expander {
 public:
  Expander(const Plan& plan, const Site& site, const SiteCapacity& capacity, std::string programs)
      : plan_(plan),
        site_(site),
        capacity_(usable_capacity(capacity, site, plan.limits)),
        programs_(std::move(programs)) {
    while (programs_.size() > 1 && programs_.back() == '/') programs_.pop_back();
  }

  Expanded run() {
    out_.study.plan = plan_;
    out_.study.hash8 = series_hash(plan_, site_);
    for (std::size_t i = 0; i < plan_.workloads.size() && !full_; ++i) {
      key_ = "workloads[" + std::to_string(i) + "]";
      if (plan_.builds.empty()) add_workload(plan_.workloads[i]);
      for (const Build& build : builds_of(plan_, plan_.workloads[i].name)) {
        WorkloadSpec of_build = plan_.workloads[i];
        of_build.build = build.label;
        binary_ = build;
        add_workload(of_build);
      }
    }
    return std::move(out_);
  }

 private:
  // The same sentence at a second K adds nothing: one problem per key.
  void fail(const std::string& key, const std::string& message) {
    if (!failed_.insert(key).second) return;
    out_.problems.push_back({plan_.path, 0, 0, key, message});
  }

  void fail_full() {
    full_ = true;
    fail("workloads", "the plan comes to more than " + std::to_string(kMaxPoints) +
                          " points; shorten its lists");
  }

  void add_workload(const WorkloadSpec& workload) {
    const std::vector<std::vector<Parameter>> cases = cases_of(workload);
    if (cases.empty()) fail(key_ + ".exclude", "it leaves no case to run");
    const std::vector<ShapeChoice> choices = shape_choices(plan_.shape);
    // Counted before anything is made of it: lists multiply quickly.
    std::size_t ks = 0;
    for (const ShapeChoice& choice : choices) {
      ks += std::max<std::size_t>(1, ks_of(workload, choice).value_or({}).size());
    }
    planned_ += cases.size() * plan_.modes.size() * ks;
    if (planned_ > kMaxPoints) return fail_full();
    for (const std::vector<Parameter>& parameters : cases) {
      for (const Mode mode : plan_.modes) {
        std::optional<FormulaProblem> problem;
        const CaseFormulas formulas(workload, parameters, mode, problem);
        if (problem) {
          fail(key_ + "." + problem->key, problem->message);
          continue;
        }
        for (const ShapeChoice& choice : choices) {
          add_points(workload, parameters, mode, formulas, choice);
        }
      }
    }
  }

  Result<std::vector<int>> ks_of(const WorkloadSpec& workload, const ShapeChoice& choice) const {
    return resolve_scale(workload.scale.value_or(plan_.scale),
                         workers_that_fit(plan_, choice, capacity_));
  }

  void add_points(const WorkloadSpec& workload, const std::vector<Parameter>& parameters, Mode mode,
                  const CaseFormulas& formulas, const ShapeChoice& choice) {
    const auto ks = ks_of(workload, choice);
    if (!ks) return fail((workload.scale ? key_ + ".scale" : "scale") + ".to", ks.error().message);
    for (const int k : *ks) {
      const auto shape = resolve_shape(plan_, choice, k, is_local(), capacity_);
      if (!shape) {
        return fail("worker", shape.error().message);
      }
      Point point;
      point.build = workload.build;
      point.workload = workload.name;
      point.case_name = case_name(workload, parameters);
      point.parameters = parameters;
      point.mode = mode;
      point.k = k;
      point.shape = *shape;
      if (keys_.count(point.key()) > 0) continue;
      if (!evaluate(workload, formulas, point)) return;
      fill(workload, point);
      keys_.insert(point.key());
      out_.study.points.push_back(std::move(point));
    }
  }

  bool is_local() const { return traits_of(site_.backend).is_this_machine; }

  bool evaluate(const WorkloadSpec& workload, const CaseFormulas& formulas, Point& point) {
    std::optional<FormulaProblem> problem;
    const CaseValues values = formulas.at(point.k, point.shape, problem);
    if (problem) {
      fail(key_ + "." + problem->key, "at K=" + std::to_string(point.k) + ": " + problem->message);
      return false;
    }
    point.has_size = values.has_size;
    point.size = values.size;
    point.results = values.results;
    // The model of one of our own workloads is of one iteration; T of a run is of all of them.
    point.iterations = plan_.iterations.min_time > 0 ? 1 : plan_.iterations.count;
    point.modelled_seconds = values.modelled_seconds * (workload.catalog ? point.iterations : 1);
    // A command's T is of the whole run, and so is what it says of its work.
    const double per = workload.catalog ? 1 : point.iterations;
    point.flops = values.flops / per;
    point.bytes = values.bytes / per;
    // The formula counts parts for ranks; a worker may be several of them.
    point.parallelism = values.parallelism * point.k / std::max(1, point.shape.ranks);
    point.held_fixed = held_fixed(workload, point);
    return true;
  }

  void fill(const WorkloadSpec& workload, Point& point) {
    point.result_name = workload.result.name;
    point.mpi = workload.mpi;
    point.metrics = workload.metrics;
    point.program = workload.program;
    point.profile = workload.profile;
    point.binary = binary_;
    if (workload.catalog) {
      point.work_unit = workload.catalog->work_unit;
      point.own_harness = true;
      point.emulated = is_emulated(*workload.catalog, point.parameters);
    }
    const std::vector<Parameter> values = placeholder_values(point, plan_.seed);
    point.command.argv = workload.catalog
                             ? harness_arguments(*workload.catalog, programs_, plan_, point)
                             : std::vector<std::string>{};
    for (const std::string& argument : workload.command) {
      point.command.argv.push_back(replace_placeholders(argument, values));
    }
    for (MetricSpec& one : point.metrics) one.file = replace_placeholders(one.file, values);
    for (SanityRule& one : point.program.sanity) {
      one.file = replace_placeholders(one.file, values);
    }
    for (std::string& one : point.program.keep) one = replace_placeholders(one, values);
    auto& environment = point.command.environment;
    environment = site_variables(site_, point.shape);
    for (const auto* list : {&plan_.environment, &workload.environment}) {
      for (const EnvironmentVariable& variable : *list) {
        set_variable(environment, variable.name, replace_placeholders(variable.value, values));
      }
    }
  }

  const Plan& plan_;
  const Site& site_;
  const SiteCapacity capacity_;
  std::string programs_;
  std::string key_;
  Build binary_;
  bool full_ = false;
  std::size_t planned_ = 0;
  std::set<std::string> failed_;
  std::set<std::string> keys_;
  Expanded out_;
};

// Points that are measured one after the other, in blocks: each holds every group once.
std::vector<Run> interleave_groups(const std::vector<std::vector<int>>& groups, int from, int to,
                                   std::uint64_t seed) {
  std::vector<Run> runs;
  std::vector<int> order(groups.size());
  for (int repeat = from; repeat < to; ++repeat) {
    // Each block has its own stream: it is the same whichever blocks come before it.
    std::iota(order.begin(), order.end(), 0);
    Random(seed, "order of repeat " + std::to_string(repeat)).shuffle(order);
    for (const int group : order) {
      std::vector<int> members = groups[static_cast<std::size_t>(group)];
      if ((repeat + group) % 2 != 0) std::reverse(members.begin(), members.end());
      for (const int point : members) runs.push_back({point, repeat});
    }
  }
  return runs;
}

}  // namespace

Expanded expand(const Plan& plan, const Site& site, const SiteCapacity& capacity,
                const std::string& programs) {
  return Expander(plan, site, capacity, programs).run();
}

std::vector<EnvironmentVariable> site_variables(const Site& site, const Shape& shape) {
  std::vector<EnvironmentVariable> variables = {
      {"OMP_NUM_THREADS", std::to_string(shape.threads_per_rank)}};
  for (const auto& [name, value] : site.environment) set_variable(variables, name, value);
  return variables;
}

std::vector<Run> first_round(const Study& study) {
  const auto wanted = [&](int point) {
    const int own = study.points[static_cast<std::size_t>(point)].repeats;
    return own > 0 ? own : study.plan.repeat.min;
  };
  std::vector<int> points(study.points.size());
  int most = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = static_cast<int>(i);
    most = std::max(most, wanted(points[i]));
  }
  std::vector<Run> runs = interleave(study, points, 0, most, study.plan.seed);
  std::erase_if(runs, [&](const Run& run) { return run.repeat >= wanted(run.point); });
  return runs;
}

std::vector<Run> interleave(const Study& study, const std::vector<int>& points, int from, int to,
                            std::uint64_t seed) {
  if (study.plan.builds.empty()) return interleave(points, from, to, seed);
  const std::vector<int> others = partners(study);
  const std::set<int> asked(points.begin(), points.end());
  std::vector<std::vector<int>> pairs;
  for (const int point : points) {
    const int other = others[static_cast<std::size_t>(point)];
    if (other < 0 || !asked.contains(other)) {
      pairs.push_back({point});
    } else if (point < other) {
      pairs.push_back({point, other});
    }
  }
  return interleave_groups(pairs, from, to, seed);
}

std::vector<Run> interleave(const std::vector<int>& points, int from, int to, std::uint64_t seed) {
  std::vector<std::vector<int>> alone;
  for (const int point : points) alone.push_back({point});
  return interleave_groups(alone, from, to, seed);
}

}  // namespace kneepoint

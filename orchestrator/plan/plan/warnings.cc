// SPDX-License-Identifier: Apache-2.0
//
// plan_warnings: what will run, but may not say what its author thinks. One line per cause and
// case; problems that stop a plan are the readers' and expand()'s.
#include <algorithm>
#include <map>
#include <set>

#include "orchestrator/plan/plan/case_formulas.h"
#include "orchestrator/plan/plan/matrix.h"

namespace kneepoint {
namespace {

constexpr int kMaxListed = 6;

const WorkloadSpec* workload_of(const Study& study, const Point& point) {
  for (const WorkloadSpec& one : study.plan.workloads) {
    if (one.name == point.workload && one.build == point.build) return &one;
  }
  return nullptr;
}

std::string title(const Point& point) {
  return (point.build == "default" ? "" : point.build + "/") + point.case_name + ", " +
         to_string(point.mode);
}

// "a; b; c and 4 more"
std::string listed(const std::vector<std::string>& pieces) {
  std::string text;
  const int count = static_cast<int>(pieces.size());
  for (int i = 0; i < std::min(count, kMaxListed); ++i) text += (i > 0 ? "; " : "") + pieces[i];
  if (count > kMaxListed) text += " and " + std::to_string(count - kMaxListed) + " more";
  return text;
}

// Pieces by the warning that they belong to; each once, in the order in which they come.
using Grouped = std::vector<std::pair<std::string, std::vector<std::string>>>;

void add_to(Grouped& groups, const std::string& name, std::string piece) {
  auto group = std::find_if(groups.begin(), groups.end(),
                            [&](const auto& one) { return one.first == name; });
  if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
  auto& pieces = group->second;
  if (std::find(pieces.begin(), pieces.end(), piece) == pieces.end()) {
    pieces.push_back(std::move(piece));
  }
}

void warn_groups(const Grouped& groups, const std::string& between,
                 std::vector<std::string>& warnings) {
  for (const auto& [name, pieces] : groups) warnings.push_back(name + between + listed(pieces));
}

// The nearest sizes below and above that the ranks can split evenly; 0: none near.
std::pair<double, double> nearest_even(const Formula& divisible, const Point& point, double step) {
  constexpr int kTries = 4096;
  const std::vector<double> parameters = numbers_of(point.parameters);
  const auto is_even = [&](double size) {
    const auto rest = divisible.evaluate(case_values(parameters, point.k, point.shape, &size));
    return rest && *rest == 0;
  };
  std::pair<double, double> found = {0, 0};
  for (int i = 1; i <= kTries && (found.first == 0 || found.second == 0); ++i) {
    const double below = point.size - i * step;
    const double above = point.size + i * step;
    if (found.first == 0 && below > 0 && is_even(below)) found.first = below;
    if (found.second == 0 && is_even(above)) found.second = above;
  }
  return found;
}

void warn_divisibility(const Study& study, std::vector<std::string>& warnings) {
  Grouped groups;
  for (const Point& point : study.points) {
    const WorkloadSpec* workload = workload_of(study, point);
    if (workload == nullptr || !workload->catalog || workload->catalog->divisible.empty() ||
        !point.has_size) {
      continue;
    }
    const auto divisible =
        Formula::parse(workload->catalog->divisible, case_names(point.parameters, true));
    if (!divisible) continue;  // the catalog's own tests see to that
    const auto rest = divisible->evaluate(
        case_values(numbers_of(point.parameters), point.k, point.shape, &point.size));
    if (!rest || *rest == 0) continue;
    const SizeSpec& spec = point.mode == Mode::strong ? workload->size_strong : workload->size_weak;
    const auto [below, above] = nearest_even(*divisible, point, spec.multiple_of);
    std::string piece = "K=" + std::to_string(point.k) + " (" + std::to_string(point.shape.ranks) +
                        " ranks): size " + number_text(point.size);
    if (below > 0 || above > 0) {
      piece += ", nearest that can: " + (below > 0 ? number_text(below) : "");
      piece += below > 0 && above > 0 ? " or " : "";
      piece += above > 0 ? number_text(above) : "";
    }
    add_to(groups, title(point), std::move(piece));
  }
  warn_groups(groups, ": the ranks can't split the problem evenly at ", warnings);
}

void warn_unfilled(const Study& study, const SiteCapacity& capacity,
                   std::vector<std::string>& warnings) {
  Grouped groups;
  for (const Point& point : study.points) {
    const Shape& shape = point.shape;
    const bool whole_nodes = study.plan.worker == WorkerUnit::node || shape.nodes > 1;
    if (!whole_nodes || point.emulated) continue;
    const int used = shape.ranks_per_node * shape.threads_per_rank;
    if (study.plan.worker == WorkerUnit::gpu) {
      if (shape.gpus_per_node >= capacity.gpus_per_node) continue;
      add_to(groups, "machines are not filled",
             std::to_string(shape.gpus_per_node) + " of the " +
                 std::to_string(capacity.gpus_per_node) + " GPUs of each node");
    } else if (used < capacity.cores_per_node) {
      add_to(groups, "machines are not filled",
             std::to_string(used) + " of the " + std::to_string(capacity.cores_per_node) +
                 " cores of each node (" + std::to_string(shape.ranks_per_node) + " ranks x " +
                 std::to_string(shape.threads_per_rank) + " threads)");
    }
  }
  warn_groups(groups, ": the shape uses ", warnings);
}

void warn_beyond_site(const Study& study, const SiteCapacity& capacity,
                      std::vector<std::string>& warnings) {
  Grouped groups;
  const bool may_share = study.plan.limits.oversubscribe;
  for (const Point& point : study.points) {
    const Shape& shape = point.shape;
    const int cores = shape.ranks_per_node * shape.threads_per_rank;
    const std::string k = "K=" + std::to_string(point.k);
    if (capacity.nodes > 0 && shape.nodes > capacity.nodes) {
      add_to(groups, "more nodes than the site has (" + std::to_string(capacity.nodes) + ")",
             k + " needs " + std::to_string(shape.nodes));
    } else if (capacity.cores_per_node > 0 && cores > capacity.cores_per_node && !point.emulated) {
      add_to(groups,
             "more cores than a node has (" + std::to_string(capacity.cores_per_node) + "), " +
                 (may_share ? "so these points are oversubscribed"
                            : "and limits.oversubscribe is not true"),
             k + " needs " + std::to_string(cores));
    }
    if (shape.gpus_per_node > capacity.gpus_per_node) {
      add_to(groups, "more GPUs than a node has (" + std::to_string(capacity.gpus_per_node) + ")",
             k + " needs " + std::to_string(shape.gpus_per_node));
    }
  }
  warn_groups(groups, ": ", warnings);
}

void warn_short_lists(const Study& study, std::vector<std::string>& warnings) {
  Grouped ks;
  std::map<std::string, Mode> modes;
  for (const Point& point : study.points) {
    add_to(ks, title(point), std::to_string(point.k));
    modes[title(point)] = point.mode;
  }
  for (const auto& [name, distinct] : ks) {
    const bool strong = modes.at(name) == Mode::strong;
    if (distinct.size() >= (strong ? 6U : 5U)) continue;
    warnings.push_back(
        name + ": " + std::to_string(distinct.size()) + " different K; " +
        (strong ? "fitting Amdahl's law takes 4, with one term of overhead 5, the full model 6"
                : "fitting a constant with one term of overhead takes 4, the full model 5"));
  }
}

void warn_sizes(const Study& study, std::vector<std::string>& warnings) {
  const std::vector<Mode>& modes = study.plan.modes;
  const auto has = [&](Mode mode) {
    return std::find(modes.begin(), modes.end(), mode) != modes.end();
  };
  for (const WorkloadSpec& workload : study.plan.workloads) {
    // Does the formula know of the number of workers? None: it can't be read.
    const auto grows = [&](const std::string& text) -> std::optional<bool> {
      const std::vector<std::vector<Parameter>> cases = cases_of(workload);
      if (cases.empty()) return std::nullopt;
      const auto formula = Formula::parse(text, case_names(cases.front(), false));
      if (!formula) return std::nullopt;
      return formula->uses("K") || formula->uses("ranks") || formula->uses("nodes");
    };
    const std::string &weak = workload.size_weak.formula, &strong = workload.size_strong.formula;
    if (has(Mode::weak) && grows(weak) == false) {
      warnings.push_back(workload.name + ", weak: the size '" + weak +
                         "' does not grow with K; sizes are of the whole problem");
    }
    if (has(Mode::strong) && grows(strong) == true) {
      warnings.push_back(workload.name + ", strong: the size '" + strong +
                         "' changes with K; strong scaling holds the whole problem fixed");
    }
  }
}

// Both modes of a command that is told nothing of the mode measure the same thing twice.
void warn_same_command(const Study& study, std::vector<std::string>& warnings) {
  std::map<std::string, const Point*> strong;
  const auto place = [](const Point& point) {
    return point.build + "/" + point.case_name + "/" + std::to_string(point.k) + "/" +
           to_string(point.shape);
  };
  std::set<std::string> warned;
  for (const Point& point : study.points) {
    if (point.mode == Mode::strong && !point.has_size) strong[place(point)] = &point;
  }
  for (const Point& point : study.points) {
    if (point.mode == Mode::strong || point.has_size || point.own_harness) continue;
    const auto other = strong.find(place(point));
    if (other == strong.end() || other->second->command.argv != point.command.argv) continue;
    if (!warned.insert(point.build + "/" + point.workload).second) continue;
    warnings.push_back(point.workload +
                       ": strong and weak run the same command; use {size} or {mode} in it, or "
                       "give one mode");
  }
}

}  // namespace

std::vector<std::string> plan_warnings(const Study& study, const SiteCapacity& capacity) {
  std::vector<std::string> warnings;
  warn_sizes(study, warnings);
  warn_same_command(study, warnings);
  warn_divisibility(study, warnings);
  warn_unfilled(study, capacity, warnings);
  warn_beyond_site(study, capacity, warnings);
  warn_short_lists(study, warnings);
  return warnings;
}

}  // namespace kneepoint

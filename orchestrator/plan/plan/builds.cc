// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/plan/builds.h"

#include <algorithm>
#include <map>
#include <set>

#include "orchestrator/plan/plan/case_formulas.h"
#include "orchestrator/plan/plan/formula.h"

namespace kneepoint {
namespace {

constexpr char kBuild[] = "build";

bool names_build(const std::string& text) {
  const std::vector<std::string> names = placeholders_in(text);
  return std::find(names.begin(), names.end(), kBuild) != names.end();
}

bool names_build(const std::vector<EnvironmentVariable>& variables) {
  return std::any_of(variables.begin(), variables.end(),
                     [](const EnvironmentVariable& one) { return names_build(one.value); });
}

}  // namespace

std::vector<Build> builds_of(const Plan& plan, const std::string& workload) {
  std::vector<Build> own;
  for (const Build& build : plan.builds) {
    if (!build.workload.empty() && build.workload != workload) continue;
    const auto same = std::find_if(own.begin(), own.end(),
                                   [&](const Build& one) { return one.label == build.label; });
    if (same == own.end()) {
      own.push_back(build);
    } else if (!build.workload.empty()) {
      *same = build;
    }
  }
  return own;
}

bool uses_build(const WorkloadSpec& workload, const std::vector<EnvironmentVariable>& environment) {
  return std::any_of(workload.command.begin(), workload.command.end(),
                     [](const std::string& argument) { return names_build(argument); }) ||
         names_build(workload.environment) || names_build(environment);
}

std::vector<Problem> check_builds(const Plan& plan) {
  std::vector<Problem> problems;
  const auto fail = [&](const std::string& key, const std::string& message) {
    problems.push_back({plan.path, 0, 0, key, message});
  };
  const bool with_builds = !plan.builds.empty();
  const bool images = with_builds && plan.builds.front().kind == Build::Kind::image;
  std::set<std::string> programs;
  for (std::size_t i = 0; i < plan.workloads.size(); ++i) {
    const WorkloadSpec& workload = plan.workloads[i];
    const std::string key = "workloads[" + std::to_string(i) + "]";
    const bool uses = uses_build(workload, plan.environment);
    if (!with_builds) {
      if (uses) {
        fail(key + ".command",
             "{build} has no value; name the two builds: --ab old=PATH --ab new=PATH");
      }
      continue;
    }
    if (workload.build != "default") {
      fail(key + ".build",
           "'" + workload.build + "': with --ab the builds are named there; drop `build` or --ab");
    }
    if (workload.catalog) {
      programs.insert(workload.catalog->program);
    } else if (!uses && !images) {
      fail(key + ".command",
           "--ab needs {build} in the command, e.g. [\"{build}\", --n, \"{size}\"]; without it "
           "both builds would be the same program");
    }
  }
  const bool one_file = std::any_of(plan.builds.begin(), plan.builds.end(),
                                    [](const Build& one) { return one.kind == Build::Kind::file; });
  if (programs.size() > 1 && one_file) {
    fail("workloads", "they use " + std::to_string(programs.size()) +
                          " programs of the catalog, and --ab names one file; name a folder that "
                          "has them all");
  }
  if (with_builds && plan.search.adaptive) {
    fail("search", "an adaptive search measures each build at other K; --ab needs search: grid");
  }
  return problems;
}

std::vector<std::string> files_of_build(const Plan& plan, const Build& build) {
  std::vector<std::string> files = {build.place};
  const auto add = [&](const std::string& file) {
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  };
  const std::vector<Parameter> value = {{kBuild, build.place}};
  for (const WorkloadSpec& workload : plan.workloads) {
    if (!build.workload.empty() && build.workload != workload.name) continue;
    if (workload.catalog) add(harness_program(*workload.catalog, "", build));
    for (const std::string& argument : workload.command) {
      if (!names_build(argument)) continue;
      const std::string filled = replace_placeholders(argument, value);
      if (placeholders_in(filled).empty()) add(filled);
    }
  }
  return files;
}

std::vector<int> partners(const Study& study) {
  std::map<std::string, std::vector<int>> alike;
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    alike[study.points[i].key_without_build()].push_back(static_cast<int>(i));
  }
  std::vector<int> others(study.points.size(), -1);
  for (const auto& [key, points] : alike) {
    if (points.size() != kBuildsInTurns) continue;
    others[static_cast<std::size_t>(points[0])] = points[1];
    others[static_cast<std::size_t>(points[1])] = points[0];
  }
  return others;
}

}  // namespace kneepoint

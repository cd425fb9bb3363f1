// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/night/confirm.h"

#include <algorithm>
#include <filesystem>

#include "orchestrator/analysis/gate/turns.h"
#include "orchestrator/answers/builds.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/night/baseline.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/plan/plan/builds.h"
#include "orchestrator/plan/plan/case_formulas.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr char kConfirmSuffix[] = "-confirm";

// The pinned build of a workload, if it still is what was pinned.
Result<Build> pinned_build(const WorkloadSpec& workload, const PinnedBuild& pin) {
  if (const auto same = check_pinned(pin); !same) {
    return Error{ErrorCode::conflict,
                 "the pinned build of " + workload.name + ": " + same.error().message +
                     "; bring it back, or pin another (kneepoint baseline set)"};
  }
  Build build;
  build.label = kPinnedBuild;
  build.workload = workload.name;
  build.kind = pin.kind == BuildKind::image ? Build::Kind::image : Build::Kind::file;
  build.place = pin.value;
  build.hash = pin.hash;
  return build;
}

// What the night's plan runs by itself.
Result<Build> own_build(const Context& context, const PlanOnSite& both,
                        const WorkloadSpec& workload, Build::Kind kind) {
  Build build;
  build.label = kTonightsBuild;
  build.workload = workload.name;
  build.kind = kind;
  const Site& site = *both.site;
  if (kind == Build::Kind::image) {
    build.place = site.kubernetes.image;
    return build;
  }
  build.place =
      workload.catalog
          ? harness_program(*workload.catalog,
                            programs_folder(site, context.executable, fs::current_path().string()),
                            Build{})
          : workload.command.front();
  TRY_ASSIGN(build.hash, hash_of_build(both.plan, build));
  return build;
}

// The same workloads in two builds; what the night's studies do besides is left out.
Result<void> plan_turns(const Context& context, const StudyRow& tonight, const Baseline& baseline,
                        PlanOnSite& both) {
  Plan& plan = both.plan;
  std::vector<Build> builds;
  for (WorkloadSpec& workload : plan.workloads) {
    const PinnedBuild* pin = baseline.build_of(workload.name);
    if (pin == nullptr) continue;
    TRY_ASSIGN(Build pinned, pinned_build(workload, *pin));
    TRY_ASSIGN(Build own, own_build(context, both, workload, pinned.kind));
    builds.push_back(std::move(pinned));
    builds.push_back(std::move(own));
    if (!workload.catalog && builds.back().kind != Build::Kind::image) {
      workload.command.front() = "{build}";
    }
  }
  std::erase_if(plan.workloads,
                [&](const WorkloadSpec& one) { return baseline.build_of(one.name) == nullptr; });
  plan.repeat = Repeat{};
  plan.search = SearchSpec{};
  plan.confirms = tonight.id;
  put_in_turns(both, std::move(builds), kConfirmSuffix);
  if (const auto unfit = check_builds(plan); !unfit.empty()) {
    return Error{ErrorCode::invalid, to_string(unfit)};
  }
  return {};
}

struct Measured {
  StudyRow row;
  bool complete = false;
};

Result<Measured> measure_turns(const Context& context, StudyStore& store, const StudyRow& tonight,
                               const Baseline& baseline, const std::vector<TurnsWanted>& wanted,
                               const DriveStudy& drive) {
  TRY_ASSIGN(PlanOnSite both,
             read_stored_plan(tonight.plan_text, tonight.plan_path, tonight.site_text));
  const Site& site = *both.site;
  if (const auto problems = find_inputs(both.plan, site); !problems.empty()) {
    return Error{ErrorCode::not_found, to_string(problems)};
  }
  TRY(plan_turns(context, tonight, baseline, both));
  TRY_ASSIGN(const std::string database, database_of(context));
  const std::string root = work_root(site, database, fs::current_path().string());
  TRY_ASSIGN(const SiteAccess access, reach_site_to_run(context, site));
  Expanded expanded = expand_plan(context, both, access.capabilities);
  if (!expanded.problems.empty()) return Error{ErrorCode::invalid, to_string(expanded.problems)};
  keep_wanted(wanted, expanded.study.points);
  const auto refused = refusals(expanded.study, site.limits, access.capabilities);
  if (!refused.empty()) return Error{ErrorCode::invalid, refused.front()};
  TRY_ASSIGN(const ChosenStudy chosen,
             choose_study(store, expanded.study, site, root, ChoiceRequest{}));
  if (chosen.choice == Continuation::nothing) return Measured{chosen.row, true};
  TRY_ASSIGN(const EngineOutcome outcome,
             drive(site, access, expanded.study, chosen, concurrent_in_turns(both)));
  return Measured{chosen.row, outcome.end == EngineEnd::finished};
}

}  // namespace

Result<Confirmed> confirm_gate(const Context& context, StudyStore& store, const StudyRow& tonight,
                               const DriveStudy& drive, GateReport& report) {
  const std::vector<TurnsWanted> wanted = turns_wanted(report.history.series, report.answer);
  Confirmed answer;
  answer.note = why_no_turns(report.answer, wanted, report.baseline);
  if (!answer.note.empty()) return answer;
  TRY_ASSIGN(const Measured measured,
             measure_turns(context, store, tonight, *report.baseline, wanted, drive));
  answer.study = measured.row.id;
  answer.interrupted = !measured.complete;
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence(measured.row.row));
  TRY_ASSIGN(const StudyEvidence night, store.evidence(tonight.row));
  if (is_other_program(night, evidence)) {
    return Error{ErrorCode::conflict,
                 "the program that " + tonight.id +
                     " ran has been replaced since: what was measured in turns (" + answer.study +
                     ") is of another; confirm a night before the next build"};
  }
  if (answer.interrupted) return answer;  // the verdict waits for the pairs
  report.answer = gate(report.history, report.options, turns_of(evidence, wanted));
  explain(report.history, report.answer);
  return answer;
}

}  // namespace kneepoint

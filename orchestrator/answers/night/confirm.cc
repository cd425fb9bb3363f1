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

struct Measured {
  StudyRow row;
  bool complete = false;
};

class Confirming {
 public:
  Confirming(const Context& context, StudyStore& store, const StudyRow& tonight,
             const GateReport& report, const std::vector<TurnsWanted>& wanted)
      : context_(context), store_(store), tonight_(tonight), report_(report), wanted_(wanted) {}

  Result<Measured> measure(const DriveStudy& drive) {
    TRY_ASSIGN(both_, read_stored_plan(tonight_.plan_text, tonight_.plan_path, tonight_.site_text));
    if (const auto problems = find_inputs(both_.plan, *both_.site); !problems.empty()) {
      return Error{ErrorCode::not_found, to_string(problems)};
    }
    TRY(make_plan());
    const std::string here = fs::current_path().string();
    TRY_ASSIGN(const std::string database, database_of(context_));
    const std::string root = work_root(*both_.site, database, here);
    TRY_ASSIGN(const SiteAccess access, reach_site_to_run(context_, *both_.site));
    Expanded expanded = expand_plan(context_, both_, access.capabilities);
    if (!expanded.problems.empty()) {
      return Error{ErrorCode::invalid, to_string(expanded.problems)};
    }
    keep_wanted(wanted_, expanded.study.points);
    const auto refused = refusals(expanded.study, both_.site->limits, access.capabilities);
    if (!refused.empty()) return Error{ErrorCode::invalid, refused.front()};
    TRY_ASSIGN(const ChosenStudy chosen,
               choose_study(store_, expanded.study, *both_.site, root, ChoiceRequest{}));
    if (chosen.choice == Continuation::nothing) return Measured{chosen.row, true};
    TRY_ASSIGN(const EngineOutcome outcome,
               drive(*both_.site, access, expanded.study, chosen, concurrent_in_turns(both_)));
    return Measured{chosen.row, outcome.end == EngineEnd::finished};
  }

 private:
  // The same workloads in two builds; what the night's studies do besides is left out.
  Result<void> make_plan() {
    Plan& plan = both_.plan;
    std::vector<Build> builds;
    for (WorkloadSpec& workload : plan.workloads) {
      const PinnedBuild* pin = report_.baseline->build_of(workload.name);
      if (pin == nullptr) continue;
      TRY_ASSIGN(Build pinned, pinned_build(workload, *pin));
      TRY_ASSIGN(Build own, own_build(context_, both_, workload, pinned.kind));
      builds.push_back(std::move(pinned));
      builds.push_back(std::move(own));
      if (!workload.catalog && builds.back().kind != Build::Kind::image) {
        workload.command.front() = "{build}";
      }
    }
    std::erase_if(plan.workloads, [&](const WorkloadSpec& one) {
      return report_.baseline->build_of(one.name) == nullptr;
    });
    plan.repeat = Repeat{};
    plan.search = SearchSpec{};
    plan.confirms = tonight_.id;
    put_in_turns(both_, std::move(builds), kConfirmSuffix);
    if (const auto unfit = check_builds(plan); !unfit.empty()) {
      return Error{ErrorCode::invalid, to_string(unfit)};
    }
    return {};
  }

  const Context& context_;
  StudyStore& store_;
  const StudyRow& tonight_;
  const GateReport& report_;
  const std::vector<TurnsWanted>& wanted_;
  PlanOnSite both_;
};

}  // namespace

Result<Confirmed> confirm_gate(const Context& context, StudyStore& store, const StudyRow& tonight,
                               const DriveStudy& drive, GateReport& report) {
  const std::vector<TurnsWanted> wanted = turns_wanted(report.history.series, report.answer);
  Confirmed answer;
  answer.note = why_no_turns(report.answer, wanted, report.baseline);
  if (!answer.note.empty()) return answer;
  TRY_ASSIGN(const Measured measured,
             Confirming(context, store, tonight, report, wanted).measure(drive));
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

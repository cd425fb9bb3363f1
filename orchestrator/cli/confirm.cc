// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/confirm.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "orchestrator/analysis/comparison/build_comparison.h"
#include "orchestrator/cli/baseline_pin.h"
#include "orchestrator/cli/builds.h"
#include "orchestrator/cli/controller.h"
#include "orchestrator/cli/drive_study.h"
#include "orchestrator/cli/gate_study.h"
#include "orchestrator/cli/input_files.h"
#include "orchestrator/cli/lookup.h"
#include "orchestrator/plan/plan/builds.h"
#include "orchestrator/plan/plan/case_formulas.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kPinned[] = "pinned";
constexpr char kTonight[] = "tonight";
constexpr char kSuffix[] = "-confirm";

// Pairs by key of the point. What failed or ran elsewhere has nothing to confirm.
std::map<std::string, int> pairs_wanted(const GateReport& report) {
  std::map<std::string, int> wanted;
  const Verdict verdict = report.answer.verdict;
  if (verdict == Verdict::failed || verdict == Verdict::env_change) return wanted;
  for (const TurnsWanted& one : turns_wanted(report.history.series, report.answer)) {
    wanted[one.key] = one.pairs;
  }
  return wanted;
}

// The pinned build of a workload, if it still is what was pinned.
Result<Build> pinned_build(const WorkloadSpec& workload, const PinnedBuild& pin) {
  if (const auto same = check_pinned(pin); !same) {
    return Error{ErrorCode::conflict,
                 "the pinned build of " + workload.name + ": " + same.error().message +
                     "; bring it back, or pin another (kneepoint baseline set)"};
  }
  Build build;
  build.label = kPinned;
  build.workload = workload.name;
  build.kind = pin.kind == BuildKind::image ? Build::Kind::image : Build::Kind::file;
  build.place = pin.value;
  build.hash = pin.hash;
  return build;
}

// What the night's plan runs by itself.
Result<Build> own_build(const Session& session, const PlanOnSite& both,
                        const WorkloadSpec& workload, Build::Kind kind) {
  Build build;
  build.label = kTonight;
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
                            programs_folder(site, session.executable, fs::current_path().string()),
                            Build{})
          : workload.command.front();
  TRY_ASSIGN(build.hash, hash_of_build(both.plan, build));
  return build;
}

// "program=..." of all runs that a build, or a plain study, has.
std::set<std::string> programs_of(const StudyEvidence& evidence, const std::string& build,
                                  const std::set<std::string>& keys) {
  constexpr std::string_view kProgram = "program=";
  std::set<std::string> programs;
  for (const PointEvidence& point : evidence.points) {
    if (!build.empty() && point.point.build != build) continue;
    if (!keys.contains(point.point.key_without_build())) continue;
    for (const RunEvidence& run : point.runs) {
      const std::size_t at = run.provenance.find(kProgram);
      if (at == std::string::npos) continue;
      programs.insert(run.provenance.substr(at, run.provenance.find("; ", at) - at));
    }
  }
  return programs;
}

struct Measured {
  StudyRow row;
  bool complete = false;
};

class Confirming {
 public:
  Confirming(Session& session, StudyStore& store, const StudyRow& tonight, const GateReport& report,
             const std::map<std::string, int>& wanted)
      : session_(session), store_(store), tonight_(tonight), report_(report), wanted_(wanted) {}

  Result<Measured> measure() {
    TRY_ASSIGN(both_, read_stored_plan(tonight_.plan_text, tonight_.plan_path, tonight_.site_text));
    if (const auto problems = find_inputs(both_.plan, *both_.site); !problems.empty()) {
      return Error{ErrorCode::not_found, to_string(problems)};
    }
    TRY(make_plan());
    const std::string here = fs::current_path().string();
    TRY_ASSIGN(const std::string database, database_of(session_));
    const std::string root = work_root(*both_.site, database, here);
    TRY_ASSIGN(const Capabilities capabilities, capabilities_of(session_, *both_.site, root));
    Expanded expanded = expand_plan(session_, both_, capabilities);
    if (!expanded.problems.empty()) {
      return Error{ErrorCode::invalid, to_string(expanded.problems)};
    }
    keep_suspects(expanded.study);
    const auto refused = refusals(expanded.study, both_.site->limits, capabilities);
    if (!refused.empty()) return Error{ErrorCode::invalid, refused.front()};
    TRY_ASSIGN(const ChosenStudy chosen,
               choose_study(store_, expanded.study, *both_.site, root, ChoiceRequest{}));
    if (chosen.choice == Choice::nothing) return Measured{chosen.row, true};
    DriveOptions options;
    options.database = database;
    options.concurrent = concurrent_in_turns(both_);
    TRY_ASSIGN(const EngineOutcome outcome,
               drive_study(session_, store_, *both_.site, expanded.study, chosen, options));
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
      TRY_ASSIGN(Build own, own_build(session_, both_, workload, pinned.kind));
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
    put_in_turns(both_, std::move(builds), kSuffix);
    if (const auto unfit = check_builds(plan); !unfit.empty()) {
      return Error{ErrorCode::invalid, to_string(unfit)};
    }
    return {};
  }

  void keep_suspects(Study& study) const {
    std::map<std::string, int> pairs;
    for (const auto& [key, count] : wanted_) pairs[key.substr(key.find('/') + 1)] = count;
    std::erase_if(study.points,
                  [&](const Point& point) { return !pairs.contains(point.key_without_build()); });
    for (Point& point : study.points) point.repeats = pairs.at(point.key_without_build());
  }

  Session& session_;
  StudyStore& store_;
  const StudyRow& tonight_;
  const GateReport& report_;
  const std::map<std::string, int>& wanted_;
  PlanOnSite both_;
};

// The pairs under the names that the night's points have.
std::vector<ConfirmedPoint> turns_of(const StudyEvidence& evidence,
                                     const std::map<std::string, int>& wanted) {
  std::vector<ConfirmedPoint> turns = pairs_of(evidence, kPinned, kTonight);
  for (ConfirmedPoint& one : turns) {
    const auto named = std::find_if(wanted.begin(), wanted.end(), [&](const auto& entry) {
      return entry.first.substr(entry.first.find('/') + 1) == one.key;
    });
    if (named != wanted.end()) one.key = named->first;
  }
  return turns;
}

}  // namespace

Result<ConfirmedGate> confirmed_gate(Session& session, StudyStore& store, const StudyRow& tonight) {
  GateRequest look;
  look.remember = false;
  ConfirmedGate answer;
  TRY_ASSIGN(answer.report, gate_study(session, store, tonight, look));
  const std::map<std::string, int> wanted = pairs_wanted(answer.report);
  GateRequest request;
  const Verdict verdict = answer.report.answer.verdict;
  if (verdict == Verdict::failed || verdict == Verdict::env_change) {
    answer.note = std::string(to_string(verdict)) + ": there is nothing to confirm";
  } else if (wanted.empty()) {
    answer.note = "nothing is suspect, so nothing was measured";
  } else if (!answer.report.baseline || answer.report.baseline->builds.empty()) {
    answer.note =
        "no build is pinned for this series, so nothing was measured in turns; a second night in a "
        "row decides (pin one with kneepoint baseline set)";
  } else {
    TRY_ASSIGN(const Measured measured,
               Confirming(session, store, tonight, answer.report, wanted).measure());
    answer.study = measured.row.id;
    answer.interrupted = !measured.complete;
    TRY_ASSIGN(const StudyEvidence evidence, store.evidence(measured.row.row));
    TRY_ASSIGN(const StudyEvidence night, store.evidence(tonight.row));
    std::set<std::string> keys;
    for (const PointEvidence& point : evidence.points) keys.insert(point.point.key_without_build());
    const auto then = programs_of(night, "", keys), now = programs_of(evidence, kTonight, keys);
    if (!then.empty() && !now.empty() && then != now) {
      return Error{ErrorCode::conflict,
                   "the program that " + tonight.id +
                       " ran has been replaced since: what was measured in turns (" + answer.study +
                       ") is of another; confirm a night before the next build"};
    }
    if (answer.interrupted) return answer;  // the verdict waits for the pairs
    request.turns = turns_of(evidence, wanted);
  }
  TRY_ASSIGN(answer.report, gate_study(session, store, tonight, request));
  return answer;
}

}  // namespace kneepoint::cli

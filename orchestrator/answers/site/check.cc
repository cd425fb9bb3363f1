// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/site/check.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "orchestrator/analysis/knee/adaptive_search.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/text.h"
#include "orchestrator/engine/admission.h"
#include "orchestrator/engine/requests.h"
#include "orchestrator/engine/rounds.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

// An emitted name must stay inside the folder that the user gave.
bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

int concurrent_on(const Plan& plan, const Site& site, const Capabilities& backend) {
  return ceilings_of(plan.limits, site.limits, backend,
                     wished_concurrent(site.packing, plan.limits, 0))
      .concurrent;
}

// The allocations of round 0, as the engine would make them.
std::vector<AllocationRequest> packed_requests(const Study& study, const Site& site,
                                               const SiteAccess& access,
                                               const std::string& directory) {
  const std::vector<Run> runs = first_of(study).runs;
  std::vector<PackItem> items;
  for (const Run& run : runs) {
    items.push_back(
        {study.points[static_cast<std::size_t>(run.point)].shape.nodes, study.plan.limits.timeout});
  }
  std::vector<AllocationRequest> requests;
  for (const auto& batch :
       pack(items, site.packing, concurrent_on(study.plan, site, access.capabilities),
            access.capabilities.nodes)) {
    std::vector<Step> steps;
    for (const int index : batch) {
      const Run& run = runs[static_cast<std::size_t>(index)];
      const Point& point = study.points[static_cast<std::size_t>(run.point)];
      steps.push_back(step_for(point, study.plan, site,
                               {study.hash8, 1, directory, index + 1, run.repeat, 1, 1},
                               is_oversubscribed(point, access.capabilities)));
    }
    requests.push_back(allocation_for(allocation_name(study.hash8, 1, batch.front() + 1, 1, 1),
                                      directory, std::move(steps)));
  }
  return requests;
}

Result<std::vector<std::string>> emit_files(const Study& study, const Site& site,
                                            const SiteAccess& access, const std::string& root,
                                            const std::string& folder) {
  std::error_code problem;
  if (fs::exists(folder, problem) &&
      !(fs::is_directory(folder, problem) && fs::is_empty(folder, problem))) {
    return Error{ErrorCode::exists,
                 "--emit " + folder + " is not an empty folder; name one that is new or empty"};
  }
  fs::create_directories(folder, problem);
  if (problem) return system_error("make " + folder, problem.value());
  std::vector<std::string> written;
  const auto write = [&](const AllocationRequest& request) -> Result<void> {
    for (const auto& file : access.launcher->emit(request)) {
      ENSURE(is_file_name(file.name), "a launcher emits plain file names");
      TRY(write_file(folder + "/" + file.name, file.content));
      written.push_back(file.name);
    }
    return {};
  };
  const std::string directory = root + "/" + study.plan.study + "-" + study.hash8 + "-1";
  if (site.packing.mode == PackingMode::packed) {
    for (const AllocationRequest& request : packed_requests(study, site, access, directory)) {
      TRY(write(request));
    }
    return written;
  }
  int number = 0;  // runs are numbered as round 0 orders them; each point's first is shown
  std::vector<bool> seen(study.points.size(), false);
  for (const Run& run : first_round(study)) {
    ++number;
    if (seen[static_cast<std::size_t>(run.point)]) continue;
    seen[static_cast<std::size_t>(run.point)] = true;
    const Point& point = study.points[static_cast<std::size_t>(run.point)];
    const RunIdentity identity{study.hash8, 1, directory, number, run.repeat, 1, 1};
    TRY(write(request_for(point, study.plan, site, identity,
                          is_oversubscribed(point, access.capabilities))));
  }
  return written;
}

// Asks the backend about each shape once, without submitting anything.
void rehearse_shapes(const Study& study, const Site& site, const SiteAccess& access,
                     const Clock& clock, const std::string& root, CheckAnswer& answer) {
  const std::string folder = root + "/" + study.plan.study + "-" + study.hash8 + "-1";
  const auto ask = [&](const std::string& what, const AllocationRequest& request) {
    const auto said =
        access.launcher->rehearse(request, clock.steady() + access.capabilities.call_deadline);
    answer.rehearsals.push_back({what, said ? *said : said.error().message, !said});
  };
  std::set<std::string> asked;
  if (site.packing.mode == PackingMode::packed) {
    for (const AllocationRequest& request : packed_requests(study, site, access, folder)) {
      const std::string steps = counted(static_cast<long>(request.steps.size()), "run");
      if (!asked.insert(to_string(request.shape) + steps).second) continue;
      ask("an allocation of " + steps + " (" + to_string(request.shape) + ")", request);
    }
    return;
  }
  for (const Point& point : study.points) {
    if (!asked.insert(to_string(point.shape)).second) continue;
    ask("K=" + std::to_string(point.k) + " (" + to_string(point.shape) + ")",
        request_for(point, study.plan, site, {study.hash8, 1, folder, 1, 0, 1, 1},
                    is_oversubscribed(point, access.capabilities)));
  }
}

bool has_only_doublings(const Study& study) {
  std::set<int> ks;
  for (const Point& point : study.points) ks.insert(point.k);
  return doublings({ks.begin(), ks.end()}).size() == ks.size();
}

CheckAnswer with_problems(std::vector<Problem> problems) {
  CheckAnswer answer;
  answer.problems = std::move(problems);
  return answer;
}

}  // namespace

bool CheckAnswer::shape_refused() const {
  return std::any_of(rehearsals.begin(), rehearsals.end(),
                     [](const Rehearsal& one) { return one.refused; });
}

Submission CheckAnswer::submission() const {
  return submission_of(study, site.packing, concurrent, capacity.nodes);
}

CostEstimate CheckAnswer::estimate() const {
  const Plan& plan = study.plan;
  return estimate_cost(study, plan.search.adaptive ? plan.repeat.max : plan.repeat.min, price);
}

FirstRound CheckAnswer::first_round() const {
  const Round first = first_of(study);
  return {first.reasons, estimate_runs(study, first.runs, price)};
}

Result<CheckAnswer> check_plan(const Context& context, const CheckRequest& request) {
  TRY_ASSIGN(PlanOnSite both, read_plan_on_site(context, request.plan, request.site));
  if (!both.problems.empty()) return with_problems(std::move(both.problems));
  const Site& site = *both.site;
  const std::string here = fs::current_path().string();
  // Without a place for a database there is still a plan to check.
  const auto database = database_path(context.database, context.environment, here);
  const std::string root = work_root(site, database ? *database : here + "/kneepoint.db", here);
  TRY_ASSIGN(const SiteAccess access, reach_site(context, site));
  Expanded expanded = expand_plan(context, both, access.capabilities);
  if (!expanded.problems.empty()) return with_problems(std::move(expanded.problems));

  CheckAnswer answer{std::move(expanded.study), site,
                     capacity_of(access.capabilities, site.limits)};
  const Study& study = answer.study;
  answer.concurrent = concurrent_on(both.plan, site, access.capabilities);
  answer.warnings = plan_warnings(study, answer.capacity);
  answer.refusals = refusals(study, site.limits, access.capabilities);
  TRY_ASSIGN(PriceFound price, price_of_study(request.prices, site, nullptr));
  if (!price.problems.empty()) return with_problems(std::move(price.problems));
  if (price.price) answer.price = std::move(price.price->price);
  answer.budget = fit_budget(study, site.limits, answer.price, access.capabilities.overrun);
  if (both.plan.search.adaptive) {
    answer.search = forecast(study, answer.price ? &answer.price->item : nullptr);
    if (has_only_doublings(study)) {
      answer.warnings.emplace_back(
          "the scale has no K between its doublings, so that the search can't look at any nearer "
          "to the knee; give a denser one, such as [1, 2, 3, 4, 6, 8, 12, 16]");
    }
  }
  rehearse_shapes(study, site, access, context.clock, root, answer);
  if (!request.emit_folder.empty()) {
    answer.emit_folder = request.emit_folder;
    TRY_ASSIGN(answer.emitted, emit_files(study, site, access, root, answer.emit_folder));
  }
  return answer;
}

}  // namespace kneepoint

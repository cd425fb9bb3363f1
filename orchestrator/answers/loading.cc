// SPDX-License-Identifier: Apache-2.0
//
// Reading is plan/'s and backend/'s work; here they are put together, and failures get a clause
// that says which file or site they are about.
#include "orchestrator/answers/loading.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "orchestrator/answers/input_files.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/engine/admission.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/readers.h"
#include "orchestrator/plan/site/kubeconfig.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

void append(std::vector<Problem>& to, const std::vector<Problem>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Read when the site is reached, each time: they are never stored.
Result<void> find_credentials(Site& site) {
  if (!traits_of(site.backend).has_images) return {};
  TRY_ASSIGN(site.kubernetes.access,
             kube_access(kube_access_places(site.kubernetes), site.kubernetes.context));
  return {};
}

Error unreachable(const Site& site, const Error& why) {
  Error error = why.in("site '" + site.name + "'");
  if (error.code != ErrorCode::invalid) error.code = ErrorCode::unavailable;
  return error;
}

}  // namespace

Result<PlanOnSite> read_plan_on_site(const Context& context, const std::string& plan_path,
                                     const std::string& site_path) {
  TRY_ASSIGN(const std::string plan_text, read_file("plan", plan_path));
  const std::string path =
      site_path.empty() ? context.environment("KNEEPOINT_SITE").value_or("") : site_path;
  PlanRead plan = read_plan(plan_text, plan_path, built_in_catalog());
  PlanOnSite both{std::move(plan.plan), nullptr, std::move(plan.problems), std::move(plan.origins)};
  if (path.empty()) {
    both.site = std::make_unique<Site>(built_in_local_site());
  } else {
    TRY_ASSIGN(const std::string site_text, read_file("site", path));
    SiteRead site = read_site(site_text, path);
    append(both.problems, site.problems);
    if (site.problems.empty()) append(both.problems, find_prices(site.site, site.origins));
    both.site = std::make_unique<Site>(std::move(site.site));
  }
  if (both.problems.empty()) {
    both.problems = find_inputs(both.plan, *both.site);
    locate(both.problems, both.origins);
  }
  return both;
}

Result<PlanOnSite> read_stored_plan(const std::string& plan_text, const std::string& plan_path,
                                    const std::string& site_text) {
  PlanRead plan = read_plan(plan_text, plan_path, built_in_catalog());
  PlanOnSite both{std::move(plan.plan), nullptr, std::move(plan.problems), std::move(plan.origins)};
  SiteRead site;
  if (site_text.empty()) {
    site.site = built_in_local_site();
  } else {
    site = read_site(site_text, "stored site");
  }
  append(both.problems, site.problems);
  both.site = std::make_unique<Site>(std::move(site.site));
  if (both.problems.empty()) {
    static_cast<void>(find_inputs(both.plan, *both.site));  // who only looks or cancels needs none
    return both;
  }
  return Error{ErrorCode::corrupt, "the stored plan or site can't be read by this version:\n" +
                                       to_string(both.problems)};
}

Result<SiteAccess> reach_site(const Context& context, const Site& site) {
  SiteAccess access;
  access.site = std::make_unique<Site>(site);
  access.poller = std::make_unique<Poller>();
  if (auto found = find_credentials(*access.site); !found) return unreachable(site, found.error());
  const std::string here = fs::current_path().string();
  auto launcher = make_launcher(
      {*access.site, context.clock, *access.poller, agent_path(site, context.executable, here)});
  if (!launcher) return unreachable(site, launcher.error());
  access.launcher = std::move(*launcher);
  access.capabilities = access.launcher->capabilities();
  return access;
}

Result<SiteAccess> reach_site_to_run(const Context& context, const Site& site) {
  TRY_ASSIGN(SiteAccess access, reach_site(context, site));
  const std::string agent = agent_path(site, context.executable, fs::current_path().string());
  if (traits_of(site.backend).is_this_machine && ::access(agent.c_str(), X_OK) != 0) {
    return Error{ErrorCode::unavailable,
                 "site '" + site.name + "': the agent " + agent +
                     " can't be started; install it there, or name it with the site's `agent`"};
  }
  return access;
}

Expanded expand_plan(const Context& context, const PlanOnSite& both,
                     const Capabilities& capabilities) {
  const Site& site = *both.site;
  Expanded expanded =
      expand(both.plan, site, capacity_of(capabilities, site.limits),
             programs_folder(site, context.executable, fs::current_path().string()));
  locate(expanded.problems, both.origins);
  return expanded;
}

int tighter_limit(int a, int b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

SiteCapacity capacity_of(const Capabilities& capabilities, const SiteLimits& limits) {
  return {tighter_limit(capabilities.nodes, limits.nodes),
          tighter_limit(capabilities.cores_per_node, limits.cores), capabilities.gpus_per_node};
}

std::vector<std::string> refusals(const Study& study, const SiteLimits& site,
                                  const Capabilities& capabilities) {
  std::vector<std::string> out;
  const Limits& plan = study.plan.limits;
  const int nodes = tighter_limit(plan.nodes, site.nodes);
  for (const Point& point : study.points) {
    const std::string needs =
        point.case_name + " " + to_string(point.mode) + " K=" + std::to_string(point.k) + " needs ";
    if (nodes > 0 && point.shape.nodes > nodes) {
      out.push_back(needs + counted(point.shape.nodes, "node") + ", limits.nodes of the " +
                    (nodes == plan.nodes ? "plan" : "site") + " allows " + std::to_string(nodes));
    }
    if (capabilities.nodes > 0 && point.shape.nodes > capabilities.nodes) {
      out.push_back(needs + counted(point.shape.nodes, "node") + ", the site has " +
                    std::to_string(capabilities.nodes));
    }
    if (plan.oversubscribe || !is_oversubscribed(point, capabilities)) continue;
    if (capabilities.cores_asked > 0) {
      const int cores = point.shape.ranks_per_node * point.shape.threads_per_rank;
      out.push_back(needs + counted(cores, "core") + " in each pod, `cpu` of the site asks for " +
                    number_text(capabilities.cores_asked, 3));
      continue;
    }
    out.push_back(needs + counted(point.shape.cpus(), "core") + " (" +
                  counted(point.shape.ranks, "rank") + " x " +
                  counted(point.shape.threads_per_rank, "thread") + "), this machine has " +
                  std::to_string(capabilities.cores_per_node));
  }
  return out;
}

}  // namespace kneepoint

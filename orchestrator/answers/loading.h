// SPDX-License-Identifier: Apache-2.0
//
// From files to what a command works with: a plan on a site, the files that its `inputs` name, the
// site's launcher, the matrix.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/result.h"
#include "orchestrator/io/poller.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/plan/matrix.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct PlanOnSite {
  Plan plan;
  std::unique_ptr<Site> site;  // stays where it is: launchers refer to it
  std::vector<Problem> problems;
  std::vector<Origin> origins;  // where the plan's values stand
};

// `site_path` "": KNEEPOINT_SITE, else this machine.
Result<PlanOnSite> read_plan_on_site(const Context& context, const std::string& plan_path,
                                     const std::string& site_path);
// The same from the texts that a study has stored.
Result<PlanOnSite> read_stored_plan(const std::string& plan_text, const std::string& plan_path,
                                    const std::string& site_text);

// A site that can be talked to. It has a copy of the site, since that holds credentials then.
struct SiteAccess {
  std::unique_ptr<Site> site;
  std::unique_ptr<Poller> poller;
  std::unique_ptr<Launcher> launcher;
  Capabilities capabilities;
};

Result<SiteAccess> reach_site(const Context& context, const Site& site);
// The same where a study is to run: an agent of this machine can be started. Leaves nothing behind.
Result<SiteAccess> reach_site_to_run(const Context& context, const Site& site);

// The matrix of the plan on its site; problems carry their places in the file.
Expanded expand_plan(const Context& context, const PlanOnSite& both,
                     const Capabilities& capabilities);

// 0 means "no limit" on both sides.
int tighter_limit(int a, int b);
SiteCapacity capacity_of(const Capabilities& capabilities, const SiteLimits& limits);

// Points that `run` won't start: more nodes than the limits of plan and site allow at once, or more
// ranks × threads than the machine has cores, without the plan's leave. One sentence each.
std::vector<std::string> refusals(const Study& study, const SiteLimits& site,
                                  const Capabilities& capabilities);
inline constexpr char kRefusalAdvice[] =
    "Lower `scale`, or name a larger site with --site. More nodes: raise limits.nodes. More ranks "
    "x threads than cores: "
    "`limits: {oversubscribe: true}`\nin the plan measures them all the same, marked in every "
    "report.\n";

// ---- The files that a plan's `inputs` name: found and hashed when the plan is read, copied into
// the study's folder when it is run. A study's copy never changes: who edits an input gets another
// series.

constexpr std::uint64_t kMostInputBytes = std::uint64_t{256} << 20;  // of one workload
// Without a shared folder; a shell text of 128 KiB must hold them as base64.
constexpr std::uint64_t kMostInputBytesInPods = 64 << 10;

constexpr std::size_t kMostInputsInPods = 100;

// Fills in `staged` of every workload. Paths are relative to the plan file's folder; a folder
// stands for all files below it. Each problem names its key.
std::vector<Problem> find_inputs(Plan& plan, const Site& site);

// Copies what is not there yet to where the steps will look (engine/requests.h: staged_path).
Result<void> stage_inputs(const Plan& plan, const std::string& directory);

}  // namespace kneepoint

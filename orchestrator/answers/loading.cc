// SPDX-License-Identifier: Apache-2.0
//
// Reading is plan/'s and backend/'s work; here they are put together, and failures get a clause
// that says which file or site they are about.
#include "orchestrator/answers/loading.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "orchestrator/answers/places.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/engine/admission.h"
#include "orchestrator/engine/requests.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/readers.h"
#include "orchestrator/plan/site/kubeconfig.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 10'000;
constexpr int kMostMiB = static_cast<int>(kMostInputBytes >> 20);

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

// Links are followed where the plan names them and nowhere below: a folder with a link to / would
// otherwise be staged with the whole disk.
class InputFinder {
 public:
  InputFinder(const Plan& plan, const Site& site, std::vector<Problem>& problems)
      : plan_(plan), site_(site), problems_(problems) {}

  void find(WorkloadSpec& workload, const std::string& key) {
    files_.clear();
    names_.clear();
    total_ = 0;
    const fs::path base = fs::absolute(fs::path(plan_.path)).parent_path();
    for (std::size_t i = 0; i < workload.program.inputs.size(); ++i) {
      key_ = key + ".inputs[" + std::to_string(i) + "]";
      find_one(base, workload.program.inputs[i]);
    }
    std::ranges::sort(files_,
                      [](const InputFile& a, const InputFile& b) { return a.name < b.name; });
    const bool too_many = total_ > kMostInputBytesInPods || files_.size() > kMostInputsInPods;
    if (traits_of(site_.backend).has_images && too_many) {
      key_ = key + ".inputs";
      fail("they come to " + std::to_string(total_) + " bytes, and pods get at most " +
           std::to_string(kMostInputBytesInPods) + " in " + std::to_string(kMostInputsInPods) +
           " files through their Job; put them into the image or a volume (kubernetes.volumes of "
           "the "
           "site) and name that path in the command");
    }
    workload.program.staged = files_;
  }

 private:
  void fail(const std::string& message) { problems_.push_back({plan_.path, 0, 0, key_, message}); }

  void find_one(const fs::path& base, const std::string& text) {
    const fs::path path = (base / text).lexically_normal();
    std::error_code problem;
    // "mesh/a.dat" keeps its path; what lies elsewhere has its last name only.
    fs::path name = fs::path(text).lexically_normal();
    if (!name.has_filename()) name = name.parent_path();
    const bool elsewhere =
        name.is_absolute() || name.begin() == name.end() || *name.begin() == "..";
    if (elsewhere) name = name.filename();
    const fs::file_status status = fs::status(path, problem);
    if (fs::is_regular_file(status)) return add(path, name.string());
    if (!fs::is_directory(status)) {
      return fail("'" + text + "': " +
                  (fs::exists(status) ? std::string("neither a file nor a folder")
                                      : "no such file or folder: " + path.string()));
    }
    fs::recursive_directory_iterator below(path, problem);
    for (; !problem && below != fs::recursive_directory_iterator(); below.increment(problem)) {
      if (below->is_symlink(problem) || !below->is_regular_file(problem)) continue;
      add(below->path(), (name / below->path().lexically_relative(path)).string());
      if (files_.size() > kMostFiles || total_ > kMostInputBytes) return;
    }
    if (problem) fail("'" + text + "': " + problem.message());
  }

  void add(const fs::path& path, const std::string& name) {
    if (!names_.insert(name).second) return fail("'" + name + "' comes from two of the inputs");
    std::error_code problem;
    InputFile file;
    file.name = name;
    file.size = fs::file_size(path, problem);
    total_ += problem ? 0 : file.size;
    if (files_.size() >= kMostFiles || total_ > kMostInputBytes) {
      return fail("more than " + std::to_string(kMostFiles) + " files or " +
                  std::to_string(kMostMiB) +
                  " MiB; name a folder on a shared file system in the command instead");
    }
    const auto content = read_file("input", path.string(), kMostMiB);
    if (!content) return fail(content.error().message);
    file.source = path.string();
    file.sha256 = sha256_hex(*content);
    file.executable =
        (fs::status(path, problem).permissions() & fs::perms::owner_exec) != fs::perms::none;
    if (content->size() <= kMostInputBytesInPods) {
      file.content = std::make_shared<const std::string>(*content);
    }
    files_.push_back(std::move(file));
  }

  const Plan& plan_;
  const Site& site_;
  std::vector<Problem>& problems_;
  std::string key_;
  std::vector<InputFile> files_;
  std::set<std::string> names_;
  std::uint64_t total_ = 0;
};

Result<void> stage(const InputFile& file, const std::string& target) {
  std::error_code problem;
  if (fs::exists(target, problem)) return {};
  const std::string temporary = target + ".new";
  fs::remove(temporary, problem);
  if (!fs::copy_file(file.source, temporary, problem)) {
    return system_error("copy " + file.source + " to " + temporary, problem.value());
  }
  TRY_ASSIGN(const std::string copied, read_file("input", temporary, kMostMiB));
  if (sha256_hex(copied) != file.sha256) {
    return Error{ErrorCode::conflict, file.source + " was changed meanwhile; run again"};
  }
  const auto readable = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  const auto runnable = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(temporary, file.executable ? readable | runnable : readable, problem);
  if (!problem) fs::rename(temporary, target, problem);
  if (problem) return system_error("keep " + target, problem.value());
  return {};
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

std::vector<Problem> find_inputs(Plan& plan, const Site& site) {
  std::vector<Problem> problems;
  std::vector<WorkloadSpec> workloads = plan.workloads;
  InputFinder finder(plan, site, problems);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    finder.find(workloads[i], "workloads[" + std::to_string(i) + "]");
  }
  plan.workloads = std::move(workloads);
  return problems;
}

Result<void> stage_inputs(const Plan& plan, const std::string& directory) {
  for (const WorkloadSpec& workload : plan.workloads) {
    for (const InputFile& file : workload.program.staged) {
      const std::string target = staged_path(directory, file);
      std::error_code problem;
      fs::create_directories(fs::path(target).parent_path(), problem);
      if (problem) return system_error("make folder for " + target, problem.value());
      TRY(stage(file, target));
    }
  }
  return {};
}

}  // namespace kneepoint

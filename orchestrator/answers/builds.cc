// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/builds.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/plan/builds.h"
#include "orchestrator/plan/plan/parts.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr char kForm[] = "expected --ab old=PATH --ab new=PATH, the reference first";

Error wrong(const std::string& given, const std::string& what) {
  return Error{ErrorCode::invalid, "--ab " + given + ": " + what};
}

// Is it started itself, rather than handed to another program?
bool is_started(const Plan& plan) {
  return std::ranges::any_of(plan.workloads, [](const WorkloadSpec& one) {
    return one.catalog || (!one.command.empty() && one.command.front() == "{build}");
  });
}

// Pods have images, and paths inside of the site's; elsewhere there are files.
Result<void> look_at(const std::string& given, const Plan& plan, const Site& site,
                     const std::string& working_directory, Build& build) {
  if (traits_of(site.backend).has_images) {
    if (!build.place.starts_with("/")) build.kind = Build::Kind::image;
    return {};
  }
  build.place = absolute_path(build.place, working_directory);
  std::error_code problem;
  const fs::file_status status = fs::status(build.place, problem);
  if (fs::is_directory(status)) {
    build.kind = Build::Kind::folder;
    for (const std::string& file : files_of_build(plan, build)) {
      if (!fs::exists(file, problem)) return wrong(given, "there is no " + file);
    }
  } else if (!fs::is_regular_file(status)) {
    return wrong(given, fs::exists(status) ? build.place + " is neither a file nor a folder"
                                           : "no such file or folder: " + build.place);
  } else if (is_started(plan) && ::access(build.place.c_str(), X_OK) != 0) {
    return wrong(given, build.place + " is not executable");
  }
  TRY_ASSIGN(build.hash, hash_of_build(plan, build));
  return {};
}

}  // namespace

Result<std::string> hash_of_build(const Plan& plan, const Build& build) {
  if (build.kind == Build::Kind::image) return std::string();
  std::string together;
  for (const std::string& file : files_of_build(plan, build)) {
    std::error_code problem;
    if (!fs::is_regular_file(file, problem)) continue;
    TRY_ASSIGN(const std::string hash, hash_of_file(file));
    if (build.kind == Build::Kind::file) return hash;
    together += fs::path(file).lexically_relative(build.place).string() + " " + hash + "\n";
  }
  return together.empty() ? together : sha256_hex(together);
}

Result<std::vector<Build>> read_builds(const std::vector<std::string>& given, const Plan& plan,
                                       const Site& site, const std::string& working_directory) {
  std::vector<Build> builds;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    Build& build = builds.emplace_back();
    build.label = text.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == text.size()) return wrong(text, kForm);
    build.place = text.substr(equals + 1);
    if (!is_plain_name(build.label)) {
      return wrong(text, "expected a label of letters, digits, '_' and '-' (at most 64), found '" +
                             build.label + "'");
    }
    if (build.label == "default") {
      return wrong(text, "'default' is the label of a plan's own program; take another");
    }
    TRY(look_at(text, plan, site, working_directory, build));
  }
  if (builds.size() != kBuildsInTurns) {
    return Error{ErrorCode::invalid,
                 "--ab: two builds are compared, " + std::to_string(builds.size()) +
                     (builds.size() == 1 ? " is" : " are") + " named; " + kForm};
  }
  if (builds[0].label == builds[1].label) {
    return wrong(given[1], "the label '" + builds[1].label + "' is taken by the first build");
  }
  if (builds[0].kind != builds[1].kind &&
      (builds[0].kind == Build::Kind::image || builds[1].kind == Build::Kind::image)) {
    return wrong(given[1], "one of the two is an image and the other a path in the site's image");
  }
  return builds;
}

void put_in_turns(PlanOnSite& both, std::vector<Build> builds, const std::string& suffix) {
  both.plan.study += suffix;
  both.plan.builds = std::move(builds);
  Packing& packing = both.site->packing;
  const bool images = both.plan.builds.front().kind == Build::Kind::image;
  // The steps of this machine start one by one as they are; a pod has one image.
  if (traits_of(both.site->backend).is_this_machine || images) {
    packing.mode = PackingMode::one_per_run;
  } else {
    packing.mode = PackingMode::packed;
    packing.allocations = 1;
  }
}

int concurrent_in_turns(const PlanOnSite& both) {
  return both.site->packing.mode == PackingMode::one_per_run ? 1 : 0;
}

Result<void> restore_builds(StudyStore& store, const StudyRow& study, PlanOnSite& both) {
  TRY_ASSIGN(std::vector<Build> builds, store.builds(study.row));
  if (!builds.empty()) put_in_turns(both, std::move(builds), "");
  return {};
}

}  // namespace kneepoint

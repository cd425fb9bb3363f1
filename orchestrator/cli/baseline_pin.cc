// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/baseline_pin.h"

#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"

namespace kneepoint::cli {
namespace {

constexpr std::string_view kDigest = "@sha256:";

bool is_workload_name(std::string_view text) {
  return !text.empty() && text.find_first_of("/.:@") == std::string_view::npos;
}

}  // namespace

Result<PinnedBuild> pin_build(const std::string& words, bool is_image,
                              const std::string& working_directory) {
  PinnedBuild build;
  std::string value = words;
  if (const std::size_t cut = words.find('=');
      cut != std::string::npos && is_workload_name(words.substr(0, cut))) {
    build.workload = words.substr(0, cut);
    value = words.substr(cut + 1);
  }
  if (value.empty()) {
    return Error{ErrorCode::invalid,
                 "--build: '" + words + "' names nothing; expected PATH, IMAGE or WORKLOAD=PATH"};
  }
  if (is_image) {
    build.kind = BuildKind::image;
    build.value = value;
    if (const std::size_t at = value.find(kDigest); at != std::string::npos) {
      build.hash = value.substr(at + kDigest.size());
    }
    return build;
  }
  build.value = absolute_path(value, working_directory);
  auto hash = hash_of_file(build.value);
  if (!hash) return hash.error().in("--build");
  build.hash = *hash;
  return build;
}

Result<void> check_pinned(const PinnedBuild& build) {
  if (build.kind == BuildKind::image) return {};
  TRY_ASSIGN(const std::string now, hash_of_file(build.value));
  if (now == build.hash) return {};
  return Error{ErrorCode::conflict,
               build.value + " is not the program that was pinned: its SHA-256 was " +
                   build.hash.substr(0, 12) + " and is " + now.substr(0, 12) + " now"};
}

}  // namespace kneepoint::cli

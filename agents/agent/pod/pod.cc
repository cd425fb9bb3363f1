// SPDX-License-Identifier: Apache-2.0
//
// The part that both kinds of pods begin with.
#include "agents/agent/pod/pod.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "agents/agent/agent.h"
#include "agents/agent/file.h"

namespace kneepoint::agent {
namespace {

constexpr char kTerminationLog[] = "/dev/termination-log";

// HOME and TMPDIR are in the work folder, which begins empty.
Result<void> make_folders(const PodSettings& settings) {
  std::vector<std::string> folders = {settings.work};
  for (const char* name : {"HOME", "TMPDIR"}) {
    const char* path = getenv(name);
    if (path != nullptr && path[0] == '/') folders.emplace_back(path);
  }
  for (const std::string& folder : folders) {
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) return system_error("make folder '" + folder + "'", failure.value());
  }
  return {};
}

}  // namespace

void last_words(const std::string& text) {
  const std::string line = "kneepoint-agent: " + text + "\n";
  std::fputs(line.c_str(), stderr);
  const File log(open(kTerminationLog, O_WRONLY | O_APPEND | O_CLOEXEC));
  if (log.is_open()) (void)!write(log.fd(), line.data(), line.size());
}

int run_pod() {
  fill_standard_descriptors();
  prctl(PR_SET_DUMPABLE, 0);  // no other process of this user can look at the key
  const auto settings = take_pod_settings();
  if (!settings) {
    last_words(settings.error().message);
    return kExitUsage;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (const auto made = make_folders(*settings); !made) {
    last_words(made.error().message);
    return kExitIo;
  }
  return settings->index == 0 ? lead(*settings) : follow(*settings);
}

}  // namespace kneepoint::agent

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
#include <cstring>
#include <filesystem>

#include "agents/agent/agent.h"
#include "agents/agent/file.h"
#include "agents/agent/text.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/text.h"

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
  const Fd log(open(kTerminationLog, O_WRONLY | O_APPEND | O_CLOEXEC));
  if (log.is_open()) (void)!write(log.get(), line.data(), line.size());
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

// Every variable is checked here, so that the rest can trust its settings.

namespace {

constexpr std::size_t kLeastKey = 16;

Error wrong(const std::string& what) {
  return Error{ErrorCode::invalid, what, false};
}

Result<int> number(const char* name, int fallback, int least, int most) {
  const std::string text = environment_variable(name);
  if (text.empty() && fallback >= 0) return fallback;
  const auto value = whole_number<int>(text);
  if (!value || *value < least || *value > most) {
    return wrong(std::string(name) + " is '" + text + "'; it must be a number from " +
                 std::to_string(least) + " to " + std::to_string(most));
  }
  return *value;
}

std::string take_pieces() {
  std::string text;
  for (int i = 0;; ++i) {
    const std::string piece = take_variable("KNEEPOINT_ALLOCATION_" + std::to_string(i));
    if (piece.empty()) return text;
    text += piece;
  }
}

// A launcher's pod has some letters behind; which of the workers it is stands in a worker's name.
Result<int> index_in_mpi_job(const std::string& pod, const std::string& job, int pods) {
  const int index = pod.starts_with(job + "-launcher") ? 0 : pod_index(pod, job);
  if (index >= 0 && index < pods) return index;
  return wrong(std::string(kPodVariable) + " is '" + pod + "', which is none of the " +
               std::to_string(pods) + " pods of MPIJob '" + job + "'");
}

}  // namespace

std::string take_variable(const std::string& name) {
  char* value = getenv(name.c_str());
  if (value == nullptr) return "";
  std::string taken = value;
  explicit_bzero(value, taken.size());  // /proc/PID/environ shows these very bytes
  unsetenv(name.c_str());
  return taken;
}

std::string pod_host(const std::string& job, bool is_mpi_job, int i) {
  const std::string role = !is_mpi_job ? "" : i == 0 ? "launcher" : "worker-";
  const std::string number = is_mpi_job && i == 0 ? "" : std::to_string(is_mpi_job ? i - 1 : i);
  return job + "-" + role + number + "." + job;
}

Result<PodSettings> take_pod_settings() {
  PodSettings settings;
  settings.key = bytes_of_hex(take_variable("KNEEPOINT_KEY"));
  const std::string pieces = take_pieces();
  TRY_ASSIGN(settings.pods, number("KNEEPOINT_PODS", -1, 1, 100'000));
  settings.job = environment_variable(kJobVariable);
  if (settings.job.empty()) return wrong("KNEEPOINT_JOB is not set");
  const std::string pod = environment_variable(kPodVariable);
  settings.is_mpi_job = !pod.empty();
  if (settings.is_mpi_job) {
    TRY_ASSIGN(settings.index, index_in_mpi_job(pod, settings.job, settings.pods));
  } else {
    TRY_ASSIGN(settings.index, number("JOB_COMPLETION_INDEX", -1, 0, settings.pods - 1));
  }
  TRY_ASSIGN(settings.port, number("KNEEPOINT_PORT", settings.port, 1, 65'535));
  TRY_ASSIGN(const int wait,
             number("KNEEPOINT_WAIT", static_cast<int>(settings.wait / kSecond), 1, 1'000'000));
  settings.wait = wait * kSecond;
  const std::string work = environment_variable("KNEEPOINT_WORK");
  if (!work.empty()) settings.work = work;
  if (settings.work[0] != '/') return wrong("KNEEPOINT_WORK must be an absolute path");
  if (settings.pods > 1 && settings.key.size() < kLeastKey) {
    return wrong("KNEEPOINT_KEY must be at least 32 hexadecimal digits");
  }
  if (settings.index == 0 && (pieces.empty() || !base64_decoded(pieces, settings.allocation))) {
    return wrong("KNEEPOINT_ALLOCATION_0 and on are not base64 of an allocation");
  }
  const std::string places = environment_variable("KNEEPOINT_PEERS");
  for (const std::string_view place : split(places, ',')) settings.places.emplace_back(place);
  if (!places.empty() && static_cast<int>(settings.places.size()) != settings.pods - 1) {
    return wrong("KNEEPOINT_PEERS must name every pod but the first");
  }
  return settings;
}

int pod_index(const std::string& host, const std::string& job) {
  const std::string opening = job + "-";
  if (job.empty() || !host.starts_with(opening)) return -1;
  std::string_view rest = std::string_view(host).substr(opening.size());
  rest = rest.substr(0, rest.find('.'));
  if (rest == "launcher") return 0;
  constexpr std::string_view kWorker = "worker-";
  const bool is_worker = rest.starts_with(kWorker);
  if (is_worker) rest.remove_prefix(kWorker.size());
  const int index = whole_number<int>(rest).value_or(-1);
  if (index < 0) return -1;
  return is_worker ? index + 1 : index;
}

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// posix_spawn, files for the output, wait4 for the peak memory.
#include "tests/fakes/kneepoint_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/ensure.h"
#include "tests/fakes/patience.h"

extern char** environ;

namespace kneepoint::testing_support {

Place::Place() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = std::string(base == nullptr ? "/tmp" : base) + "/kneepoint-test-XXXXXX";
  ENSURE(::mkdtemp(pattern.data()) != nullptr, "no temporary folder");
  path_ = pattern;
}

// Agents outlive a controller that was killed; they and what they run have its environment.
void Place::end_all() const {
  const std::string mark = "KNEEPOINT_DB=" + path_ + "/";
  std::error_code ignored;
  for (bool found = true; found;) {
    found = false;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
      const pid_t pid = std::atoi(entry.path().filename().c_str());
      if (pid <= 0 || pid == ::getpid()) continue;
      std::stringstream environment;
      environment << std::ifstream(entry.path() / "environ").rdbuf();
      if (environment.str().find(mark) == std::string::npos) continue;
      found = found || ::kill(pid, SIGKILL) == 0;
    }
    if (found) ::poll(nullptr, 0, 1);
  }
}

Place::~Place() {
  end_all();
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Place::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ + "/" + name) << text;
  return path_ + "/" + name;
}

std::string Place::read(const std::string& name) const {
  std::stringstream text;
  text << std::ifstream(path_ + "/" + name).rdbuf();
  return text.str();
}

pid_t Place::start(const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv = {KP_BIN_DIR "/kneepoint"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& a : argv) pointers.push_back(a.data());
  pointers.push_back(nullptr);
  std::vector<std::string> variables = {"KNEEPOINT_DB=" + path_ + "/kneepoint.db", "NO_COLOR=1"};
  std::vector<char*> environment;
  for (char** v = environ; *v != nullptr; ++v) environment.push_back(*v);
  for (std::string& v : variables) environment.push_back(v.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 1, (path_ + "/out").c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_addopen(&files, 2, (path_ + "/err").c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
  pid_t pid = 0;
  const int failed =
      ::posix_spawn(&pid, pointers[0], &files, nullptr, pointers.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&files);
  ENSURE(failed == 0, "kneepoint could not be started");
  return pid;
}

bool Place::ended_within(pid_t pid, long microseconds) const {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  ENSURE(fd >= 0, "pidfd_open");
  pollfd wanted{fd, POLLIN, 0};
  const timespec limit{microseconds / 1'000'000, microseconds % 1'000'000 * 1000};
  const int ready = ::ppoll(&wanted, 1, &limit, nullptr);
  ::close(fd);
  return ready > 0;
}

bool Place::wait_until(pid_t pid, const std::function<bool()>& is_so) const {
  const Nanoseconds until = system_clock().steady() + kPatience;
  while (!is_so()) {
    if (ended_within(pid, 5'000) || system_clock().steady() > until) return false;
  }
  return true;
}

bool Place::ends(pid_t pid) const {
  return ended_within(pid, kStudyPatience / kMicrosecond);
}

Place::Ended Place::wait(pid_t pid) const {
  if (!ends(pid)) ::kill(pid, SIGKILL);
  Ended ended;
  int status = 0;
  rusage used{};
  ::wait4(pid, &status, 0, &used);
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.peak_kb = used.ru_maxrss;
  ended.output = read("out");
  ended.errors = read("err");
  return ended;
}

Place::Ended Place::kneepoint(const std::vector<std::string>& arguments) const {
  const Nanoseconds before = system_clock().steady();
  Ended ended = wait(start(arguments));
  ended.seconds = to_seconds(system_clock().steady() - before);
  return ended;
}

}  // namespace kneepoint::testing_support

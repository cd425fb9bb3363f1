// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "orchestrator/base/clock.h"

extern char** environ;

namespace kneepoint::bench {

ChildEnd run_child(const std::vector<std::string>& argv,
                   const std::vector<std::string>& environment) {
  const std::string capture = fresh_folder("child-output") + "/output.txt";
  std::vector<char*> arguments;
  for (const std::string& one : argv) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> variables;
  for (const std::string& one : environment) variables.push_back(const_cast<char*>(one.c_str()));
  for (char** one = environ; *one != nullptr; ++one) variables.push_back(*one);
  variables.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, capture.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);

  ChildEnd end;
  const Nanoseconds began = system_clock().steady();
  pid_t pid = 0;
  const int refused =
      posix_spawn(&pid, argv[0].c_str(), &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) {
    end.output = argv[0] + " could not be started: " + std::string(strerror(refused));
    return end;
  }
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  end.seconds = to_seconds(system_clock().steady() - began);
  for (const timeval& used : {usage.ru_utime, usage.ru_stime}) {
    end.cpu_seconds += static_cast<double>(used.tv_sec) + 1e-6 * static_cast<double>(used.tv_usec);
  }
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  end.peak_megabytes = static_cast<double>(usage.ru_maxrss) / 1024;  // Linux counts in KiB
  std::ifstream in(capture, std::ios::binary);
  end.output.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  return end;
}

std::string fresh_folder(const std::string& name) {
  const std::filesystem::path folder =
      std::filesystem::path(KP_BIN_DIR).parent_path() / "bench" / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder.string();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  ASSERT_TRUE(out.good()) << path;
}

}  // namespace kneepoint::bench

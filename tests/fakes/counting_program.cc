// SPDX-License-Identifier: Apache-2.0
//
// A workload that leaves a trace of having run: appends its attempt's name to a file, works for
// some milliseconds, prints a time. Tests count the lines: an attempt that ran twice shows.
//   counting_program FILE MILLISECONDS
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* attempt = std::getenv("KNEEPOINT_ATTEMPT");
  const std::string line = std::string(attempt == nullptr ? "?" : attempt) + "\n";
  const int fd = ::open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0 || ::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return 3;
  const long ns = std::atol(argv[2]) * 1'000'000L;
  const timespec nap{ns / 1'000'000'000L, ns % 1'000'000'000L};
  ::nanosleep(&nap, nullptr);
  std::printf("t=0.25\n");
  return 0;
}

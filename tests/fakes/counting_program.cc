// SPDX-License-Identifier: Apache-2.0
//
// A workload that leaves a trace of having run: appends its attempt's name to a file, works for
// some milliseconds, prints a time. Tests count the lines: an attempt that ran twice shows. With
// GO it works on until that file is there: a test says when, instead of guessing how long.
//   counting_program FILE MILLISECONDS [GO]
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace {

void work(long milliseconds) {
  const long ns = milliseconds * 1'000'000L;
  const timespec nap{ns / 1'000'000'000L, ns % 1'000'000'000L};
  ::nanosleep(&nap, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return 2;
  const char* attempt = std::getenv("KNEEPOINT_ATTEMPT");
  const std::string line = std::string(attempt == nullptr ? "?" : attempt) + "\n";
  const int fd = ::open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0 || ::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return 3;
  work(std::atol(argv[2]));
  while (argc == 4 && ::access(argv[3], F_OK) != 0) work(5);
  std::printf("t=0.25\n");
  return 0;
}

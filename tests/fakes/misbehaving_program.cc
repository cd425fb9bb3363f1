// SPDX-License-Identifier: Apache-2.0
//
// A program that goes wrong in one chosen way: misbehaving_program MODE [ARGUMENT]. Modes "good"
// and "print" go right, for comparison. Records go where the agent says (KNEEPOINT_RECORDS).
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "agents/wire/record.h"

namespace {

using namespace kneepoint;

void send(const std::string& text) {
  const char* path = std::getenv(record::kPathVariable);
  if (path == nullptr) std::exit(99);
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    std::exit(98);
  }
  close(fd);
}

std::string samples() {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    text += record::to_line(-1, record::Sample{i, i == 0, 3000, 2000, 1000, 1500, 400, 100});
  }
  return text;
}

[[noreturn]] void hang() {
  while (true) pause();
}

int good(const char*) {
  send(record::to_line(-1, record::Provenance{"workload", {{"compiler", "some compiler"}}}));
  send(samples());
  send(record::to_line(-1, record::RankTotal{0, "here", "0", 4000, 1000, 64}));
  send(record::to_line(-1, record::Check{true, "residual 0"}) +
       record::to_line(-1, record::Done{2}));
  return 0;
}

int wrong_answer(const char*) {
  send(samples() + record::to_line(-1, record::Check{false, "residual 2 above 1e-6"}) +
       record::to_line(-1, record::Done{2}));
  return 1;
}

int without_done(const char*) {
  send(samples());
  return 0;
}

int garbage(const char*) {
  send(samples() + "Segmentation \xff fault \"or so\"\n" + record::to_line(-1, record::Done{2}));
  return 0;
}

int noise(const char*) {
  while (true) send(std::string(1 << 20, '\n'));
}

int samples_then_hang(const char*) {
  std::printf("%d\n", getpid());
  std::fflush(stdout);
  send(samples());
  hang();
}

int print(const char* text) {
  std::puts(text);
  return 0;
}

int fail_loudly(const char* code) {
  std::fputs("first line\nwhat went wrong\n", stderr);
  return std::atoi(code);
}

int flood(const char* mebibytes) {
  std::string block;
  while (block.size() < (1 << 20) - 16) block += "flood line 1234\n";
  std::puts("time=1.5 at the beginning");
  std::fflush(stdout);
  for (int i = std::atoi(mebibytes); i > 0; --i) {
    for (std::size_t at = 0; at < block.size();) {
      const ssize_t n = write(1, block.data() + at, block.size() - at);
      if (n <= 0) return 1;
      at += static_cast<std::size_t>(n);
    }
  }
  std::puts("time=2.5 at the end");
  return 0;
}

int crash(const char*) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::abort();
}

int kill_self(const char*) {
  kill(getpid(), SIGKILL);
  hang();
}

int hang_politely(const char*) {
  hang();
}

int hang_ignoring_sigterm(const char*) {
  std::signal(SIGTERM, SIG_IGN);
  std::puts("deaf");
  std::fflush(stdout);
  hang();
}

// Leaves the session and the parent behind, keeps stdout open, tells its process id in a file.
int daemon_in(const char* pid_file) {
  int ready[2];
  if (pipe(ready) != 0) return 97;
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    std::signal(SIGTERM, SIG_IGN);
    const std::string pid = std::to_string(getpid());
    const int fd = open(pid_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (write(fd, pid.data(), pid.size()) < 0) _exit(96);
    close(fd);
    if (write(ready[1], "x", 1) != 1) _exit(95);
    hang();
  }
  char byte;
  if (read(ready[0], &byte, 1) != 1) return 94;
  std::puts("time=1");
  return 0;
}

std::string records_file() {
  const std::string path = std::getenv(record::kPathVariable);
  return path.substr(0, path.rfind('/')) + "/records.ndjson";
}

// Puts something that can't be read like a file where the agent's records are.
int replace_records(const char* kind) {
  const std::string path = records_file();
  unlink(path.c_str());
  const int made =
      std::strcmp(kind, "fifo") == 0 ? mkfifo(path.c_str(), 0644) : mkdir(path.c_str(), 0755);
  std::puts("t=1");
  return made == 0 ? 0 : 93;
}

int exit_with(const char* code) {
  return std::atoi(code);
}

int show_environment(const char* name) {
  const char* value = std::getenv(name);
  std::printf("%s=%s\n", name, value != nullptr ? value : "(not set)");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, int (*)(const char*)> modes = {
      {"good", good},
      {"print", print},
      {"wrong-answer", wrong_answer},
      {"no-done", without_done},
      {"garbage", garbage},
      {"noise", noise},
      {"samples-then-hang", samples_then_hang},
      {"fail-loudly", fail_loudly},
      {"flood", flood},
      {"crash", crash},
      {"kill-self", kill_self},
      {"hang", hang_politely},
      {"hang-ignoring-sigterm", hang_ignoring_sigterm},
      {"daemon", daemon_in},
      {"replace-records", replace_records},
      {"exit", exit_with},
      {"show", show_environment},
  };
  const auto mode = modes.find(argc > 1 ? argv[1] : "");
  if (mode == modes.end()) {
    std::fprintf(stderr, "misbehaving_program: unknown mode\n");
    return 64;
  }
  return mode->second(argc > 2 ? argv[2] : "0");
}

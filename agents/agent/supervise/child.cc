// SPDX-License-Identifier: Apache-2.0
//
// fork and exec by hand, for what posix_spawn can't do: the workload dies with the agent
// (PR_SET_PDEATHSIG), so that a killed agent leaves no program behind that disturbs later runs.
#include "agents/agent/supervise/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace kneepoint::agent {
namespace {

constexpr std::size_t kLongestAnswer = 64 * 1024;

std::vector<std::string> merge_environment(const Environment& additions) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(additions.begin(), additions.end(),
                                      [&](const auto& addition) { return addition.first == name; });
    if (!replaced) merged.emplace_back(text);
  }
  for (const auto& [name, value] : additions) merged.push_back(name + '=' + value);
  return merged;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const auto& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// Between fork and exec: only calls that are safe there. Reports errno through the pipe.
[[noreturn]] void become(const char* path, char* const* argv, char* const* env, int out, int err,
                         int report, pid_t agent, const char* folder, int input) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != agent) _exit(127);  // the agent died before the line above
  for (const int number : {SIGPIPE, SIGHUP, SIGXFSZ}) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = input >= 0 ? input : open("/dev/null", O_RDONLY);
  const bool there = *folder == '\0' || chdir(folder) == 0;
  if (there && null >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2) {
    if (null > 2) close(null);
    execve(path, argv, env);
  }
  const int error = errno;
  (void)!write(report, &error, sizeof error);
  _exit(127);
}

bool is_program(const std::string& path) {
  struct stat status {};
  return access(path.c_str(), X_OK) == 0 && stat(path.c_str(), &status) == 0 &&
         S_ISREG(status.st_mode);
}

struct Process {
  pid_t pid = -1;
  pid_t parent = -1;
  char state = '?';
  std::string name;  // as the kernel cuts it
};

Process look_up(const std::string& pid) {
  Process process{static_cast<pid_t>(std::atoi(pid.c_str()))};
  const std::string stat = read_small("/proc/" + pid + "/stat", 1024);
  const std::size_t open = stat.find('(');
  const std::size_t paren = stat.rfind(')');  // the name before it may contain anything
  if (paren == std::string::npos || paren + 4 >= stat.size()) return process;
  process.parent = static_cast<pid_t>(std::atoi(stat.c_str() + paren + 4));
  process.state = stat[paren + 2];
  process.name = stat.substr(open + 1, paren - open - 1);
  return process;
}

std::vector<pid_t> spared_children;  // of the main thread

bool is_spared(pid_t pid) {
  return std::find(spared_children.begin(), spared_children.end(), pid) != spared_children.end();
}

std::vector<Process> children_of(pid_t parent) {
  std::vector<Process> children;
  for (const std::string& name : names_in("/proc")) {
    if (name[0] < '0' || name[0] > '9') continue;
    Process process = look_up(name);
    if (process.parent == parent && !is_spared(process.pid)) children.push_back(std::move(process));
  }
  return children;
}

// Reaps what has ended; true when nothing is left to wait for.
bool reap_all() {
  errno = 0;
  while (reap_child()) {
  }
  return errno == ECHILD;
}

}  // namespace

// signalfd instead of handlers: one thread, one loop, no code that runs at any instant.

Result<Signals> Signals::take() {
  for (const int number : {SIGHUP, SIGPIPE, SIGXFSZ}) signal(number, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);  // a parent that ignored it would have us lose exit statuses
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&set, number);
  if (sigprocmask(SIG_BLOCK, &set, nullptr) != 0) return system_error("sigprocmask", errno);
  Signals signals;
  signals.file_ = Fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.file_.is_open()) return system_error("signalfd", errno);
  return signals;
}

void Signals::read_pending() {
  signalfd_siginfo info{};
  while (read(file_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) cancel_asked_ = true;
  }
}

bool Signals::cancel_within(Nanoseconds most) {
  const Nanoseconds until = system_clock().steady() + most;
  for (read_pending(); !cancel_asked_ && wait_readable(file_.get(), until);) read_pending();
  return cancel_asked_;
}

std::optional<Ended> reap_child() {
  Ended ended{};
  do {
    ended.pid = waitpid(-1, &ended.status, WNOHANG);
  } while (ended.pid < 0 && errno == EINTR);
  return ended.pid > 0 ? std::optional(ended) : std::nullopt;
}

void signal_group(pid_t leader, int number) {
  kill(-leader, number);
  if (number == SIGTERM) kill(-leader, SIGCONT);
}

void Child::watch(std::vector<pollfd>& entries) const {
  for (const Fd* pipe : {&out, &err}) {
    if (pipe->is_open()) entries.push_back({pipe->get(), POLLIN, 0});
  }
}

void drain_pipes(Child& child,
                 const std::function<void(char stream, std::string_view bytes)>& take) {
  std::array<char, 32 * 1024> buffer;
  char stream = 1;
  for (Fd* pipe : {&child.out, &child.err}) {
    while (pipe->is_open()) {
      const ssize_t n = read_some(pipe->get(), buffer.data(), buffer.size());
      if (n < 0 && errno == EAGAIN) break;
      if (n <= 0) {
        pipe->reset();
      } else {
        take(stream, std::string_view(buffer.data(), static_cast<std::size_t>(n)));
      }
    }
    ++stream;
  }
}

std::string find_program(const std::string& name, const Environment& additions) {
  if (name.find('/') != std::string::npos) return name;
  const char* inherited = getenv("PATH");
  std::string path = inherited != nullptr ? inherited : "/usr/local/bin:/usr/bin:/bin";
  for (const auto& [variable, value] : additions) {
    if (variable == "PATH") path = value;
  }
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t colon = std::min(path.find(':', at), path.size());
    const std::string directory = colon == at ? "." : path.substr(at, colon - at);
    std::string candidate = directory + '/' + name;
    if (is_program(candidate)) return candidate;
    at = colon + 1;
  }
  return "";
}

Result<Child> start_child(const std::vector<std::string>& argv, const Environment& additions,
                          const std::string& folder, int input) {
  const std::string program = find_program(argv[0], additions);
  if (program.empty()) return system_error("'" + argv[0] + "' (looked for in PATH)", ENOENT);
  const std::vector<std::string> environment = merge_environment(additions);
  const std::vector<char*> arguments = pointers(argv);
  const std::vector<char*> variables = pointers(environment);
  TRY_ASSIGN(Pipe out, make_pipe());
  TRY_ASSIGN(Pipe err, make_pipe());
  TRY_ASSIGN(Pipe report, make_pipe());
  const pid_t agent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return system_error("fork", errno);
  if (pid == 0) {
    become(program.c_str(), arguments.data(), variables.data(), out.write_end.get(),
           err.write_end.get(), report.write_end.get(), agent, folder.c_str(), input);
  }
  out.write_end.reset();
  err.write_end.reset();
  report.write_end.reset();
  int error = 0;  // 0 bytes: exec closed the pipe
  const ssize_t n = read_some(report.read_end.get(), reinterpret_cast<char*>(&error), sizeof error);
  if (n == static_cast<ssize_t>(sizeof error)) {
    waitpid(pid, nullptr, 0);
    return system_error("'" + argv[0] + "'", error);
  }
  fcntl(out.read_end.get(), F_SETFL, O_NONBLOCK);
  fcntl(err.read_end.get(), F_SETFL, O_NONBLOCK);
  return Child{pid, std::move(out.read_end), std::move(err.read_end)};
}

std::vector<pid_t> remote_helpers() {
  std::vector<pid_t> helpers;
  if (reap_all()) return helpers;
  constexpr std::string_view kNames[] = {"srun", "ssh", "rsh", "kneepoint-agent"};
  for (const Process& process : children_of(getpid())) {
    const bool is_one =
        std::find(std::begin(kNames), std::end(kNames), process.name) != std::end(kNames);
    if (is_one && process.state != 'Z') helpers.push_back(process.pid);
  }
  return helpers;
}

void spare_child(pid_t pid) {
  spared_children.push_back(pid);
}

void end_spared_child(pid_t pid) {
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::erase(spared_children, pid);
}

Leftovers kill_leftovers(pid_t session, Nanoseconds limit) {
  Leftovers result;
  if (reap_all()) return result;
  const Nanoseconds deadline = system_clock().steady() + limit;
  std::vector<pid_t> counted;
  do {
    const std::vector<Process> children = children_of(getpid());
    if (children.empty() && !spared_children.empty()) return result;  // only those are left
    for (const Process& process : children) {
      const pid_t pid = process.pid;
      kill(getpgid(pid) == session ? -session : pid, SIGKILL);
      if (std::find(counted.begin(), counted.end(), pid) == counted.end()) counted.push_back(pid);
    }
    result.killed = static_cast<int>(counted.size());
    poll(nullptr, 0, 1);  // a killed process takes a moment to end; its children then come to us
    if (reap_all()) return result;
  } while (system_clock().steady() < deadline);
  result.gone = false;
  return result;
}

// stderr is left in its pipe: nobody reads it, and an answer is short.
std::string ask_program(const std::vector<std::string>& argv, const Environment& additions,
                        Nanoseconds limit) {
  auto child = start_child(argv, additions);
  if (!child) return "";
  std::string text;
  read_until(child->out.get(), system_clock().steady() + limit, kLongestAnswer, text);
  kill_leftovers(child->pid, kSecond);
  return text;
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string shell_text(const Environment& variables, const std::vector<std::string>& argv) {
  std::string text;
  for (const auto& [name, value] : variables) {
    text += "export " + name + "=" + shell_quoted(value) + "; ";
  }
  text += "exec";
  for (const std::string& argument : argv) text += " " + shell_quoted(argument);
  return text;
}

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// posix_spawn: vfork-like, so that starting a program costs the same however large we are, and a
// program that can't be started is known at once, with its reason.
#include "orchestrator/io/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "orchestrator/base/fd.h"

extern char** environ;

namespace kneepoint {
namespace {

// Our environment with the given variables added or replaced, as exec wants it.
class Environment {
 public:
  explicit Environment(const SpawnOptions& options) {
    const auto& added = options.environment;
    texts_.reserve(added.size());
    for (const auto& [name, value] : added) texts_.push_back(name + "=" + value);
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text(*entry);
      const std::string_view name = text.substr(0, text.find('='));
      const bool replaced = std::any_of(
          added.begin(), added.end(), [&](const auto& variable) { return variable.first == name; });
      const bool unwanted =
          std::any_of(options.without_prefixes.begin(), options.without_prefixes.end(),
                      [&](const std::string& prefix) { return name.starts_with(prefix); });
      if (!replaced && !unwanted) pointers_.push_back(*entry);
    }
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

// A spawned process inherits the affinity of the thread that spawns it.
class AffinityForAMoment {
 public:
  explicit AffinityForAMoment(const std::vector<int>& cpus) {
    if (cpus.empty() || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (const int cpu : cpus) {
      if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(cpu), &wanted);
    }
    changed_ = ::sched_setaffinity(0, sizeof wanted, &wanted) == 0;
  }
  ~AffinityForAMoment() {
    if (changed_) ::sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool changed_ = false;
};

struct SpawnAttributes {
  posix_spawnattr_t value;
  SpawnAttributes() { posix_spawnattr_init(&value); }
  ~SpawnAttributes() { posix_spawnattr_destroy(&value); }
};

struct FileActions {
  posix_spawn_file_actions_t value;
  FileActions() { posix_spawn_file_actions_init(&value); }
  ~FileActions() { posix_spawn_file_actions_destroy(&value); }
};

enum class Group { ours, own };

Result<pid_t> start(const SpawnOptions& options, FileActions& files, Group group) {
  if (options.argv.empty()) return Error{ErrorCode::invalid, "a command without a program", false};
  posix_spawn_file_actions_addclosefrom_np(&files.value, 3);

  SpawnAttributes attributes;
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2}) {
    sigaddset(&defaults, number);
  }
  posix_spawnattr_setsigmask(&attributes.value, &none);
  posix_spawnattr_setsigdefault(&attributes.value, &defaults);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (options.new_session) {
    flags |= POSIX_SPAWN_SETSID;
  } else if (group == Group::own) {
    posix_spawnattr_setpgroup(&attributes.value, 0);
    flags |= POSIX_SPAWN_SETPGROUP;
  }
  posix_spawnattr_setflags(&attributes.value, flags);

  std::vector<char*> argv;
  argv.reserve(options.argv.size() + 1);
  for (const std::string& word : options.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  Environment environment(options);
  const AffinityForAMoment affinity(options.cpus);
  pid_t pid = -1;
  const int failure = ::posix_spawnp(&pid, argv[0], &files.value, &attributes.value, argv.data(),
                                     environment.get());
  if (failure == 0) return pid;
  if (failure == ENOENT && !program_exists(options.argv[0])) {
    const bool is_path = options.argv[0].find('/') != std::string::npos;
    return Error{ErrorCode::not_found,
                 "start '" + options.argv[0] + "': no such program" +
                     (is_path ? "; check the path" : " in PATH; install it or give its path"),
                 false};
  }
  return system_error("start '" + options.argv[0] + "'", failure);
}

struct Stream {
  Fd end;
  std::string* text;
};

// Reads what is there. False: the stream's limit is passed.
bool drain(Stream& stream, std::size_t most_bytes) {
  char buffer[65536];
  while (stream.end.get() >= 0) {
    const ssize_t got = ::read(stream.end.get(), buffer, sizeof buffer);
    if (got > 0) {
      if (stream.text->size() + static_cast<std::size_t>(got) > most_bytes) return false;
      stream.text->append(buffer, static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      if (got == 0 || errno != EAGAIN) stream.end.reset();
      break;
    }
  }
  return true;
}

int kill_and_reap(pid_t pid) {
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

bool program_exists(const std::string& name) {
  if (name.empty()) return false;
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/bin:/usr/bin";
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    const std::string candidate = std::string(folder.empty() ? "." : folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return true;
    if (colon == std::string_view::npos) return false;
    rest.remove_prefix(colon + 1);
  }
}

Result<pid_t> spawn(const SpawnOptions& options) {
  FileActions files;
  const bool keep = !options.output_path.empty();
  posix_spawn_file_actions_addopen(&files.value, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files.value, 1,
                                   keep ? options.output_path.c_str() : "/dev/null",
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&files.value, 1, 2);
  auto pid = start(options, files, Group::ours);
  if (!pid && keep && pid.error().code != ErrorCode::unavailable &&
      program_exists(options.argv.empty() ? "" : options.argv[0])) {
    return pid.error().in("with its output in '" + options.output_path + "'");
  }
  return pid;
}

namespace {

// One program on its way, from its start to its answer.
class Running {
 public:
  static Result<std::unique_ptr<Running>> begin(const SpawnOptions& options) {
    auto running = std::unique_ptr<Running>(new Running(options.argv[0]));
    FileActions files;
    posix_spawn_file_actions_addopen(&files.value, 0, "/dev/null", O_RDONLY, 0);
    Fd writers[2];
    for (int i = 0; i < 2; ++i) {
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("pipe", errno);
      running->streams_[i].end.reset(ends[0]);
      writers[i].reset(ends[1]);
      ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
      posix_spawn_file_actions_adddup2(&files.value, ends[1], i + 1);
    }
    TRY_ASSIGN(running->pid_, start(options, files, Group::own));
    running->process_.reset(static_cast<int>(::syscall(SYS_pidfd_open, running->pid_, 0)));
    return running;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (pid_ > 0) kill_and_reap(pid_);
  }

  void add_to(std::vector<pollfd>& watched) const {
    watched.push_back({streams_[0].end.get(), POLLIN, 0});
    watched.push_back({streams_[1].end.get(), POLLIN, 0});
    watched.push_back({process_.get(), POLLIN, 0});
  }

  // Reads what is there. The program's end ends the reading, even if something it left behind
  // holds the pipes open.
  std::optional<Result<Captured>> advance(bool ended, std::size_t most_bytes) {
    for (Stream& stream : streams_) {
      if (drain(stream, most_bytes)) continue;
      return Error{ErrorCode::io,
                   "'" + program_ + "' wrote more than " + std::to_string(most_bytes) +
                       " bytes and was killed",
                   false};
    }
    if (!ended) return std::nullopt;
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    captured_.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return std::move(captured_);
  }

  Error too_late(Nanoseconds at_most) const {
    return Error{
        ErrorCode::timeout,
        "'" + program_ + "' did not end within " + to_duration_text(at_most) + " and was killed",
        true};
  }

 private:
  explicit Running(std::string program) : program_(std::move(program)) {}

  std::string program_;
  pid_t pid_ = -1;
  Captured captured_;
  Stream streams_[2] = {{Fd(), &captured_.output}, {Fd(), &captured_.errors}};
  Fd process_;
};

}  // namespace

std::vector<Result<Captured>> run_captured_all(std::span<const SpawnOptions> programs,
                                               Nanoseconds at_most, std::size_t at_once,
                                               std::size_t most_bytes) {
  const Clock& clock = system_clock();
  const Nanoseconds deadline = clock.steady() + at_most;
  std::vector<std::optional<Result<Captured>>> answers(programs.size());
  std::map<std::size_t, std::unique_ptr<Running>> running;  // by place in `programs`
  std::size_t next = 0;
  for (;;) {
    while (next < programs.size() && running.size() < std::max<std::size_t>(at_once, 1) &&
           (clock.steady() < deadline || next == 0)) {
      const std::size_t place = next++;
      if (programs[place].argv.empty()) {
        answers[place] = Error{ErrorCode::invalid, "a command without a program", false};
        continue;
      }
      auto begun = Running::begin(programs[place]);
      if (begun) {
        running.emplace(place, std::move(*begun));
      } else {
        answers[place] = begun.error();
      }
    }
    if (running.empty()) break;
    const Nanoseconds left = deadline - clock.steady();
    if (left <= 0) {
      for (const auto& [place, program] : running) answers[place] = program->too_late(at_most);
      break;
    }
    std::vector<pollfd> watched;
    for (const auto& [place, program] : running) program->add_to(watched);
    const Nanoseconds ms = std::min<Nanoseconds>((left + kMillisecond - 1) / kMillisecond, 60'000);
    const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(ms));
    if (ready < 0 && errno != EINTR) {
      const Error problem = system_error("read the output of a program", errno);
      for (const auto& [place, program] : running) answers[place] = problem;
      break;
    }
    std::size_t slot = 0;
    for (auto entry = running.begin(); entry != running.end(); slot += 3) {
      const bool ended = ready > 0 && (watched[slot + 2].revents & POLLIN) != 0;
      auto answer = entry->second->advance(ended, most_bytes);
      if (answer) answers[entry->first] = std::move(*answer);
      entry = answer ? running.erase(entry) : std::next(entry);
    }
  }
  std::vector<Result<Captured>> all;
  all.reserve(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (!answers[i]) {
      answers[i] = Error{ErrorCode::unavailable,
                         "'" + programs[i].argv[0] + "' was not started: the time was up", true};
    }
    all.push_back(std::move(*answers[i]));
  }
  return all;
}

Result<Captured> run_captured(const SpawnOptions& options, Nanoseconds at_most,
                              std::size_t most_bytes) {
  auto answers = run_captured_all(std::span(&options, 1), at_most, 1, most_bytes);
  return std::move(answers.front());
}

}  // namespace kneepoint

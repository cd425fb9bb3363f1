// SPDX-License-Identifier: Apache-2.0
//
// Every question is a few system calls; only living_agents() walks /proc, to find what an earlier
// controller started and whom a cancel must reach.
#include "orchestrator/backend/local/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <iterator>
#include <utility>

#include "agents/wire/allocation.h"

namespace kneepoint {
namespace {

class Closing {
 public:
  explicit Closing(int fd) : fd_(fd) {}
  ~Closing() {
    if (fd_ >= 0) ::close(fd_);
  }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

struct ProcessLine {
  ProcessIdentity identity;
  pid_t parent = -1;
};

std::optional<ProcessLine> look_up_process(pid_t pid) {
  const auto text = read_file_if_there("/proc/" + std::to_string(pid) + "/stat", 4096);
  if (!text || !*text) return std::nullopt;
  // The name may hold anything, even parentheses: fields count from the last one.
  const std::string& line = **text;
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= line.size()) return std::nullopt;
  const char state = line[name_end + 2];
  if (state == 'Z' || state == 'X' || state == 'x') return std::nullopt;
  const char* end = line.data() + line.size();
  ProcessLine found{{pid, 0}};
  std::from_chars(line.data() + name_end + 4, end, found.parent);
  std::size_t at = name_end + 2;
  for (int field = 3; field < 22 && at != std::string::npos; ++field) at = line.find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  std::from_chars(line.data() + at + 1, end, found.identity.start_ticks);
  return found;
}

// Looked for by agents/agent/agent.cc; the name there is the same.
std::string withdrawal_of(const std::string& path) {
  return path + ".withdrawn";
}

}  // namespace

std::optional<KnownAllocation> parse_allocation_text(std::string_view text) {
  auto file = read_back_allocation(text);
  if (!file) return std::nullopt;
  KnownAllocation known;
  for (StepSpec& step : file->steps) {
    known.steps.push_back({std::move(step.attempt), std::move(step.run_dir)});
  }
  known.cpus = std::move(file->cpus);
  return known;
}

Result<void> write_whole_file(const std::string& path, std::string_view content, mode_t mode) {
  const std::string temporary = path + ".new";
  const Closing file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (file.get() < 0) return system_error("write '" + temporary + "'", errno);
  // Left over by a killed controller, perhaps with other rights.
  if (mode == kOwnerOnly && ::fchmod(file.get(), mode) != 0) {
    return system_error("write '" + temporary + "'", errno);
  }
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t wrote = ::write(file.get(), content.data() + done, content.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return system_error("write '" + temporary + "'", errno);
    done += static_cast<std::size_t>(wrote);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return system_error("rename '" + temporary + "'", errno);
  }
  return {};
}

Result<std::optional<std::string>> read_file_if_there(const std::string& path, std::size_t most) {
  // A workload may put anything in a file's place: nothing here may block or never end.
  const Closing file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    return system_error("read '" + path + "'", errno);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return Error{ErrorCode::invalid, "read '" + path + "': not a regular file", false};
  }
  std::string text;
  std::size_t chunk = 8192;
  while (text.size() < most) {
    const std::size_t before = text.size();
    const std::size_t wanted = std::min(chunk, most - before);
    text.resize(before + wanted);
    const ssize_t got = ::read(file.get(), text.data() + before, wanted);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read '" + path + "'", errno);
    if (static_cast<std::size_t>(got) < wanted) break;  // a regular file's end
    chunk = 1 << 20;
  }
  return std::optional<std::string>(std::move(text));
}

bool has_end_record(const std::string& records_path) {
  constexpr std::size_t kMostRecords = 64 << 20;
  const auto text = read_file_if_there(records_path, kMostRecords);
  if (!text || !*text || !(*text)->ends_with('\n')) return false;
  std::string_view all = **text;
  all.remove_suffix(1);
  return all.substr(all.rfind('\n') + 1).find("\"type\":\"end\"") != std::string_view::npos;
}

bool path_exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

Nanoseconds changed_at(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return 0;
  return static_cast<Nanoseconds>(status.st_mtim.tv_sec) * kSecond + status.st_mtim.tv_nsec;
}

std::string to_string(const ProcessIdentity& process) {
  return std::to_string(process.pid) + ":" + std::to_string(process.start_ticks);
}

std::optional<ProcessIdentity> parse_process_identity(std::string_view text) {
  ProcessIdentity process;
  const char* end = text.data() + text.size();
  const auto pid = std::from_chars(text.data(), end, process.pid);
  if (pid.ec != std::errc() || pid.ptr == end || *pid.ptr != ':') return std::nullopt;
  const auto ticks = std::from_chars(pid.ptr + 1, end, process.start_ticks);
  if (ticks.ec != std::errc() || ticks.ptr != end || process.pid <= 0) return std::nullopt;
  return process;
}

std::optional<ProcessIdentity> living_process(pid_t pid) {
  const auto found = look_up_process(pid);
  if (!found) return std::nullopt;
  return found->identity;
}

Nanoseconds begin_of(const ProcessIdentity& process) {
  constexpr std::string_view kBoot = "\nbtime ";
  const auto text = read_file_if_there("/proc/stat", 1 << 20);
  const std::size_t at = text && *text ? (*text)->find(kBoot) : std::string::npos;
  const long ticks = ::sysconf(_SC_CLK_TCK);
  std::int64_t boot = 0;
  if (at == std::string::npos || ticks <= 0) return 0;
  const std::string& all = **text;
  std::from_chars(all.data() + at + kBoot.size(), all.data() + all.size(), boot);
  return boot * kSecond + static_cast<Nanoseconds>(process.start_ticks) * (kSecond / ticks);
}

bool is_alive(const ProcessIdentity& process) {
  return process.pid > 0 && living_process(process.pid) == process;
}

Result<void> terminate(const ProcessIdentity& process) {
  const Closing handle(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (handle.get() < 0 || !is_alive(process)) return {};
  // The handle was opened before the check, so the signals can reach no other process. A stopped
  // process must go on to be able to end.
  for (const int number : {SIGTERM, SIGCONT}) {
    if (::syscall(SYS_pidfd_send_signal, handle.get(), number, nullptr, 0) == 0) continue;
    if (errno == ESRCH) return {};
    return system_error("terminate process " + std::to_string(process.pid), errno);
  }
  return {};
}

bool is_locked(const std::string& path) {
  const Closing file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return false;
  struct flock whole {};
  whole.l_type = F_RDLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(file.get(), F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

Result<bool> withdraw(const std::string& path) {
  const Closing file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT) return true;  // there is nothing to begin
    return system_error("open '" + path + "'", errno);
  }
  // As an agent does: who comes later finds the withdrawal, who came first keeps us out.
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(file.get(), F_OFD_SETLK, &whole) != 0) {
    if (errno == EAGAIN || errno == EACCES) return false;
    return system_error("lock '" + path + "'", errno);
  }
  const std::string withdrawal = withdrawal_of(path);
  const Closing made(::open(withdrawal.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kOwnerOnly));
  if (made.get() < 0) return system_error("write '" + withdrawal + "'", errno);
  return true;
}

bool is_withdrawn(const std::string& path) {
  return path_exists(withdrawal_of(path));
}

std::vector<LivingAgent> living_agents() {
  std::vector<LivingAgent> agents;
  std::vector<pid_t> parents;
  DIR* processes = ::opendir("/proc");
  if (processes == nullptr) return agents;
  constexpr std::string_view kRun("\0run\0", 5);
  while (const dirent* entry = ::readdir(processes)) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc()) continue;
    const auto line = read_file_if_there("/proc/" + std::string(name) + "/cmdline", 65536);
    if (!line || !*line || !(*line)->ends_with(std::string_view(".json\0", 6))) continue;
    const std::size_t run = (*line)->rfind(kRun);
    if (run == std::string::npos) continue;
    const auto process = look_up_process(pid);
    if (!process) continue;
    agents.push_back({(*line)->substr(run + kRun.size()).c_str(), process->identity});
    parents.push_back(process->parent);
  }
  ::closedir(processes);
  // What an agent forks looks like it until its exec.
  const auto is_forked = [&](const LivingAgent& agent) {
    const pid_t parent = parents[static_cast<std::size_t>(&agent - agents.data())];
    return std::any_of(agents.begin(), agents.end(), [&](const LivingAgent& other) {
      return other.process.pid == parent && other.allocation_path == agent.allocation_path;
    });
  };
  std::vector<LivingAgent> own;
  std::remove_copy_if(agents.begin(), agents.end(), std::back_inserter(own), is_forked);
  return own;
}

std::vector<ProcessIdentity> find_agents(const std::string& allocation_path) {
  std::vector<ProcessIdentity> found;
  for (const LivingAgent& agent : living_agents()) {
    if (agent.allocation_path == allocation_path) found.push_back(agent.process);
  }
  return found;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Read from /proc; signals go through a handle of exactly that process.
#include "orchestrator/io/process.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>

#include "orchestrator/base/fd.h"
#include "orchestrator/base/files.h"

namespace kneepoint {

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

std::vector<ProcessWords> all_processes() {
  std::vector<ProcessWords> all;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return all;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc()) continue;
    auto words = read_file_if_there("/proc/" + std::string(name) + "/cmdline", 65536);
    if (words && *words) all.push_back({pid, std::move(**words)});
  }
  ::closedir(folder);
  return all;
}

Result<void> terminate(const ProcessIdentity& process) {
  const Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
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

}  // namespace kneepoint

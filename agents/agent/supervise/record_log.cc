// SPDX-License-Identifier: Apache-2.0
//
// One write for many lines: a line at a time would cost a system call each.
#include "agents/agent/supervise/record_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "orchestrator/base/json_text.h"

namespace kneepoint::agent {

Result<RecordLog> RecordLog::create(const std::string& path) {
  Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
  if (!file.is_open()) return system_error("create " + path, errno);
  return RecordLog(std::move(file), path);
}

bool RecordLog::pass_on(std::string_view workload_line) {
  const auto line = record::stamp_line(count_, workload_line);
  if (!line) return false;
  text_ += *line;
  ++count_;
  return true;
}

Result<void> RecordLog::flush() {
  if (written_ == text_.size()) return {};
  TRY(write_all(file_.get(), std::string_view(text_).substr(written_), path_));
  written_ = text_.size();
  return {};
}

Result<void> RecordLog::finish(record::End end) {
  end.count = count_;
  end.checksum = hex64(fnv1a64(text_));
  add(end);
  return flush();
}

// Opened without following links and without blocking, so that a FIFO or a link in its place can't
// hold the agent up.

namespace {

constexpr std::size_t kQuoted = 120;
constexpr int kMaxBadLines = 1000;  // after which it is noise, not records

}  // namespace

void WorkloadTail::bad(const std::string& what) {
  if (bad_lines_++ == 0) first_bad_ = what;
  if (bad_lines_ >= kMaxBadLines) unreadable_ = true;
}

void WorkloadTail::take_line(RecordLog& log, std::string_view line) {
  ++line_;
  if (log.pass_on(line)) return;
  bad("line " + std::to_string(line_) + " of workload.ndjson is not a record: " +
      json_quote(line.substr(0, kQuoted)) + (line.size() > kQuoted ? "..." : ""));
}

void WorkloadTail::follow(RecordLog& log, bool last) {
  if (unreadable_) return;
  if (!file_.is_open()) {
    file_ = Fd(open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file_.is_open() && errno == ENOENT) return;
    struct stat status {};
    if (!file_.is_open() || fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
      unreadable_ = true;
      return bad("workload.ndjson is not a plain file that can be read");
    }
  }
  char buffer[64 * 1024];
  while (!unreadable_) {
    const ssize_t n = read_some(file_.get(), buffer, sizeof buffer);
    if (n <= 0) break;
    read_ += static_cast<std::uint64_t>(n);
    if (read_ > kMaxWorkloadBytes) {
      unreadable_ = true;
      return bad("workload.ndjson is larger than " + std::to_string(kMaxWorkloadBytes) + " bytes");
    }
    // A line may be as long as the file: only what is new is searched.
    std::string_view block(buffer, static_cast<std::size_t>(n));
    for (std::size_t newline;
         !unreadable_ && (newline = block.find('\n')) != std::string_view::npos;) {
      partial_.append(block.substr(0, newline));
      take_line(log, partial_);
      partial_.clear();
      block.remove_prefix(newline + 1);
    }
    partial_.append(block);
  }
  if (last && !partial_.empty()) {
    take_line(log, partial_);
    partial_.clear();
  }
}

}  // namespace kneepoint::agent

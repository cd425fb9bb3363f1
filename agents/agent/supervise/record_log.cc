// SPDX-License-Identifier: Apache-2.0
//
// One write for many lines: a line at a time would cost a system call each.
#include "agents/agent/supervise/record_log.h"

#include <fcntl.h>

#include <cerrno>

namespace kneepoint::agent {

Result<RecordLog> RecordLog::create(const std::string& path) {
  File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
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
  TRY(write_all(file_, std::string_view(text_).substr(written_), path_));
  written_ = text_.size();
  return {};
}

Result<void> RecordLog::finish(record::End end) {
  end.count = count_;
  end.checksum = hex64(fnv1a64(text_));
  add(end);
  return flush();
}

}  // namespace kneepoint::agent

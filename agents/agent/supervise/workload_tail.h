// SPDX-License-Identifier: Apache-2.0
//
// Follows workload.ndjson while the workload appends to it and passes its lines on. The file is the
// workload's: it may be missing, garbage, endless or not a file at all.
#pragma once

#include <cstdint>
#include <string>

#include "agents/agent/file.h"
#include "agents/agent/supervise/record_log.h"

namespace kneepoint::agent {

constexpr std::uint64_t kMaxWorkloadBytes = 32 * 1024 * 1024;

class WorkloadTail {
 public:
  explicit WorkloadTail(std::string path) : path_(std::move(path)) {}

  // Passes on the lines that are complete; `last`: the program has ended, so every line is.
  void follow(RecordLog& log, bool last);

  int bad_lines() const { return bad_lines_; }
  const std::string& first_bad() const { return first_bad_; }  // what was wrong, in words
  bool unreadable() const {
    return unreadable_;
  }  // too large, noise or no plain file: read no further

 private:
  void take_line(RecordLog& log, std::string_view line);
  void bad(const std::string& what);

  std::string path_;
  File file_;
  std::string partial_;
  std::uint64_t offset_ = 0;
  int line_ = 0;
  int bad_lines_ = 0;
  std::string first_bad_;
  bool unreadable_ = false;
};

}  // namespace kneepoint::agent

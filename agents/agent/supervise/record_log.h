// SPDX-License-Identifier: Apache-2.0
//
// records.ndjson of one step: numbers the lines, buffers them, and closes with count and checksum.
// The end record is the commit: what has none was not finished.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agents/agent/file.h"
#include "agents/wire/record.h"
#include "orchestrator/base/hash.h"

namespace kneepoint::agent {

class RecordLog {
 public:
  static Result<RecordLog> create(const std::string& path);  // must not exist yet

  template <typename Record>
  void add(const Record& r) {
    text_ += record::to_line(count_++, r);
  }
  template <typename... Lists>
  void add_all(const Lists&... lists) {
    (std::for_each(lists.begin(), lists.end(), [this](const auto& one) { add(one); }), ...);
  }
  // A line that a workload wrote; false if it isn't a record.
  bool pass_on(std::string_view workload_line);

  Result<void> flush();
  Result<void> finish(record::End end);  // fills in count and checksum

  // Everything recorded so far, as the engine will read it.
  record::Records read_back() const { return record::parse(text_); }

 private:
  RecordLog(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Fd file_;
  std::string path_;
  std::string text_;         // the whole file; bounded by what the agent accepts of a workload
  std::size_t written_ = 0;  // of text_
  int count_ = 0;
};

// Follows workload.ndjson while the workload appends to it and passes its lines on. The file is the
// workload's: it may be missing, garbage, endless or not a file at all.
constexpr std::uint64_t kMaxWorkloadBytes = 32 * 1024 * 1024;

class WorkloadTail {
 public:
  explicit WorkloadTail(std::string path) : path_(std::move(path)) {}

  // Passes on the lines that are complete; `last`: the program has ended, so every line is.
  void follow(RecordLog& log, bool last);

  int bad_lines() const { return bad_lines_; }
  const std::string& first_bad() const { return first_bad_; }  // what was wrong, in words
  // Too large, noise or no plain file: read no further.
  bool unreadable() const { return unreadable_; }

 private:
  void take_line(RecordLog& log, std::string_view line);
  void bad(const std::string& what);

  std::string path_;
  Fd file_;
  std::string partial_;
  std::uint64_t read_ = 0;  // bytes
  int line_ = 0;
  int bad_lines_ = 0;
  std::string first_bad_;
  bool unreadable_ = false;
};

}  // namespace kneepoint::agent

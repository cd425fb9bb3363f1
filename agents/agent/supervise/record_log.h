// SPDX-License-Identifier: Apache-2.0
//
// records.ndjson of one step: numbers the lines, buffers them, and closes with count and checksum.
// The end record is the commit: what has none was not finished.
#pragma once

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
  // A line that a workload wrote; false if it isn't a record.
  bool pass_on(std::string_view workload_line);

  Result<void> flush();
  Result<void> finish(record::End end);  // fills in count and checksum

  // Everything recorded so far, as the engine will read it.
  record::Records read_back() const { return record::parse(text_); }

 private:
  RecordLog(File file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  File file_;
  std::string path_;
  std::string text_;         // the whole file; bounded by what the agent accepts of a workload
  std::size_t written_ = 0;  // of text_
  int count_ = 0;
};

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// The spool: what agents pushed, on disk before it is acknowledged, until the engine has it in the
// database. The record endpoint appends (its own thread), the engine reads (its own thread); they
// share nothing but the files. A frame that is not whole was never acknowledged.
//
//   <folder>/<number>.spool     PUSH allocation attempt bytes sum\n<bytes of records>
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/fd.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

struct Push {
  std::string allocation;  // whose token it came with
  std::string attempt;     // "r17-a1"
  std::string lines;       // whole lines of records.ndjson
};

// Names that are a part of a path, a header and a file: letters, digits, '-', '_' and '.'.
bool is_push_name(std::string_view name);

class SpoolWriter {
 public:
  // In a file of its own, after all that are there. The folder is made if needed.
  static Result<SpoolWriter> open(const std::string& folder);

  // All of them on disk, or an error and none of them to be acknowledged.
  Result<void> append(const std::vector<Push>& pushes);

 private:
  SpoolWriter(std::string folder, std::uint64_t number)
      : folder_(std::move(folder)), number_(number) {}
  Result<void> next_file();

  std::string folder_;
  std::uint64_t number_ = 0;
  Fd file_;
  std::size_t written_ = 0;
};

class SpoolReader {
 public:
  explicit SpoolReader(std::string folder) : folder_(std::move(folder)) {}

  // What has come since; about `most` bytes of it. Nothing is forgotten before forget().
  Result<std::vector<Push>> take(std::size_t most);
  // All that was taken is safe elsewhere: files that hold nothing else are removed.
  Result<void> forget();

 private:
  std::string folder_;
  std::uint64_t number_ = 0;  // of the file that is read; 0: none yet
  std::size_t offset_ = 0;    // of what was taken from it
};

}  // namespace kneepoint

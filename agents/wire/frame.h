// SPDX-License-Identifier: Apache-2.0
//
// Files through a log: where nothing is shared, an agent prints what it appends to its files as
// marked lines, and whoever reads the log puts the files together again. Lines of others may stand
// between them, reading may begin again at any place, and what was lost on the way is noticed.
//
//   ##kneepoint1 NUMBER SUM t|b FILE PAYLOAD
//
// NUMBER counts from 0 without a gap. SUM is FNV-1a of the rest of the line. The payload of `t` is
// a line of text, given back with its newline; that of `b` is base64 of any bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/hash.h"
namespace kneepoint::record {

constexpr std::size_t kMostFrameBytes = 6 << 10;  // of a `b` frame: container logs cut at 16 KiB

// The lines for `bytes` appended to `file`, which has no blank in its name. Whole lines of text
// become `t` frames.
class FrameWriter {
 public:
  std::string append(const std::string& file, std::string_view bytes);

 private:
  std::string frame(char kind, const std::string& file, const std::string& payload);
  std::uint64_t next_ = 0;
};

struct Appended {
  std::string file;
  std::string bytes;
};

class FrameReader {
 public:
  // Any piece of the log, cut anywhere. After a break in reading call restart() first.
  void take(std::string_view piece);
  void restart() { rest_.clear(); }
  // What has become known since the last call, in order and without a gap.
  std::vector<Appended> appended();
  bool has_gap() const { return !waiting_.empty(); }  // later frames are here, earlier ones not
  std::uint64_t damaged() const { return damaged_; }  // marked lines that don't check out

 private:
  void take_line(std::string_view line);

  std::string rest_;  // of a line that has not ended
  std::uint64_t next_ = 0;
  std::uint64_t damaged_ = 0;
  std::vector<Appended> ready_;
  std::map<std::uint64_t, Appended> waiting_;
};

}  // namespace kneepoint::record

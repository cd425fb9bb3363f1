// SPDX-License-Identifier: Apache-2.0
//
// What a step has written to its records since it was last asked, in whole lines. It remembers how
// far the reader has got, not what was read: a piece that was not delivered is read again.
#pragma once

#include <cstddef>
#include <string>

namespace kneepoint::agent {

class RecordFollower {
 public:
  explicit RecordFollower(std::string path) : path_(std::move(path)) {}

  // Whole lines, about `most` bytes of them; "": nothing new.
  std::string next(std::size_t most) const;
  // That piece has arrived.
  void delivered(const std::string& piece);
  bool is_over() const { return over_; }  // the end record has arrived

 private:
  std::string path_;
  std::size_t offset_ = 0;
  bool over_ = false;
};

}  // namespace kneepoint::agent

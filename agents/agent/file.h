// SPDX-License-Identifier: Apache-2.0
//
// A descriptor that closes itself, and the three things the agent does with files: read a small one
// whole, write all bytes, say what went wrong by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orchestrator/base/result.h"

namespace kneepoint::agent {

class File {
 public:
  File() = default;
  explicit File(int fd) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File() { reset(); }

  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

// Up to `limit` bytes; "" if there is no such file or it can't be read: facts are optional.
std::string read_small(const std::string& path, std::size_t limit = 256 * 1024);

// Descriptors 0 to 2 must be taken, or a pipe would land there.
void fill_standard_descriptors();

// All bytes or an error that names the path.
Result<void> write_all(const File& file, std::string_view bytes, const std::string& path);

// Where the agent finds what belongs to it. In a build tree all programs lie in one folder; an
// installation keeps those that people don't call in lib/kneepoint. Both are looked for from the
// running program's own place, so that an installation may be moved.

// Where `name` may lie, given the path of the program: beside it, then ../lib/kneepoint. Pure.
std::vector<std::string> places_of_part(const std::string& program, const std::string& name);

// The first of these places where something is; "": it was not installed.
std::string find_part(const std::string& name);

}  // namespace kneepoint::agent

// SPDX-License-Identifier: Apache-2.0
//
// Fd: an open descriptor, closed at the end of its scope. -1: none.
#pragma once

#include <unistd.h>

namespace kneepoint {

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

}  // namespace kneepoint

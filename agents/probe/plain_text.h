// SPDX-License-Identifier: Apache-2.0
//
// A text of bounded length that is made and written without the heap and without stdio: what the
// preloaded libraries leave behind is sometimes written by a signal handler. What doesn't fit is
// dropped, and fits() says so.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>  // renameat

namespace kneepoint {

class PlainText {
 public:
  PlainText(char* room, std::size_t size) : room_(room), size_(size) {}

  PlainText& add(const char* text) {
    for (; *text != '\0'; ++text) add(*text);
    return *this;
  }
  PlainText& add(char c) {
    if (used_ < size_) {
      room_[used_++] = c;
    } else {
      fits_ = false;
    }
    return *this;
  }
  PlainText& number(std::int64_t value) {
    char digits[24];
    int n = 0;
    const bool negative = value < 0;
    auto rest = negative ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                         : static_cast<std::uint64_t>(value);
    do {
      digits[n++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest > 0);
    if (negative) add('-');
    while (n > 0) add(digits[--n]);
    return *this;
  }
  // One word: what is no letter, digit or usual sign becomes '_'; nothing at all becomes '-'.
  PlainText& word(const char* text, std::size_t most = 128) {
    std::size_t n = 0;
    for (; text[n] != '\0' && n < most; ++n) {
      const auto c = static_cast<unsigned char>(text[n]);
      add(c > ' ' && c != 0x7f ? text[n] : '_');
    }
    if (n == 0) add('-');
    return *this;
  }

  const char* data() const { return room_; }
  std::size_t size() const { return used_; }
  bool fits() const { return fits_; }

 private:
  char* room_;
  std::size_t size_;
  std::size_t used_ = 0;
  bool fits_ = true;
};

// Under a temporary name first, so that nobody reads half of it. False: it could not be written.
inline bool write_text_file(const char* bytes, std::size_t size, const char* temporary,
                            const char* path) {
  const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = write(fd, bytes + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return close(fd) == 0 && done == size && renameat(AT_FDCWD, temporary, AT_FDCWD, path) == 0;
}

}  // namespace kneepoint

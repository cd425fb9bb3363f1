// SPDX-License-Identifier: Apache-2.0
//
// HMAC as RFC 2104 defines it, over the SHA-256 that the tree has. Messages are short and few.
#include "orchestrator/base/hmac.h"

#include <sys/random.h>

#include <cerrno>

#include "orchestrator/base/ensure.h"
#include "orchestrator/base/hash.h"

namespace kneepoint {
namespace {

constexpr std::size_t kBlock = 64;

std::string sha256(std::string_view bytes) {
  return bytes_of_hex(sha256_hex(bytes));
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view message) {
  std::string block = key.size() > kBlock ? sha256(key) : std::string(key);
  block.resize(kBlock, '\0');
  std::string inner;
  std::string outer;
  for (const char c : block) {
    inner += static_cast<char>(static_cast<unsigned char>(c) ^ 0x36U);
    outer += static_cast<char>(static_cast<unsigned char>(c) ^ 0x5cU);
  }
  inner += message;
  return sha256(outer + sha256(inner));
}

bool same_bytes(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = difference | static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t have = 0;
  while (have < count) {
    const ssize_t n = getrandom(bytes.data() + have, count - have, 0);
    if (n < 0 && errno == EINTR) continue;
    ENSURE(n > 0, "the kernel gives no random bytes");
    have += static_cast<std::size_t>(n);
  }
  return bytes;
}

std::string bytes_of_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return "";
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]);
    const int low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return "";
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string hex_of_bytes(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  return hex;
}

}  // namespace kneepoint

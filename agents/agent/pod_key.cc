// SPDX-License-Identifier: Apache-2.0
//
// HMAC as RFC 2104 defines it, over the SHA-256 that the tree has. Messages are short and few.
#include "agents/agent/pod_key.h"

#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "orchestrator/base/ensure.h"
#include "orchestrator/base/hash.h"

namespace kneepoint::agent {
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

std::string random_nonce() {
  std::string bytes(kNonceBytes, '\0');
  ssize_t n;
  do {
    n = getrandom(bytes.data(), bytes.size(), 0);
  } while (n < 0 && errno == EINTR);
  ENSURE(n == static_cast<ssize_t>(kNonceBytes), "the kernel gives no random bytes");
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

std::string take_variable(const std::string& name) {
  char* value = getenv(name.c_str());
  if (value == nullptr) return "";
  std::string taken = value;
  explicit_bzero(value, taken.size());  // /proc/PID/environ shows these very bytes
  unsetenv(name.c_str());
  return taken;
}

void hide_memory() {
  prctl(PR_SET_DUMPABLE, 0);
}

}  // namespace kneepoint::agent

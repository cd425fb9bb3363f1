// SPDX-License-Identifier: Apache-2.0
//
// The tar of a pack: one form of header, compared byte by byte when it is read.
#include "orchestrator/pack/pack.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kNameField = 100;
constexpr std::size_t kSizeAt = 124, kSizeField = 12;
constexpr std::size_t kChecksumAt = 148;
constexpr std::size_t kMagicAt = 257;
constexpr std::string_view kMagic = std::string_view("ustar\00000", 8);
constexpr std::size_t kEnd = 2 * kBlock;  // of zeros

void put(std::string& block, std::size_t at, std::string_view text) {
  block.replace(at, text.size(), text);
}

std::string octal(std::size_t value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*zo", digits, value);
  return text;
}

std::string header_of(const std::string& name, std::size_t size) {
  std::string block(kBlock, '\0');
  put(block, 0, name);
  put(block, 100, "0000644");
  put(block, 108, "0000000");
  put(block, 116, "0000000");
  put(block, kSizeAt, octal(size, 11));
  put(block, 136, "00000000000");
  put(block, kChecksumAt, "        ");
  block[156] = '0';
  put(block, kMagicAt, kMagic);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(block, kChecksumAt, octal(sum, 6));
  block[kChecksumAt + 6] = '\0';
  return block;
}

std::size_t padding_of(std::size_t size) {
  return (kBlock - size % kBlock) % kBlock;
}

Error damaged(std::size_t at, const std::string& what) {
  return Error{ErrorCode::invalid, "damaged at byte " + std::to_string(at) + ": " + what};
}

bool all_zero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
}

}  // namespace

bool is_member_name(std::string_view name) {
  if (name.empty() || name.size() >= kNameField || name.front() == '/' || name.back() == '/') {
    return false;
  }
  if (name.find("..") != std::string_view::npos || name.find("//") != std::string_view::npos) {
    return false;
  }
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c < 128 && (std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/');
  });
}

std::string write_tar(const std::vector<TarMember>& members) {
  ENSURE(members.size() <= kMostTarMembers, "too many members");
  std::string out;
  for (const TarMember& member : members) {
    ENSURE(is_member_name(member.name), "a member's name");
    out += header_of(member.name, member.bytes.size());
    out += member.bytes;
    out.append(padding_of(member.bytes.size()), '\0');
  }
  out.append(kEnd, '\0');
  return out;
}

bool looks_like_tar(std::string_view bytes) {
  return bytes.size() >= kBlock && bytes.substr(kMagicAt, 5) == kMagic.substr(0, 5);
}

Result<std::vector<TarMember>> read_tar(std::string_view bytes) {
  std::vector<TarMember> members;
  std::size_t at = 0;
  for (;;) {
    if (bytes.size() - at < kBlock) return damaged(at, "the file ends too early");
    const std::string_view block = bytes.substr(at, kBlock);
    if (all_zero(block)) break;
    if (members.size() == kMostTarMembers) return damaged(at, "too many parts");
    const std::string_view field = block.substr(0, kNameField);
    const std::string name(field.substr(0, std::min(field.find('\0'), field.size())));
    if (!is_member_name(name)) return damaged(at, "a part's name is not allowed");
    std::size_t size = 0;
    for (const char c : block.substr(kSizeAt, kSizeField - 1)) {
      if (c < '0' || c > '7') return damaged(at + kSizeAt, "the size of " + name);
      size = size * 8 + static_cast<std::size_t>(c - '0');
    }
    if (block != header_of(name, size)) return damaged(at, "the header of " + name);
    at += kBlock;
    const std::size_t padding = padding_of(size);
    if (bytes.size() - at < size || bytes.size() - at - size < padding) {
      return damaged(bytes.size(), "the file ends within " + name);
    }
    for (const TarMember& known : members) {
      if (known.name == name) return damaged(at, name + " is there twice");
    }
    members.push_back({name, std::string(bytes.substr(at, size))});
    at += size;
    if (!all_zero(bytes.substr(at, padding))) return damaged(at, "after " + name);
    at += padding;
  }
  if (bytes.size() - at != kEnd || !all_zero(bytes.substr(at))) {
    return damaged(at, "the end of the file");
  }
  return members;
}

}  // namespace kneepoint

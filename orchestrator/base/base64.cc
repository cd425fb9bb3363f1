// SPDX-License-Identifier: Apache-2.0
//
// Strict: a text of another length, alphabet or padding is no base64.
#include "orchestrator/base/base64.h"

namespace kneepoint {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_encoded(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned value = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      value = value << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k > bytes.size() ? '=' : kDigits[value >> (18U - 6U * k) & 63U];
    }
  }
  return text;
}

bool base64_decoded(std::string_view text, std::string& bytes) {
  bytes.clear();
  if (text.size() % 4 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    unsigned value = 0;
    unsigned padding = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const char c = text[i + k];
      const std::size_t digit = kDigits.find(c);
      if (c == '=' && i + 4 == text.size() && k >= 2) {
        ++padding;
        value <<= 6U;
      } else if (digit == std::string_view::npos || padding > 0) {
        return false;
      } else {
        value = value << 6U | static_cast<unsigned>(digit);
      }
    }
    for (unsigned k = 0; k < 3 - padding; ++k) {
      bytes += static_cast<char>(value >> (16U - 8U * k) & 255U);
    }
  }
  return true;
}

}  // namespace kneepoint

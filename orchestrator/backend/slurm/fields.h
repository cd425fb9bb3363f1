// SPDX-License-Identifier: Apache-2.0
//
// The grammar that the outputs of Slurm's commands share: lines, fields between bars, numbers and
// time limits. What can't be read is empty or 0.
#pragma once

#include <charconv>
#include <string_view>
#include <vector>

#include "orchestrator/base/clock.h"

namespace kneepoint::slurm_fields {

inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

// At most `most` fields: the last one keeps whatever bars it holds.
inline std::vector<std::string_view> fields_of(std::string_view line, std::size_t most) {
  std::vector<std::string_view> fields;
  while (fields.size() + 1 < most) {
    const std::size_t bar = line.find('|');
    if (bar == std::string_view::npos) break;
    fields.push_back(line.substr(0, bar));
    line.remove_prefix(bar + 1);
  }
  fields.push_back(line);
  return fields;
}

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

inline int number_of(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "10:00", "1-00:00:00", "infinite", "UNLIMITED" as sinfo and scontrol write limits.
inline Nanoseconds limit_of(std::string_view text) {
  std::int64_t days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    days = number_of(text.substr(0, dash));
    text.remove_prefix(dash + 1);
  }
  std::int64_t seconds = 0;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    if (part.empty() || part.front() < '0' || part.front() > '9') return 0;
    seconds = seconds * 60 + number_of(part);
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  return (days * 86'400 + seconds) * kSecond;
}

}  // namespace kneepoint::slurm_fields

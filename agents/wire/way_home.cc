// SPDX-License-Identifier: Apache-2.0
//
// The order of trust: a whole text of one way, a text that both make whole together, what was
// collected. A collected text with an end that doesn't add up stays as it is, for ingest to refuse.
#include "agents/wire/way_home.h"

#include <charconv>
#include <map>

#include "agents/wire/record.h"

namespace kneepoint::record {
namespace {

constexpr std::string_view kVersionKey = "{\"v\":";
constexpr std::string_view kSeqKey = ",\"seq\":";
constexpr std::string_view kTypeKey = ",\"type\":\"";

using Lines = std::map<std::int64_t, std::string_view>;

// The first line of a seq counts.
void add_lines(std::string_view text, Lines& lines) {
  while (true) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return;  // cut
    const LineHead head = head_of(text.substr(0, end));
    if (head.seq >= 0) lines.emplace(head.seq, text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
}

std::string without_gap(const Lines& lines) {
  std::string text;
  std::int64_t next = 0;
  for (const auto& [seq, line] : lines) {
    if (seq != next++) break;
    text += line;
  }
  return text;
}

bool is_whole(std::string_view text) {
  return parse(text).complete;
}

}  // namespace

LineHead head_of(std::string_view line) {
  const auto take = [&line](std::string_view expected) {
    const bool there = line.starts_with(expected);
    if (there) line.remove_prefix(expected.size());
    return there;
  };
  const auto number = [&line](std::int64_t& value) {
    const char* last = line.data() + line.size();
    const auto [end, failure] = std::from_chars(line.data(), last, value);
    if (failure != std::errc() || value < 0) return false;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    return true;
  };
  LineHead head;
  std::int64_t version = 0, seq = 0;
  if (!take(kVersionKey) || !number(version) || !take(kSeqKey) || !number(seq)) return {};
  if (!take(kTypeKey)) return {};
  const std::size_t quote = line.find('"');
  if (quote == std::string_view::npos) return {};
  head.seq = seq;
  head.type = line.substr(0, quote);
  return head;
}

std::string one_of_both(std::string_view collected, std::string_view pushed) {
  if (pushed.empty() || is_whole(collected)) return std::string(collected);
  if (is_whole(pushed)) return std::string(pushed);
  Lines lines;
  add_lines(collected, lines);
  add_lines(pushed, lines);
  std::string together = without_gap(lines);
  if (is_whole(together)) return together;
  Lines others;
  add_lines(pushed, others);
  add_lines(collected, others);
  if (std::string text = without_gap(others); is_whole(text)) return text;
  const bool claims_an_end = parse(collected).end.has_value();
  if (claims_an_end || together.size() <= collected.size()) return std::string(collected);
  return together;
}

}  // namespace kneepoint::record

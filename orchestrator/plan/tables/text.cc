// SPDX-License-Identifier: Apache-2.0
//
// Records and fields of a table: delimiters, quotes, line ends; and its list of problems.
#include "orchestrator/plan/tables/rows.h"

#include <algorithm>
#include <utility>

namespace kneepoint {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

// The first of tab, semicolon and comma that the header line uses outside quotes.
char delimiter_of(std::string_view line) {
  bool tab = false, semicolon = false, quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    tab = tab || (!quoted && c == '\t');
    semicolon = semicolon || (!quoted && c == ';');
  }
  return tab ? '\t' : semicolon ? ';' : ',';
}

// Characters, not bytes: continuation bytes of UTF-8 take no column.
int characters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  for (;;) {
    if (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
      text.remove_prefix(1);
    } else if (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
      text.remove_suffix(1);
    } else if (text.starts_with(kNoBreakSpace)) {
      text.remove_prefix(kNoBreakSpace.size());
    } else if (text.ends_with(kNoBreakSpace)) {
      text.remove_suffix(kNoBreakSpace.size());
    } else {
      return text;
    }
  }
}

void TableProblems::add(int line, int column, std::string key, std::string message) {
  ++count_;
  if (kept_.size() >= kMostTableProblems) return;
  kept_.push_back({file_, line, column, std::move(key), std::move(message)});
}

std::vector<Problem> TableProblems::take() {
  if (count_ > kept_.size()) {
    kept_.push_back(
        {file_, 0, 0, "", "and " + std::to_string(count_ - kept_.size()) + " more problems"});
  }
  return std::move(kept_);
}

TableText::TableText(std::string_view text) : text_(text) {
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  skip_lines_without_fields();
  delimiter_ = delimiter_of(text_.substr(at_, end_of_line(at_) - at_));
}

std::size_t TableText::end_of_line(std::size_t from) const {
  return std::min(text_.find_first_of("\r\n", from), text_.size());
}

// "\n", "\r\n", and the "\r" alone of old spreadsheets.
void TableText::step_over_line_end() {
  if (at_ < text_.size()) {
    at_ += text_.substr(at_, 2) == "\r\n" ? 2 : 1;
    ++line_;
  }
  line_begin_ = at_;
}

void TableText::skip_lines_without_fields() {
  while (at_ < text_.size()) {
    const std::size_t end = end_of_line(at_);
    const std::string_view line = trimmed(text_.substr(at_, end - at_));
    if (!line.empty() && line.front() != '#') return;
    at_ = end;
    step_over_line_end();
  }
}

bool TableText::next(TableRecord& record) {
  record.fields.clear();
  record.open_quote_column = 0;
  unquoted_.clear();
  skip_lines_without_fields();
  if (at_ >= text_.size()) return false;
  record.line = line_;
  for (;;) {
    read_field(record);
    if (at_ >= text_.size() || text_[at_] != delimiter_) break;
    ++at_;
  }
  step_over_line_end();
  return true;
}

void TableText::read_field(TableRecord& record) {
  std::size_t begin = at_;
  while (begin < text_.size() && text_[begin] == ' ') ++begin;
  const int column = characters(text_.substr(line_begin_, begin - line_begin_)) + 1;
  const auto is_end = [&](std::size_t i) {
    return i >= text_.size() || text_[i] == delimiter_ || text_[i] == '\n' || text_[i] == '\r';
  };
  if (begin >= text_.size() || text_[begin] != '"') {
    while (!is_end(at_)) ++at_;
    record.fields.push_back({trimmed(text_.substr(begin, std::max(at_, begin) - begin)), column});
    at_ = std::max(at_, begin);
    return;
  }
  std::size_t end = begin + 1;
  bool doubled = false;
  for (; end < text_.size(); ++end) {
    if (text_[end] == '\n') {
      ++line_;
      line_begin_ = end + 1;
    }
    if (text_[end] != '"') continue;
    if (text_.substr(end + 1, 1) != "\"") break;
    doubled = true;
    ++end;
  }
  std::string_view inside = text_.substr(begin + 1, end - begin - 1);
  if (doubled) {
    std::string& plain = unquoted_.emplace_back(inside);
    for (std::size_t i = plain.find('"'); i < plain.size(); i = plain.find('"', i + 1)) {
      plain.erase(i, 1);
    }
    inside = plain;
  }
  record.fields.push_back({trimmed(inside), column});
  if (end >= text_.size()) record.open_quote_column = column;
  at_ = std::min(end + 1, text_.size());
  while (!is_end(at_)) ++at_;  // what stands between the quote and the delimiter is dropped
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Width counts code points, which is exact for all that we print ourselves.
#include "orchestrator/cli/table.h"

#include <algorithm>

#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

// Length of the colour sequence at text[i] ("ESC [ ... m"), or 0.
std::size_t escape_length(std::string_view text, std::size_t i) {
  if (text[i] != '\x1b' || i + 1 >= text.size() || text[i + 1] != '[') return 0;
  std::size_t end = i + 2;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  return std::min(end + 1, text.size()) - i;
}

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

void append_line(std::string& out, std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  out += line;
  out += '\n';
}

std::string padded(const std::string& text, int width, Align align) {
  const std::string spaces(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
  return align == Align::right ? spaces + text : text + spaces;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t length = escape_length(text, i); length > 0) {
      i += length;
      continue;
    }
    if (!continues(text[i])) ++width;
    ++i;
  }
  return width;
}

std::string cut_to_width(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  std::string out;
  int used = 0;
  bool colored = false;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t length = escape_length(text, i); length > 0) {
      out += text.substr(i, length);
      colored = true;
      i += length;
      continue;
    }
    if (!continues(text[i]) && used++ >= width) break;
    out += text[i++];
  }
  return colored ? out + "\x1b[0m" : out;
}

std::string to_table(const std::vector<Column>& columns,
                     const std::vector<std::vector<std::string>>& given, int indent) {
  std::vector<std::vector<std::string>> rows = given;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = plain(cell);  // one line, and nothing that steers
  }
  std::vector<int> widths;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    int width = display_width(columns[c].title);
    for (const auto& row : rows) {
      if (c < row.size()) width = std::max(width, display_width(row[c]));
    }
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell_of) {
    std::string text(static_cast<std::size_t>(indent), ' ');
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) text += "  ";
      text += padded(cell_of(c), widths[c], columns[c].align);
    }
    return text;
  };
  std::string out;
  append_line(out, line([&](std::size_t c) { return columns[c].title; }));
  for (const auto& row : rows) {
    append_line(out, line([&](std::size_t c) { return c < row.size() ? row[c] : std::string(); }));
  }
  return out;
}

std::string wrap(std::string_view text, int width, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out, line;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    const std::string word(text.substr(i, end - i));
    i = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && indent + display_width(line) + 1 + display_width(word) > width) {
      append_line(out, margin + line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) append_line(out, margin + line);
  return out;
}

std::string hanging(std::string_view text, int width) {
  return wrap(text, width, 2).substr(2);
}

std::string listed(const std::vector<std::string>& lines) {
  constexpr std::size_t kFew = 8;
  const std::size_t shown = lines.size() > kFew + 1 ? kFew : lines.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += "  " + lines[i] + "\n";
  if (shown < lines.size()) text += "  and " + std::to_string(lines.size() - shown) + " more\n";
  return text;
}

}  // namespace kneepoint::cli

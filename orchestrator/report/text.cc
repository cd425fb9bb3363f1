// SPDX-License-Identifier: Apache-2.0
//
// Width counts code points, which is exact for all that we print ourselves.
#include "orchestrator/report/text.h"

#include <algorithm>

namespace kneepoint {
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

}  // namespace

std::string bounds_text(const std::optional<Interval>& interval, double scale, int decimals) {
  if (!interval) return "[-]";
  return "[" + fixed_text(interval->low * scale, decimals) + ", " +
         fixed_text(interval->high * scale, decimals) + "]";
}

std::string efficiency_with_bounds(double efficiency, const std::optional<Interval>& interval) {
  return efficiency_text(efficiency) + (interval ? " " + bounds_text(interval, 1, 3) : "");
}

std::string curve_name(const std::string& build, const std::string& case_name, Mode mode) {
  return plain((build == "default" ? "" : build + " ") + case_name) + ", " + to_string(mode);
}

std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    std::size_t length = c < 0x80 ? 1 : c >= 0xF0 && c < 0xF5 ? 4 : c >= 0xE0 ? 3 : 2;
    bool good = c < 0x80 ? c >= 0x20 && c != 0x7F : c >= 0xC2 && c < 0xF5;
    if (i + length > text.size()) good = false;
    for (std::size_t k = 1; good && k < length; ++k) {
      good = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
    }
    // U+0080..U+009F are control characters too.
    if (good && c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) good = false;
    if (good) {
      out.append(text.substr(i, length));
    } else {
      out += '?';
      length = 1;
    }
    i += length;
  }
  return out;
}

std::string plain_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    out += plain(text.substr(0, end));
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
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

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::string out;
  std::size_t used = 0;
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

std::string pad(std::string_view text, std::size_t width, bool right) {
  const std::size_t has = display_width(text);
  const std::string space(has < width ? width - has : 0, ' ');
  return right ? space + std::string(text) : std::string(text) + space;
}

std::string wrapped(std::string_view text, int width, int indent) {
  std::string out;
  std::string line(static_cast<std::size_t>(indent), ' ');
  bool empty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!empty && display_width(line) + 1 + display_width(word) > static_cast<std::size_t>(width)) {
      out += line + "\n";
      line.assign(static_cast<std::size_t>(indent) + 2, ' ');
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return out + line + "\n";
}

std::string wrap(std::string_view text, int width, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out, line;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    const std::string word(text.substr(i, end - i));
    i = end + 1;
    if (word.empty()) continue;
    const std::size_t needed = margin.size() + display_width(line) + 1 + display_width(word);
    if (!line.empty() && needed > static_cast<std::size_t>(width)) {
      out += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) out += margin + line + "\n";
  return out;
}

std::string hanging(std::string_view text, int width) {
  return wrap(text, width, 2).substr(2);
}

std::string notes_text(const std::vector<Caveat>& caveats, int width) {
  std::string text;
  for (const Caveat& caveat : caveats) {
    text += "note: " + wrap(plain(caveat.message), width, 6).substr(6);
  }
  return text;
}

std::string listed(const std::vector<std::string>& lines) {
  constexpr std::size_t kFew = 8;
  const std::size_t shown = lines.size() > kFew + 1 ? kFew : lines.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += "  " + lines[i] + "\n";
  if (shown < lines.size()) text += "  and " + std::to_string(lines.size() - shown) + " more\n";
  return text;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

}  // namespace kneepoint

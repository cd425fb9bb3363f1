// SPDX-License-Identifier: Apache-2.0
//
// Width counts code points, which is exact for all that we print ourselves.
#include "orchestrator/report/text.h"

#include <algorithm>

#include "orchestrator/base/text.h"

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

std::string duration_text(double seconds) {
  return to_duration_text(from_seconds(seconds));
}

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000;
  return (unit == 0 ? fixed_text(bytes, 0) : significant_text(bytes, 3)) + " " + kUnits[unit];
}

std::string ks_text(const std::vector<int>& ks) {
  std::string text;
  for (const int k : ks) text += (text.empty() ? "" : ", ") + std::to_string(k);
  return text;
}

TimeUnit unit_of_least(const std::vector<double>& seconds) {
  double least = 0;
  for (const double one : seconds) {
    if (one > 0 && (least == 0 || one < least)) least = one;
  }
  return time_unit(least);
}

std::string curve_name(const std::string& build, const std::string& case_name, Mode mode) {
  return plain((is_default_build(build) ? "" : build + " ") + case_name) + ", " + to_string(mode);
}

std::string first_upper(std::string text) {
  if (!text.empty()) text[0] = ascii_upper(text.substr(0, 1))[0];
  return text;
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

// Brackets stay as they are, except where they would begin a link's target.
std::string markdown_text(std::string_view text) {
  const std::string safe = plain(text);
  std::string out;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const bool link = safe[i] == ']' && i + 1 < safe.size() && safe[i + 1] == '(';
    if (link || std::string_view("|*_`<\\").find(safe[i]) != std::string_view::npos) out += '\\';
    out += safe[i];
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

namespace {

// Words of `text` in lines of at most `width` columns, the first after `first` spaces, others after
// `others`. `gaps`: several spaces between words stay.
std::string in_lines(std::string_view text, int width, int first, int others, bool gaps) {
  std::string out;
  std::string line(static_cast<std::size_t>(first), ' ');
  bool empty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty() && !gaps) continue;
    if (!empty && display_width(line) + 1 + display_width(word) > static_cast<std::size_t>(width)) {
      out += line + "\n";
      line.assign(static_cast<std::size_t>(others), ' ');
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return empty && !gaps ? out : out + line + "\n";
}

}  // namespace

std::string wrapped(std::string_view text, int width, int indent) {
  return in_lines(text, width, indent, indent + 2, true);
}

std::string wrap(std::string_view text, int width, int indent) {
  return in_lines(text, width, indent, indent, false);
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

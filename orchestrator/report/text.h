// SPDX-License-Identifier: Apache-2.0
//
// Intervals and names as every report prints them, and text laid out by what a terminal shows (code
// points) rather than by bytes. "-" stands for a number that does not exist.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

// "[0.880, 0.943]", or "[-]" when there is none.
std::string bounds_text(const std::optional<Interval>& interval, double scale, int decimals);
// "0.912 [0.880, 0.943]", or "0.912" alone.
std::string efficiency_with_bounds(double efficiency, const std::optional<Interval>& interval);

// What `text` makes of it, or "-" where there is none.
template <typename T, typename Text>
std::string or_dash(const std::optional<T>& value, Text text) {
  return value ? std::string(text(*value)) : "-";
}
// Such a text of a number: with so many decimals.
inline auto fixed(int decimals) {
  return [decimals](double value) { return fixed_text(value, decimals); };
}
// "12.5s": as to_duration_text().
std::string duration_text(double seconds);
// "1.5 MB".
std::string bytes_text(double bytes);
// "2, 4, 8".
std::string ks_text(const std::vector<int>& ks);
// In which the least of them above 0 is at least 1.
TimeUnit unit_of_least(const std::vector<double>& seconds);

inline bool is_default_build(const std::string& build) {
  return build == "default";
}
// "jacobi, strong"; the build before it where it is not the default.
std::string curve_name(const std::string& build, const std::string& case_name, Mode mode);

// "Use K=4" for "use K=4".
std::string first_upper(std::string text);

// Control characters and broken bytes become '?': nothing from a plan steers a terminal.
std::string plain(std::string_view text);
// The same for a text of several lines: line ends and tabs stay.
std::string plain_lines(std::string_view text);
// Text that goes into Markdown as it is: no name of a plan adds a column, a link or a line.
std::string markdown_text(std::string_view text);
// Columns that `text` (UTF-8, perhaps with colour sequences) takes on a terminal.
std::size_t display_width(std::string_view text);
// The first `width` columns of it; colour sequences are kept, and closed if the text was cut.
std::string cut_to_width(std::string_view text, std::size_t width);
std::string pad(std::string_view text, std::size_t width, bool right);
// Breaks at spaces; every line starts with `indent` spaces, all but the first with two more.
std::string wrapped(std::string_view text, int width, int indent);
// Words of `text` in lines of at most `width` columns, each line after `indent` spaces.
std::string wrap(std::string_view text, int width, int indent);
// The same, where all lines but the first come after two spaces.
std::string hanging(std::string_view text, int width);
// "note: " and each caveat's message, in lines of at most `width` columns.
std::string notes_text(const std::vector<Caveat>& caveats, int width);
// One indented line for each of the first few, then "and 12 more".
std::string listed(const std::vector<std::string>& lines);
std::string joined(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace kneepoint

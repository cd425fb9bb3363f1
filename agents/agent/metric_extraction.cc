// SPDX-License-Identifier: Apache-2.0
//
// Searches from the last line backwards and stops at the first match, so that the usual program,
// which prints its result at the end, costs one search.
#include "agents/agent/metric_extraction.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <optional>
#include <regex>

namespace kneepoint::agent {
namespace {

std::optional<double> to_number(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// The first capture group (the whole match if there is none) of the last match in the line.
std::optional<std::string> last_match(const std::regex& regex, std::string_view line) {
  std::optional<std::string> found;
  const char* end = line.data() + line.size();
  for (std::cregex_iterator it(line.data(), end, regex), none; it != none; ++it) {
    const auto& match = it->size() > 1 ? (*it)[1] : (*it)[0];
    if (match.matched) found = match.str();
  }
  return found;
}

std::optional<std::string> last_match_of_text(const std::regex& regex, std::string_view text) {
  while (!text.empty()) {
    if (text.back() == '\n') text.remove_suffix(1);
    const std::size_t newline = text.rfind('\n');
    const std::size_t first = newline == std::string_view::npos ? 0 : newline + 1;
    std::string_view line = text.substr(first, kMaxMatchedLine);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (auto found = last_match(regex, line)) return found;
    text = text.substr(0, first);
  }
  return std::nullopt;
}

void extract_one(const MetricPattern& pattern, const OutputCapture& capture, Extraction& result) {
  const auto problem = [&](const std::string& text) {
    result.problems.push_back("metric '" + pattern.name + "': " + text);
  };
  try {
    const std::regex regex(pattern.pattern, std::regex::ECMAScript);
    // A line that the cut goes through exists in neither part, as long as something was dropped.
    auto found = capture.dropped() == 0 ? last_match_of_text(regex, capture.head() + capture.tail())
                                        : last_match_of_text(regex, capture.tail());
    if (!found && capture.dropped() > 0) found = last_match_of_text(regex, capture.head());
    if (!found) return problem("no line of " + pattern.from + " matches '" + pattern.pattern + "'");
    const auto value = to_number(*found);
    if (!value) return problem("'" + found->substr(0, 80) + "' is not a finite number");
    if (pattern.name == "time") {
      if (!record::is_time_unit(pattern.unit)) {
        return problem("unit '" + pattern.unit + "' is not a time; use s, ms, us or ns");
      }
      if (*value <= 0) return problem("'" + *found + "' is not above 0");
    }
    result.metrics.push_back({pattern.name, *value, pattern.unit});
  } catch (const std::regex_error& e) {
    problem("'" + pattern.pattern + "' is not a regular expression: " + e.what());
  }
}

// One line each through the pipe: metric records, and problems behind a '!'.
std::string to_text(const Extraction& extraction) {
  std::string text;
  for (const auto& metric : extraction.metrics) text += record::to_line(0, metric);
  for (std::string problem : extraction.problems) {
    std::replace(problem.begin(), problem.end(), '\n', ' ');
    text += "!" + problem + "\n";
  }
  return text;
}

Extraction from_text(const std::string& text) {
  Extraction result;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = text.substr(at, end + 1 - at);
    if (line[0] == '!') {
      result.problems.push_back(line.substr(1, line.size() - 2));
    } else {
      auto records = record::parse(line);
      for (auto& metric : records.metrics) result.metrics.push_back(std::move(metric));
    }
  }
  return result;
}

// Everything up to the end of the stream; false when the deadline passed first.
bool read_until(int fd, Nanoseconds deadline, std::string& text) {
  char buffer[4096];
  while (true) {
    const Nanoseconds left = deadline - system_clock().steady();
    pollfd entry{fd, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&entry, 1, static_cast<int>(left / kMillisecond) + 1);
    if (ready == 0) return false;
    const ssize_t n = ready < 0 ? -1 : read(fd, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) return false;
  }
}

Extraction failure(const std::vector<MetricPattern>& patterns, const std::string& why) {
  Extraction result;
  for (const auto& pattern : patterns) {
    result.problems.push_back("metric '" + pattern.name + "': " + why);
  }
  return result;
}

}  // namespace

Extraction extract_metrics(const std::vector<MetricPattern>& patterns, const OutputCapture& out,
                           const OutputCapture& err) {
  Extraction result;
  for (const auto& pattern : patterns) {
    extract_one(pattern, pattern.from == "stderr" ? err : out, result);
  }
  return result;
}

Extraction extract_guarded(const std::vector<MetricPattern>& patterns, const OutputCapture& out,
                           const OutputCapture& err, Nanoseconds limit) {
  if (patterns.empty()) return {};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return failure(patterns, system_error("pipe", errno).message);
  }
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::string text = to_text(extract_metrics(patterns, out, err));
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t n = write(ends[1], text.data() + at, text.size() - at);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return failure(patterns, system_error("fork", errno).message);
  }
  std::string text;
  const bool in_time = read_until(ends[0], system_clock().steady() + limit, text);
  close(ends[0]);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    return failure(patterns, "searching the output took longer than " + to_duration_text(limit) +
                                 "; use a pattern without nested repetition");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return failure(patterns, "searching the output failed; use a simpler pattern");
  }
  return from_text(text);
}

}  // namespace kneepoint::agent

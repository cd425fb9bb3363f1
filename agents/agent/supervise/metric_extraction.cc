// SPDX-License-Identifier: Apache-2.0
//
// Searches from the last line backwards and stops at the first match, so that the usual program,
// which prints its result at the end, costs one search.
#include "agents/agent/supervise/metric_extraction.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <regex>

#include "agents/agent/file.h"
#include "agents/agent/json_value.h"
#include "agents/agent/run_folder.h"
#include "agents/agent/supervise/outcome.h"

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

// A text whose middle may be missing. A line that the cut goes through exists in neither part.
struct Source {
  std::string name;  // "stdout" or "'timing.json'"
  std::string head;
  std::string tail;
  bool whole = true;
  std::string problem;
};

class Sources {
 public:
  explicit Sources(const Search& search) : search_(search) {}

  const Source& get(const std::string& from, const std::string& file) {
    const auto found = known_.find({from, file});
    if (found != known_.end()) return found->second;
    return known_[{from, file}] = from == "file" ? of_file(file) : of_stream(from);
  }

 private:
  Source of_file(const std::string& file) const {
    FileText text = read_inside(search_.folder, file, kMaxSearchedFile);
    const bool whole = text.tail.empty();
    return {"'" + file + "'", std::move(text.head), std::move(text.tail), whole,
            std::move(text.problem)};
  }
  Source of_stream(const std::string& from) const {
    const OutputCapture& capture = from == "stderr" ? search_.err : search_.out;
    if (capture.dropped() == 0) return {from, capture.head() + capture.tail(), "", true, ""};
    return {from, capture.head(), capture.tail(), false, ""};
  }

  const Search& search_;
  std::map<std::pair<std::string, std::string>, Source> known_;
};

std::optional<std::string> last_match_of_source(const std::regex& regex, const Source& source) {
  auto found = source.whole ? std::nullopt : last_match_of_text(regex, source.tail);
  if (!found) found = last_match_of_text(regex, source.head);
  return found;
}

class Extractor {
 public:
  explicit Extractor(const Search& search) : search_(search), sources_(search) {}

  Extraction run() {
    for (const MetricSpec& metric : search_.metrics) extract_one(metric);
    for (std::size_t i = 0; i < search_.rules.size(); ++i) {
      check_one(search_.rules[i], static_cast<int>(i) + 1);
    }
    return std::move(result_);
  }

 private:
  void extract_one(const MetricSpec& metric) {
    std::string problem;
    const auto value = value_of(metric, problem);
    if (value && metric.name == "time") problem = record::problem_of_time(*value, metric.unit);
    if (value && problem.empty()) {
      result_.metrics.push_back({metric.name, *value, metric.unit, metric.better});
    } else {
      result_.problems.push_back("metric '" + metric.name + "': " + problem);
    }
  }

  std::optional<double> value_of(const MetricSpec& metric, std::string& problem) {
    const Source& source = sources_.get(metric.from, metric.file);
    problem = source.problem;
    if (!problem.empty()) return std::nullopt;
    if (!metric.json.empty()) {
      JsonNumber number = json_number_at(source.whole ? source.head : source.tail, metric.json);
      if (!number.value) problem = "in " + source.name + ": " + number.problem;
      return number.value;
    }
    try {
      const std::regex regex(metric.pattern, std::regex::ECMAScript);
      const auto found = last_match_of_source(regex, source);
      if (!found) {
        problem = "no line of " + source.name + " matches '" + metric.pattern + "'";
        return std::nullopt;
      }
      const auto value = to_number(*found);
      if (!value) problem = "'" + found->substr(0, 80) + "' is not a finite number";
      return value;
    } catch (const std::regex_error& e) {
      problem = "'" + metric.pattern + "' is not a regular expression: " + e.what();
      return std::nullopt;
    }
  }

  void check_one(const SanityRule& rule, int number) {
    if (rule.kind != SanityRule::Kind::must_match &&
        rule.kind != SanityRule::Kind::must_not_match) {
      return;
    }
    const Source& source = sources_.get(rule.from, rule.file);
    if (!source.problem.empty()) {
      result_.broken.push_back(name_of(rule, number) + ", but " + source.problem);
      return;
    }
    try {
      // The whole match is what a person wants to see, whatever it groups.
      const std::regex regex("(?:" + rule.pattern + ")",
                             std::regex::ECMAScript | std::regex::nosubs);
      const auto broken = broken_by_text(rule, number, last_match_of_source(regex, source));
      if (broken) result_.broken.push_back(*broken);
    } catch (const std::regex_error& e) {
      result_.broken.push_back(name_of(rule, number) +
                               ", which is no regular expression: " + e.what());
    }
  }

  const Search& search_;
  Sources sources_;
  Extraction result_;
};

// One line each through the pipe: metric records, problems behind a '!', broken rules behind a '?'.
std::string to_text(const Extraction& extraction) {
  std::string text;
  for (const auto& metric : extraction.metrics) text += record::to_line(0, metric);
  const auto add = [&](char mark, std::string line) {
    std::replace(line.begin(), line.end(), '\n', ' ');
    text += mark + line + "\n";
  };
  for (const std::string& problem : extraction.problems) add('!', problem);
  for (const std::string& broken : extraction.broken) add('?', broken);
  return text;
}

Extraction from_text(const std::string& text) {
  Extraction result;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = text.substr(at, end + 1 - at);
    if (line[0] == '!' || line[0] == '?') {
      (line[0] == '!' ? result.problems : result.broken).push_back(line.substr(1, line.size() - 2));
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

Extraction failure(const Search& search, const std::string& why) {
  Extraction result;
  for (const auto& metric : search.metrics) {
    result.problems.push_back("metric '" + metric.name + "': " + why);
  }
  for (std::size_t i = 0; i < search.rules.size(); ++i) {
    const SanityRule& rule = search.rules[i];
    if (rule.pattern.empty()) continue;
    result.broken.push_back(name_of(rule, static_cast<int>(i) + 1) + ", but " + why);
  }
  return result;
}

}  // namespace

Extraction extract(const Search& search) {
  return Extractor(search).run();
}

Extraction extract_guarded(const Search& search, Nanoseconds limit) {
  if (search.metrics.empty() && search.rules.empty()) return {};
  auto pipe = make_pipe();
  if (!pipe) return failure(search, pipe.error().message);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    write_out(pipe->write_end.get(), to_text(extract(search)));
    _exit(0);
  }
  pipe->write_end.reset();
  if (child < 0) return failure(search, system_error("fork", errno).message);
  std::string text;
  const bool in_time = read_until(pipe->read_end.get(), system_clock().steady() + limit, text);
  pipe->read_end.reset();
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    return failure(search, "searching the output took longer than " + to_duration_text(limit) +
                               "; use a pattern without nested repetition");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return failure(search, "searching the output failed; use a simpler pattern");
  }
  return from_text(text);
}

}  // namespace kneepoint::agent

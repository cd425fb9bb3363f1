// SPDX-License-Identifier: Apache-2.0
//
// Searches from the last line backwards and stops at the first match, so that the usual program,
// which prints its result at the end, costs one search.

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <optional>
#include <regex>
#include <variant>

#include "agents/agent/file.h"
#include "agents/agent/run_folder.h"
#include "agents/agent/supervise/outcome.h"
#include "agents/agent/text.h"

namespace kneepoint::agent {
namespace {

constexpr std::size_t kMostAnswer = 64 * 1024 * 1024;

bool is_about_text(const SanityRule& rule) {
  return rule.kind == SanityRule::Kind::must_match || rule.kind == SanityRule::Kind::must_not_match;
}

std::optional<double> to_number(std::string_view text) {
  text = trimmed(text, " \t");
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto value = whole_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
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
    std::string_view line = take_last_line(text).substr(0, kMaxMatchedLine);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (auto found = last_match(regex, line)) return found;
  }
  return std::nullopt;
}

// A text whose middle may be missing. A line that the cut goes through exists in neither part.
struct Source {
  std::string name;  // "stdout" or "'timing.json'"
  FileText text;

  std::optional<std::string> last_match(const std::string& pattern,
                                        std::regex::flag_type flags) const {
    const std::regex regex(pattern, flags);
    auto found = last_match_of_text(regex, text.tail);
    return found ? found : last_match_of_text(regex, text.head);
  }
};

class Extractor {
 public:
  explicit Extractor(const Search& search) : search_(search) {}

  Extraction run() {
    for (const MetricSpec& metric : search_.metrics) extract_one(metric);
    for (std::size_t i = 0; i < search_.rules.size(); ++i) {
      check_one(search_.rules[i], static_cast<int>(i) + 1);
    }
    return std::move(result_);
  }

 private:
  const Source& source(const std::string& from, const std::string& file) {
    const auto [known, is_new] = known_.try_emplace({from, file});
    if (is_new) known->second = from == "file" ? of_file(file) : of_stream(from);
    return known->second;
  }
  Source of_file(const std::string& file) const {
    return {"'" + file + "'", read_inside(search_.folder, file, kMaxSearchedFile)};
  }
  Source of_stream(const std::string& from) const {
    const OutputCapture& capture = from == "stderr" ? search_.err : search_.out;
    if (capture.dropped() == 0) return {from, {capture.head() + capture.tail(), "", ""}};
    return {from, {capture.head(), capture.tail(), ""}};
  }

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
    const Source& from = source(metric.from, metric.file);
    problem = from.text.problem;
    if (!problem.empty()) return std::nullopt;
    if (!metric.json.empty()) {
      JsonNumber number =
          json_number_at(from.text.tail.empty() ? from.text.head : from.text.tail, metric.json);
      if (!number.value) problem = "in " + from.name + ": " + number.problem;
      return number.value;
    }
    try {
      const auto found = from.last_match(metric.pattern, std::regex::ECMAScript);
      if (!found) {
        problem = "no line of " + from.name + " matches '" + metric.pattern + "'";
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
    if (!is_about_text(rule)) return;
    const Source& from = source(rule.from, rule.file);
    if (!from.text.problem.empty()) {
      result_.broken.push_back(name_of(rule, number) + ", but " + from.text.problem);
      return;
    }
    try {
      // The whole match is what a person wants to see, whatever it groups.
      const auto broken = broken_by_text(
          rule, number,
          from.last_match("(?:" + rule.pattern + ")", std::regex::ECMAScript | std::regex::nosubs));
      if (broken) result_.broken.push_back(*broken);
    } catch (const std::regex_error& e) {
      result_.broken.push_back(name_of(rule, number) +
                               ", which is no regular expression: " + e.what());
    }
  }

  const Search& search_;
  std::map<std::pair<std::string, std::string>, Source> known_;
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
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with('!')) {
      result.problems.emplace_back(line.substr(1));
    } else if (line.starts_with('?')) {
      result.broken.emplace_back(line.substr(1));
    } else {
      const record::Decoded decoded = record::decode_line(line, true);
      if (const auto* metric = std::get_if<record::Metric>(&decoded.content)) {
        result.metrics.push_back(*metric);
      }
    }
  }
  return result;
}

Extraction failure(const Search& search, const std::string& why) {
  Extraction result;
  for (const auto& metric : search.metrics) {
    result.problems.push_back("metric '" + metric.name + "': " + why);
  }
  for (std::size_t i = 0; i < search.rules.size(); ++i) {
    const SanityRule& rule = search.rules[i];
    if (!is_about_text(rule)) continue;
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
  const bool in_time =
      read_until(pipe->read_end.get(), system_clock().steady() + limit, kMostAnswer, text);
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

// SPDX-License-Identifier: Apache-2.0
//
// What holds between the lines of a file: begin first, end last, seq without a gap, count and
// checksum. Reading goes on after a problem; what can be read is kept. And which lines count of
// records that came home by two ways.
#include "agents/wire/record.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "orchestrator/base/hash.h"
#include "orchestrator/base/text.h"

namespace kneepoint::record {
namespace {

constexpr std::size_t kMaxProblems = 20;    // the rest is counted
constexpr std::size_t kGiveUpAfter = 1000;  // problems: noise, no records

constexpr double kLeastSeconds = 1e-12, kMostSeconds = 1e9;  // of the metric "time"

constexpr std::pair<std::string_view, double> kTimeUnits[] = {  // and their seconds
    {"s", 1},
    {"ms", 1e-3},
    {"us", 1e-6},
    {"ns", 1e-9}};
constexpr std::string_view kFailureReasons[] = {"no_device", "device_error", "oom"};

// What a workload may send through the agent; the rest is the agent's alone.
struct FromWorkload {
  template <typename Record>
  bool operator()(const Record&) const {
    return true;
  }
  bool operator()(const Provenance& r) const { return r.scope == "workload"; }
  bool operator()(const std::monostate&) const { return false; }  // unknown or broken
  bool operator()(const Begin&) const { return false; }
  bool operator()(const RankProfile&) const { return false; }
  bool operator()(const Operation&) const { return false; }
  bool operator()(const End&) const { return false; }
};

class Reader {
 public:
  Records read(std::string_view text) {
    if (text.size() > kMaxBytes) {
      problem("more than " + std::to_string(kMaxBytes) + " bytes of records; the rest is not read");
      text = text.substr(0, kMaxBytes);
      text = text.substr(0, text.rfind('\n') + 1);
    }
    std::size_t at = 0;
    while (at < text.size() && dropped_ < kGiveUpAfter) {
      const std::size_t newline = text.find('\n', at);
      ++line_;
      if (newline == std::string_view::npos) {  // cut: not a problem while the end is to come
        if (r_.end) after_end();
        break;
      }
      read_line(text.substr(at, newline - at), text.substr(0, at));
      at = newline + 1;
    }
    if (dropped_ > 0) r_.problems.push_back("and " + std::to_string(dropped_) + " problems more");
    r_.complete = r_.end.has_value() && sums_up_;
    return std::move(r_);
  }

 private:
  void problem(const std::string& text) {
    if (r_.problems.size() >= kMaxProblems) {
      ++dropped_;
    } else {
      r_.problems.push_back("line " + std::to_string(line_) + ": " + text);
    }
  }

  void after_end() {
    sums_up_ = false;
    problem("bytes after the end record");
  }

  void read_line(std::string_view line, std::string_view before) {
    if (r_.end) return after_end();
    Decoded decoded = decode_line(line, true);
    if (decoded.seq >= 0) {
      if (decoded.seq != next_seq_) {
        problem("seq is " + std::to_string(decoded.seq) + ", expected " +
                std::to_string(next_seq_));
      }
      next_seq_ = std::int64_t{decoded.seq} + 1;
    } else {
      ++next_seq_;  // an unreadable line is one problem, not two
    }
    if (!decoded.problem.empty()) return problem(decoded.problem);
    if (line_ == 1 && decoded.type != "begin") {
      problem("the first record is '" + decoded.type + "', not 'begin'");
    }
    std::visit([&](auto& content) { keep(content); }, decoded.content);
    if (r_.end) check_sums(before);
  }

  void keep(std::monostate) {}  // additions within a version are left alone
  void keep(Begin& r) { keep_single(r_.begin, r, "begin"); }
  void keep(Provenance& r) { r_.provenance.push_back(std::move(r)); }
  void keep(Sample& r) { r_.samples.push_back(r); }
  void keep(RankTotal& r) { r_.ranks.push_back(std::move(r)); }
  void keep(Metric& r) { r_.metrics.push_back(std::move(r)); }
  void keep(RankProfile& r) { r_.profile.push_back(r); }
  void keep(Operation& r) { r_.operations.push_back(std::move(r)); }
  void keep(Check& r) {
    if (!r_.check || r_.check->passed) r_.check = std::move(r);  // one failure is failure
  }
  void keep(Failure& r) {
    if (!r_.failure) r_.failure = std::move(r);  // what follows is its echo on other ranks
  }
  void keep(Done& r) { keep_single(r_.done, r, "done"); }
  void keep(End& r) { keep_single(r_.end, r, "end"); }

  template <typename T>
  void keep_single(std::optional<T>& place, T& value, const char* type) {
    if (place) return problem(std::string("a second '") + type + "'");
    place = std::move(value);
  }

  void check_sums(std::string_view before) {
    sums_up_ = true;
    if (r_.end->count != line_ - 1) {
      sums_up_ = false;
      problem("end: count is " + std::to_string(r_.end->count) + ", but " +
              std::to_string(line_ - 1) + " lines came before");
    }
    const std::string checksum = hex64(fnv1a64(before));
    if (r_.end->checksum != checksum) {
      sums_up_ = false;
      problem("end: checksum is '" + r_.end->checksum + "', the lines before give " + checksum);
    }
  }

  Records r_;
  int line_ = 0;
  std::int64_t next_seq_ = 0;
  std::size_t dropped_ = 0;
  bool sums_up_ = false;
};

// Of two ways home the order of trust: a whole text of one way, a text that both make whole
// together, what was collected. A collected text with an end that doesn't add up stays as it is,
// for ingest to refuse.

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

bool is_readable(int version, int current) {
  return version == current || version == current - 1;
}

bool is_failure_reason(std::string_view reason) {
  return std::find(std::begin(kFailureReasons), std::end(kFailureReasons), reason) !=
         std::end(kFailureReasons);
}

std::string problem_of_time(double value, std::string_view unit) {
  const auto known = std::find_if(std::begin(kTimeUnits), std::end(kTimeUnits),
                                  [&](const auto& one) { return one.first == unit; });
  if (known == std::end(kTimeUnits)) {
    return "unit '" + std::string(unit) + "' is not a time; use s, ms, us or ns";
  }
  const std::string number = format_number("%.6g", value);
  if (!(value > 0)) return "'" + number + "' is not above 0";
  const double seconds = value * known->second;
  if (seconds >= kLeastSeconds && seconds <= kMostSeconds) return "";
  return "'" + number + " " + std::string(unit) + "' is out of range; expected 1e-12 s to 1e9 s";
}

std::optional<std::string> stamp_line(int seq, std::string_view workload_line) {
  const Decoded decoded = decode_line(workload_line, false);
  if (!std::visit(FromWorkload(), decoded.content)) return std::nullopt;
  std::string stamped = to_line(seq, decoded.content);
  if (stamped.size() > kMaxLine) return std::nullopt;
  return stamped;
}

Records parse(std::string_view text) {
  return Reader().read(text);
}

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

// SPDX-License-Identifier: Apache-2.0
//
// What holds between the lines of a file: begin first, end last, seq without a gap, count and
// checksum. Reading goes on after a problem; what can be read is kept.
#include "agents/wire/record.h"

#include <cstdio>

#include "orchestrator/base/hash.h"

namespace kneepoint::record {
namespace {

constexpr std::size_t kMaxProblems = 20;    // the rest is counted
constexpr std::size_t kGiveUpAfter = 1000;  // problems: noise, no records

constexpr double kLeastSeconds = 1e-12, kMostSeconds = 1e9;  // of the metric "time"

double seconds_in(std::string_view unit) {
  return unit == "ns" ? 1e-9 : unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1;
}

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

}  // namespace

bool is_readable(int version, int current) {
  return version == current || version == current - 1;
}

bool is_time_unit(std::string_view unit) {
  return unit == "s" || unit == "ms" || unit == "us" || unit == "ns";
}

bool is_failure_reason(std::string_view reason) {
  return reason == "no_device" || reason == "device_error" || reason == "oom";
}

std::string problem_of_time(double value, std::string_view unit) {
  if (!is_time_unit(unit)) {
    return "unit '" + std::string(unit) + "' is not a time; use s, ms, us or ns";
  }
  char number[40];
  std::snprintf(number, sizeof number, "%.6g", value);
  if (!(value > 0)) return "'" + std::string(number) + "' is not above 0";
  const double seconds = value * seconds_in(unit);
  if (seconds >= kLeastSeconds && seconds <= kMostSeconds) return "";
  return "'" + std::string(number) + " " + std::string(unit) +
         "' is out of range; expected 1e-12 s to 1e9 s";
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

}  // namespace kneepoint::record

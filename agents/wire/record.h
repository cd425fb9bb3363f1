// SPDX-License-Identifier: Apache-2.0
//
// The wire format: records.ndjson, one JSON object a line, "v":1. Written by the agent (and,
// without "v" and "seq", by our workloads for the agent to pass on), read by the engine. Additive
// changes within a version; the reader accepts v and v-1. Each type of record has one list of
// fields, by which it is written and read; docs/reference/records.md says what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/wire/fields.h"

namespace kneepoint::record {

constexpr int kVersion = 1;

// Bounds of what is read: longer lines and further bytes are problems, not memory.
constexpr std::size_t kMaxLine = 64 * 1024;
constexpr std::size_t kMaxBytes = 64 * 1024 * 1024;

// A reader of version `current` reads that version and the one before it.
bool is_readable(int version, int current = kVersion);

// Units that the metric "time" may have: s, ms, us, ns.
bool is_time_unit(std::string_view unit);

// What the metric "time" may be, by one rule for whoever finds it: the agent in a program's output,
// the reader in a workload's own records. "" if it is a time from a picosecond to 1e9 s; else what
// is wrong with it.
std::string problem_of_time(double value, std::string_view unit);

// Environment variable through which the agent tells a workload where to append its records.
constexpr const char* kPathVariable = "KNEEPOINT_RECORDS";

struct Begin {
  static constexpr const char* kType = "begin";
  std::string attempt;
  std::int64_t wall_ns = 0;

  static constexpr auto fields() {
    using T = Begin;
    return wire::described(wire::field_not_empty("attempt", &T::attempt),
                           wire::field("wall_ns", &T::wall_ns));
  }
};

// Flat facts: "cpu.model" -> "Xeon ...". `scope` is a host name, or "run" for what holds for all.
struct Provenance {
  static constexpr const char* kType = "provenance";
  std::string scope;
  wire::Pairs facts;

  static constexpr auto fields() {
    using T = Provenance;
    return wire::described(wire::field_not_empty("scope", &T::scope),
                           wire::field("facts", &T::facts));
  }
};

// One timed iteration.
struct Sample {
  static constexpr const char* kType = "sample";
  int iteration = 0;
  bool warmup = false;
  std::int64_t max_ns = 0, mean_ns = 0, min_ns = 0;                 // over ranks
  std::int64_t compute_ns = 0, communication_ns = 0, other_ns = 0;  // mean over ranks; sum = mean

  static constexpr auto fields() {
    using T = Sample;
    return wire::described(wire::field("iteration", &T::iteration),
                           wire::field("warmup", &T::warmup), wire::field("max_ns", &T::max_ns),
                           wire::field("mean_ns", &T::mean_ns), wire::field("min_ns", &T::min_ns),
                           wire::field("compute_ns", &T::compute_ns),
                           wire::field("communication_ns", &T::communication_ns),
                           wire::field("other_ns", &T::other_ns));
  }
};

// What one rank did in all its timed iterations, and where.
struct RankTotal {
  static constexpr const char* kType = "rank";
  int rank = 0;
  std::string host;
  std::string cpus;  // affinity as the kernel lists it: "0" or "0-3"
  std::int64_t compute_ns = 0, communication_ns = 0;
  double work = 0;  // in the workload's work unit, per iteration

  static constexpr auto fields() {
    using T = RankTotal;
    return wire::described(wire::field("rank", &T::rank), wire::field("host", &T::host),
                           wire::field("cpus", &T::cpus), wire::field("compute_ns", &T::compute_ns),
                           wire::field("communication_ns", &T::communication_ns),
                           wire::field("work", &T::work));
  }
};

struct Metric {
  static constexpr const char* kType = "metric";
  std::string name;
  double value = 0;
  std::string unit;
  std::string better;  // lower | higher; "": not said, and left out of the line

  static constexpr auto fields() {
    using T = Metric;
    return wire::described(wire::field_not_empty("name", &T::name), wire::field("value", &T::value),
                           wire::field("unit", &T::unit), wire::field_if_any("better", &T::better));
  }
};

// What a preloaded profile saw of one rank between MPI_Init and MPI_Finalize: the thread that
// called MPI_Init, by kind of call.
struct RankProfile {
  static constexpr const char* kType = "profile";
  int rank = 0;
  bool complete = false;  // MPI_Finalize was reached
  int threads = 1;        // that called MPI
  std::int64_t window_ns = 0;
  std::int64_t collective_ns = 0, point_to_point_ns = 0, wait_ns = 0, one_sided_ns = 0;
  std::int64_t other_ns = 0;          // MPI-IO
  std::int64_t other_threads_ns = 0;  // in MPI, in threads beside that one

  std::int64_t communication_ns() const {
    return collective_ns + point_to_point_ns + wait_ns + one_sided_ns;
  }

  static constexpr auto fields() {
    using T = RankProfile;
    return wire::described(
        wire::field("rank", &T::rank), wire::field("complete", &T::complete),
        wire::field("threads", &T::threads), wire::field("window_ns", &T::window_ns),
        wire::field("collective_ns", &T::collective_ns),
        wire::field("point_to_point_ns", &T::point_to_point_ns),
        wire::field("wait_ns", &T::wait_ns), wire::field("one_sided_ns", &T::one_sided_ns),
        wire::field("other_ns", &T::other_ns),
        wire::field("other_threads_ns", &T::other_threads_ns));
  }
};

// One MPI call by name, of all ranks and threads together.
struct Operation {
  static constexpr const char* kType = "operation";
  std::string name;  // MPI_Allreduce
  std::string kind;  // collective | point_to_point | wait | one_sided | other
  std::int64_t calls = 0;
  std::int64_t bytes = 0;    // handed over to be sent
  std::int64_t time_ns = 0;  // sum over ranks
  std::int64_t max_ns = 0;   // of one rank

  static constexpr auto fields() {
    using T = Operation;
    return wire::described(wire::field_not_empty("name", &T::name),
                           wire::field_not_empty("kind", &T::kind), wire::field("calls", &T::calls),
                           wire::field("bytes", &T::bytes), wire::field("time_ns", &T::time_ns),
                           wire::field("max_ns", &T::max_ns));
  }
};

// The workload's verdict on its own answer.
struct Check {
  static constexpr const char* kType = "check";
  bool passed = false;
  std::string detail;

  static constexpr auto fields() {
    using T = Check;
    return wire::described(wire::field("passed", &T::passed), wire::field("detail", &T::detail));
  }
};

bool is_failure_reason(std::string_view reason);  // no_device, device_error, oom

// Why a workload can't go on, by name: words of the attempt's reasons. The first counts.
struct Failure {
  static constexpr const char* kType = "failure";
  std::string reason;
  std::string detail;

  static constexpr auto fields() {
    using T = Failure;
    return wire::described(wire::field_not_empty("reason", &T::reason),
                           wire::field("detail", &T::detail));
  }
};

// The workload's own end: without it a program that links our harness did not finish.
struct Done {
  static constexpr const char* kType = "done";
  int iterations = 0;  // timed ones

  static constexpr auto fields() {
    using T = Done;
    return wire::described(wire::field("iterations", &T::iterations));
  }
};

// The agent's end of a step: always the last line.
struct End {
  static constexpr const char* kType = "end";
  std::string outcome;  // succeeded | failed | timed_out | cancelled | invalid | lost
  std::string reason;   // a word of model/attempt.h's list, "none" if succeeded
  int exit_code = 0;
  int signal = 0;
  std::int64_t wall_ns = 0;
  std::int64_t elapsed_ns = 0;  // of the whole step as the agent saw it
  bool output_truncated = false;
  std::string detail;    // one sentence for people
  int count = 0;         // lines before this one
  std::string checksum;  // fnv1a64 of the bytes of those lines, newlines included

  static constexpr auto fields() {
    using T = End;
    return wire::described(
        wire::field_not_empty("outcome", &T::outcome), wire::field_not_empty("reason", &T::reason),
        wire::field_any_sign("exit_code", &T::exit_code), wire::field("signal", &T::signal),
        wire::field("wall_ns", &T::wall_ns), wire::field("elapsed_ns", &T::elapsed_ns),
        wire::field("output_truncated", &T::output_truncated), wire::field("detail", &T::detail),
        wire::field("count", &T::count), wire::field("checksum", &T::checksum));
  }
};

// std::monostate: a type that this version doesn't know, or a line with a problem.
using Content = std::variant<std::monostate, Begin, Provenance, Sample, RankTotal, Metric,
                             RankProfile, Operation, Check, Failure, Done, End>;

// One line, newline included; the order of its keys is that of the list, so that equal records are
// equal bytes. `seq` < 0 leaves "v" and "seq" out (workload to agent).
std::string to_line(int seq, const Content& record);

struct Decoded {
  int seq = -1;  // -1: not stamped, or not to be read
  std::string type;
  Content content;
  std::string problem;  // "" if the line holds
};

// What one line says, each field checked for presence, type, range and unit. What holds between
// lines (sequence, count, checksum) is parse()'s work. `stamped`: "v" and "seq" must be there.
Decoded decode_line(std::string_view line, bool stamped);

// A workload's line, checked and stamped with v and seq; nullopt if it isn't one of the types a
// workload may send, or has a field missing, of the wrong type or not finite.
std::optional<std::string> stamp_line(int seq, std::string_view workload_line);

struct Records {
  std::optional<Begin> begin;
  std::vector<Provenance> provenance;
  std::vector<Sample> samples;
  std::vector<RankTotal> ranks;
  std::vector<Metric> metrics;
  std::vector<RankProfile> profile;
  std::vector<Operation> operations;
  std::optional<Check> check;
  std::optional<Failure> failure;
  std::optional<Done> done;
  std::optional<End> end;
  std::vector<std::string> problems;  // "line 7: ..."; empty = every line holds, checksum included
  bool complete = false;              // an end record is there and count and checksum match
};

// Never fails: what can't be read is a problem, what can is kept. A cut last line of an unfinished
// file is not a problem.
Records parse(std::string_view text);

}  // namespace kneepoint::record

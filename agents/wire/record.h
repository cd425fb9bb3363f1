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
    return std::tuple_cat(wire::not_empty(KP_NAMED(attempt)), wire::required(KP_NAMED(wall_ns)));
  }
};

// Flat facts: "cpu.model" -> "Xeon ...". `scope` is a host name, or "run" for what holds for all.
struct Provenance {
  static constexpr const char* kType = "provenance";
  std::string scope;
  wire::Pairs facts;

  static constexpr auto fields() {
    using T = Provenance;
    return std::tuple_cat(wire::not_empty(KP_NAMED(scope)), wire::required(KP_NAMED(facts)));
  }
};

// One timed iteration.
struct Sample {
  static constexpr const char* kType = "sample";
  int iteration = 0;
  bool warmup = false;
  std::int64_t max_ns = 0, mean_ns = 0, min_ns = 0;                 // over ranks
  std::int64_t compute_ns = 0, communication_ns = 0, other_ns = 0;  // mean over ranks; sum = mean

  KP_DESCRIBED(Sample, iteration, warmup, max_ns, mean_ns, min_ns, compute_ns, communication_ns,
               other_ns);
};

// What one rank did in all its timed iterations, and where.
struct RankTotal {
  static constexpr const char* kType = "rank";
  int rank = 0;
  std::string host;
  std::string cpus;  // affinity as the kernel lists it: "0" or "0-3"
  std::int64_t compute_ns = 0, communication_ns = 0;
  double work = 0;  // in the workload's work unit, per iteration

  KP_DESCRIBED(RankTotal, rank, host, cpus, compute_ns, communication_ns, work);
};

struct Metric {
  static constexpr const char* kType = "metric";
  std::string name;
  double value = 0;
  std::string unit;
  std::string better;  // lower | higher; "": not said, and left out of the line

  static constexpr auto fields() {
    using T = Metric;
    return std::tuple_cat(wire::not_empty(KP_NAMED(name)), wire::required(KP_NAMED(value, unit)),
                          wire::sparse(KP_NAMED(better)));
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

  KP_DESCRIBED(RankProfile, rank, complete, threads, window_ns, collective_ns, point_to_point_ns,
               wait_ns, one_sided_ns, other_ns, other_threads_ns);
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
    return std::tuple_cat(wire::not_empty(KP_NAMED(name, kind)),
                          wire::required(KP_NAMED(calls, bytes, time_ns, max_ns)));
  }
};

// The workload's verdict on its own answer.
struct Check {
  static constexpr const char* kType = "check";
  bool passed = false;
  std::string detail;

  KP_DESCRIBED(Check, passed, detail);
};

bool is_failure_reason(std::string_view reason);  // no_device, device_error, oom

// Why a workload can't go on, by name: words of the attempt's reasons. The first counts.
struct Failure {
  static constexpr const char* kType = "failure";
  std::string reason;
  std::string detail;

  static constexpr auto fields() {
    using T = Failure;
    return std::tuple_cat(wire::not_empty(KP_NAMED(reason)), wire::required(KP_NAMED(detail)));
  }
};

// The workload's own end: without it a program that links our harness did not finish.
struct Done {
  static constexpr const char* kType = "done";
  int iterations = 0;  // timed ones

  KP_DESCRIBED(Done, iterations);
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
    return std::tuple_cat(wire::not_empty(KP_NAMED(outcome, reason)),
                          wire::any_sign(KP_NAMED(exit_code)),
                          wire::required(KP_NAMED(signal, wall_ns, elapsed_ns, output_truncated,
                                                  detail, count, checksum)));
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

// What stands at the head of every stamped line, read without parsing the rest.
struct LineHead {
  std::int64_t seq = -1;  // -1: no stamped line
  std::string_view type;
};
LineHead head_of(std::string_view line);

// The records of one attempt that came home by two ways, as one text: collected from its run
// directory or pod log, and pushed (whole lines only). Each way may have lost, doubled or reordered
// what it carried; the lines say by `seq` where they belong. What is whole by its own count and
// checksum is taken as it is; else the lines of both, each once and without a gap.
std::string one_of_both(std::string_view collected, std::string_view pushed);

}  // namespace kneepoint::record

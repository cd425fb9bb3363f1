// SPDX-License-Identifier: Apache-2.0
//
// The wire format: records.ndjson, one JSON object a line, "v":1. Written by the agent (and,
// without "v" and "seq", by our workloads for the agent to pass on), read by the engine. Additive
// changes within a version; the reader accepts v and v-1. docs/reference/records.md lists every
// field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kneepoint::record {

constexpr int kVersion = 1;

// Bounds of what is read: longer lines and further bytes are problems, not memory.
constexpr std::size_t kMaxLine = 64 * 1024;
constexpr std::size_t kMaxBytes = 64 * 1024 * 1024;

// A reader of version `current` reads that version and the one before it.
bool is_readable(int version, int current = kVersion);

// Units that the metric "time" may have: s, ms, us, ns.
bool is_time_unit(std::string_view unit);

// Environment variable through which the agent tells a workload where to append its records.
constexpr const char* kPathVariable = "KNEEPOINT_RECORDS";

struct Begin {
  std::string attempt;
  std::int64_t wall_ns = 0;
};

// Flat facts: "cpu.model" -> "Xeon ...". `scope` is a host name, or "run" for what holds for all.
struct Provenance {
  std::string scope;
  std::vector<std::pair<std::string, std::string>> facts;
};

struct Sample {
  int iteration = 0;
  bool warmup = false;
  std::int64_t max_ns = 0, mean_ns = 0, min_ns = 0;                 // over ranks
  std::int64_t compute_ns = 0, communication_ns = 0, other_ns = 0;  // mean over ranks; sum = mean
};

struct RankTotal {
  int rank = 0;
  std::string host;
  std::string cpus;
  std::int64_t compute_ns = 0, communication_ns = 0;
  double work = 0;  // per iteration
};

struct Metric {
  std::string name;
  double value = 0;
  std::string unit;
  std::string better;  // lower | higher; "": not said, and left out of the line
};

// What a preloaded profile saw of one rank between MPI_Init and MPI_Finalize: the thread that
// called MPI_Init, by kind of call.
struct RankProfile {
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
};

// One MPI call by name, of all ranks and threads together.
struct Operation {
  std::string name;  // MPI_Allreduce
  std::string kind;  // collective | point_to_point | wait | one_sided | other
  std::int64_t calls = 0;
  std::int64_t bytes = 0;    // handed over to be sent
  std::int64_t time_ns = 0;  // sum over ranks
  std::int64_t max_ns = 0;   // of one rank
};

// The workload's verdict on its own answer.
struct Check {
  bool passed = false;
  std::string detail;
};

// Why a workload can't go on, by name: words of the attempt's reasons. The first counts.
struct Failure {
  std::string reason;
  std::string detail;
};
bool is_failure_reason(std::string_view reason);  // no_device, device_error, oom

// The workload's own end: without it a program that links our harness did not finish.
struct Done {
  int iterations = 0;  // timed ones
};

// The agent's end of a step: always the last line.
struct End {
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
};

// One line each, newline included. `seq` < 0 leaves "v" and "seq" out (workload to agent).
std::string to_line(int seq, const Begin& r);
std::string to_line(int seq, const Provenance& r);
std::string to_line(int seq, const Sample& r);
std::string to_line(int seq, const RankTotal& r);
std::string to_line(int seq, const Metric& r);
std::string to_line(int seq, const RankProfile& r);
std::string to_line(int seq, const Operation& r);
std::string to_line(int seq, const Check& r);
std::string to_line(int seq, const Failure& r);
std::string to_line(int seq, const Done& r);
std::string to_line(int seq, const End& r);

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

// SPDX-License-Identifier: Apache-2.0
//
// The allocation file: what a launcher asks an agent to do, as plain values with one list of fields
// each, by which the launcher writes and the agent reads. It is written under a temporary name and
// renamed, so a file that doesn't read is wrong, never half done. Fields that a newer launcher adds
// are left alone; a field that is there must have the right type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "agents/wire/fields.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

constexpr int kAllocationVersion = 1;

// A number to take from the output: the first capture group of the last match, or a value of JSON.
struct MetricSpec {
  std::string name;     // "time" is T of the run, in `unit` (s, ms, us, ns)
  std::string pattern;  // ECMAScript regular expression with one capture group; "": by `json`
  std::string unit;
  std::string from = "stdout";  // stdout | stderr | file; "time" also mpi | probe, by themselves
  std::string file;             // from == "file": in the run's folder
  std::string json;             // a path of base/json_path.h
  std::string better;           // lower | higher; "": not said

  static constexpr auto fields() {
    using T = MetricSpec;
    return std::tuple_cat(wire::required(KP_NAMED(name)),
                          wire::optional(KP_NAMED(pattern, unit, from)),
                          wire::sparse(KP_NAMED(file, json, better)));
  }
};

// What must hold for a run to count, besides ending well. One of the four kinds.
struct SanityRule {
  enum class Kind { must_match, must_not_match, exit_codes, metric };
  Kind kind = Kind::must_match;
  std::string pattern;          // of the two that match
  std::string from = "stdout";  // as in MetricSpec
  std::string file;
  std::vector<int> exit_codes;
  std::string metric;
  std::optional<double> at_least, at_most, equals;
  double tolerance = 0;   // around `equals`
  bool relative = false;  // the tolerance is a share of `equals`

  // The fields of its kind; the name of the first one tells which kind it is.
  template <typename Visit>
  void each_field(Visit&& visit) const {
    using T = SanityRule;
    const auto visit_all = [&](const auto&... fields) {
      std::apply([&](const auto&... field) { (visit(field), ...); }, std::tuple_cat(fields...));
    };
    if (kind == Kind::exit_codes) {
      visit(field("exit_codes", &T::exit_codes));
    } else if (kind == Kind::metric) {
      visit_all(described(KP_NAMED(metric)),
                wire::sparse(KP_NAMED(at_least, at_most, equals, tolerance, relative)));
    } else {
      visit(field(kind == Kind::must_match ? "must_match" : "must_not_match", &T::pattern));
      visit_all(wire::optional(KP_NAMED(from)), wire::sparse(KP_NAMED(file)));
    }
  }
};

// A file for the run's folder: a link to `from`, or made of `content`.
struct InputSpec {
  std::string name;
  std::string from;
  std::optional<std::string> content;
  bool executable = false;

  static constexpr auto fields() {
    using T = InputSpec;
    return std::tuple_cat(wire::required(KP_NAMED(name)), wire::sparse(KP_NAMED(from)),
                          wire::base64(KP_NAMED(content)), wire::sparse(KP_NAMED(executable)));
  }
};

// One attempt of one run, as its agent is told of it.
struct StepSpec {
  std::string attempt;
  std::string run_dir;            // absolute
  std::vector<std::string> argv;  // complete: the starter's part included
  wire::Pairs env;
  std::int64_t limit_ns = 0;  // 0: none
  bool own_harness = false;   // must report samples and its own end
  int ranks = 1;
  int threads_per_rank = 1;
  int nodes = 0;      // how many of the allocation's; 0: not told
  std::string place;  // srun | mpirun: it must be told which nodes; "": it has them all, or one
  std::string bind = "none";  // core | socket | none
  bool emulated = false;
  bool oversubscribed = false;
  std::string node_names;        // the agent's own note, not in the file: "n[1-2]"; "": not known
  std::string program;           // of a rank; "": not told, then argv[0] unless it is a starter
  bool measure_machine = false;  // if nobody has since the node booted
  std::string profile;           // mpi: preload the profile of MPI calls; "", none: nothing
  std::vector<MetricSpec> metrics;
  std::vector<SanityRule> sanity;
  bool own_folder = false;  // runs in run_dir/work
  std::vector<InputSpec> inputs;
  std::vector<std::string> keep;     // patterns of files in that folder
  std::int64_t keep_bytes = 0;       // of all of them
  std::int64_t noise_sample_ns = 0;  // 0: no sampling

  static constexpr auto fields() {
    using T = StepSpec;
    return std::tuple_cat(
        wire::required(KP_NAMED(attempt, run_dir, argv)),
        wire::optional(KP_NAMED(env, limit_ns, own_harness, ranks, threads_per_rank)),
        wire::sparse(KP_NAMED(nodes, place)),
        wire::optional(KP_NAMED(bind, emulated, oversubscribed)),
        wire::sparse(KP_NAMED(program, measure_machine, profile)),
        wire::optional(KP_NAMED(metrics)),
        wire::sparse(KP_NAMED(sanity, own_folder, inputs, keep, keep_bytes, noise_sample_ns)));
  }
};

// Where records go while the steps run, besides the run directory. The token is for one allocation
// alone, and never leaves the agent and its pusher.
struct PushTarget {
  std::string url;    // https://HOST:PORT; "": nobody listens
  std::string token;  // of this allocation
  std::string ca;     // PEM: whom to trust; "": whom the system trusts

  static constexpr auto fields() {
    using T = PushTarget;
    return std::tuple_cat(wire::required(KP_NAMED(url, token)), wire::optional(KP_NAMED(ca)));
  }
};

struct AllocationFile {
  int version = kAllocationVersion;
  std::string name;
  std::vector<int> cpus;  // the cores handed to it, kept for the next controller
  std::optional<PushTarget> push;
  std::vector<StepSpec> steps;

  static constexpr auto fields() {
    using T = AllocationFile;
    return std::tuple_cat(described(field("v", &T::version), field("name", &T::name)),
                          wire::optional(KP_NAMED(cpus)), wire::sparse(KP_NAMED(push)),
                          described(KP_NAMED(steps)));
  }
};

void put(JsonWriter& w, const SanityRule& rule);
std::string allocation_text(const AllocationFile& file);

// For the agent: of its version, and every step can be carried out.
Result<AllocationFile> parse_allocation(std::string_view text);
// For a later controller, which wants to know what one before it has written; unchecked.
std::optional<AllocationFile> read_back_allocation(std::string_view text);

}  // namespace kneepoint

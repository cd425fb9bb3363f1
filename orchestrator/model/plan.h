// SPDX-License-Identifier: Apache-2.0
//
// Plan: what the plan file says, checked and with defaults filled in. A plain value; only
// plan/plan_reader makes one from a file. It says nothing of hosts, queues or credentials. Which
// numbers to take from what a program printed (MetricSpec) and when its answer is wrong
// (SanityRule) are as its agent is told.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/wire/allocation.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/model/shape.h"

namespace kneepoint {

// Which K: resolved to a list, except that `to: site` waits for the site's capacity.
struct Scale {
  enum class By { list, step, doubling };
  By by = By::list;
  std::vector<int> list;  // by == list: ascending, distinct, all >= 1
  int from = 1;
  int to = 1;
  bool to_site = false;  // `to: site`: as many workers as the site holds
  int step = 1;          // by == step
};

// The values of `shape:`; each list has at least one entry, their product gives the shapes.
struct ShapeSpec {
  std::vector<int> ranks_per_node;  // empty: 1 per node (worker: node), or all that fit (rank)
  std::vector<int> threads_per_rank = {1};
  int gpus_per_node = 0;
  Bind bind = Bind::core;
};

enum class Rounding { nearest, down, up, none };
constexpr auto words_of(Rounding) {
  return std::array{"nearest", "down", "up", "none"};
}

// A size: a number or a formula of K (and nodes, ranks, the workload's parameters).
struct SizeSpec {
  std::string formula;  // "512" or "256 * K^(1/3)"; empty: the workload has no size
  Rounding rounding = Rounding::nearest;
  int multiple_of = 1;  // round to a multiple of this
};

// One parameter value as the plan wrote it; numbers keep their text so that argv is exact.
struct Parameter {
  std::string name;
  std::string value;
  bool operator==(const Parameter&) const = default;
};

struct ParameterList {
  std::string name;
  std::vector<std::string> values;
};

struct ResultSpec {
  std::string name = "run";  // what the user pays for: solve, step, image
  std::string count = "1";   // number or formula of K: results made by one run
};

struct EnvironmentVariable {
  std::string name;
  std::string value;  // {K}, {ranks}, ... are replaced
};

// What catalog.yaml says of one of our own workloads.
struct CatalogEntry {
  std::string name;
  std::string program;            // executable's file name
  std::string needs;              // of the machine that builds it, beside MPI: "CUDA and NCCL"
  std::string summary;            // one line for `kneepoint workloads`
  std::string size_meaning;       // "edge of the global grid, cells"
  std::string held_fixed_strong;  // "the global grid of {size}^3 cells"; {size} is replaced
  std::string held_fixed_weak;
  std::string work_unit;     // cells, samples, bytes...: unit of the work the ranks report
  std::string divisible;     // formula: 0 = ranks split the size evenly (see docs)
  std::string model_strong;  // T in seconds; formulas for the simulated backend
  std::string model_weak;
  std::string flops;        // formulas of one iteration, all ranks; "": not known
  std::string bytes;        // from and to memory
  std::string parallelism;  // parts that can be worked on at once
  std::string default_size_strong;
  std::string default_size_weak;
  std::vector<Parameter> parameters;       // with their defaults; others are errors
  std::vector<std::string> emulated_when;  // "work=sleep": takes no CPU slot, marked emulated
};

// A file made visible in the run's folder.
struct InputFile {
  std::string name;    // its path there: "mesh/a.dat"
  std::string source;  // absolute; "": `content` is all there is
  std::string sha256;
  std::uint64_t size = 0;
  bool executable = false;
  std::shared_ptr<const std::string> content;  // of small ones; for sites without shared folders
};

// A run has a folder of its own (`work` in its run directory) if any of this needs one.
struct ProgramSpec {
  bool own_folder = false;
  std::vector<SanityRule> sanity;
  std::vector<std::string> keep;    // patterns of files in the run's folder
  std::vector<std::string> inputs;  // files and folders as the plan names them
  std::vector<InputFile> staged;    // the files that `inputs` come to; filled in by who may read
};

struct WorkloadSpec {
  std::string name;
  std::string use;                   // catalog entry, or empty when `command` is given
  std::vector<std::string> command;  // argv template: {size} {K} {ranks} {build} {param}...
  bool mpi = true;                   // ranks started by the site's starter; false: plain process
  std::string profile = "none";      // none | mpi: count its MPI calls by a preloaded library
  std::vector<ParameterList> parameters;
  std::vector<std::vector<Parameter>> exclude;  // a case that matches all of one entry is left out
  SizeSpec size_strong;
  SizeSpec size_weak;
  std::vector<EnvironmentVariable> environment;
  std::vector<MetricSpec> metrics;
  ProgramSpec program;
  ResultSpec result;
  std::optional<Scale> scale;  // instead of the plan's
  std::string model_strong;    // T formulas for the simulated backend; catalog's by default
  std::string model_weak;
  // Formulas; catalog's by default. `use`: of one iteration, `command`: of one run. "": not known.
  std::string flops, bytes, parallelism;
  std::string build = "default";        // label of the binary or image
  std::optional<CatalogEntry> catalog;  // filled in by the reader when `use` is given
};

struct Iterations {  // samples inside one run
  int warmup = 1;
  int count = 5;             // exactly this many, if min_time is 0
  Nanoseconds min_time = 0;  // else: as many as it takes; T is then per iteration
};

struct Repeat {  // runs at a point
  int min = 5;
  int max = 5;
  double until_efficiency_ci = 0;  // half-width of E's interval to stop at; 0: no early stop
};

// Which of the points are measured, and how often: all of them alike, or where they narrow the
// interval of the knee or the choice of the K to recommend.
struct SearchSpec {
  enum class Target { knee, recommendation };
  enum class Objective { cost, time };  // of a result: what the recommendation is by
  friend constexpr auto words_of(Objective) { return std::array{"cost", "time"}; }
  bool adaptive = false;
  Target target = Target::knee;
  Objective objective = Objective::cost;
  // knee: half of the interval's width over the knee to stop at; recommendation: what a K may lose
  // by being chosen instead of the best and still count as tied with it
  double within = 0.1;
  int first = 2;  // runs at a K that is looked at for the first time
};

struct Limits {
  int concurrent = 0;              // 0: the backend's default
  int nodes = 0;                   // at once; 0: no limit
  double node_hours = 0;           // budget; 0: none
  std::int64_t amount_micros = 0;  // budget of money in `currency`; 0: none
  std::string currency;
  Nanoseconds timeout = 20 * kMinute;  // of one run
  Nanoseconds queue_wait = 0;          // 0: for ever
  int retries = 1;                     // attempts after the first
  bool oversubscribe = false;          // may ranks × threads exceed the local cores?
};

struct KneeSpec {
  std::string rule = "efficiency";
  double floor = 0.7;
};

// What the nightly gate asks for: the plan's `gate` section, and what docs/methods.md fixes.
// Effects are shares of T.
struct GateOptions {
  double alpha = 0.025;        // of a night, over all its points, for each window
  double min_effect = 0.03;    // of a point
  double curve_alpha = 0.005;  // of a curve, for each window
  double curve_effect = 0.02;  // of a curve
  double confirm_effect = 0.015;
  double max_regression = 0.05;  // a history that can't see this on a curve is inconclusive
  double drift = 0.05;           // of a curve against the pinned baseline
  double knee_shift = 0.25;      // octaves
  double knee_floor = 0.7;       // the plan's knee.floor

  // No keys of a plan.
  double confirm_alpha = 0.01;         // builds in turns
  double confirm_curve_effect = 0.01;  // of a curve
  int least_history = 8;               // nights
  int most_history = 30;
  double least_sd = 0.003;  // of nightly log medians: nobody's nights are more alike
};

// Samples of what else goes on on a node while a run is timed, and when that is too much.
struct NoiseSpec {
  std::int64_t sample_ns = 0;        // 0: no sampling
  std::optional<double> steal;       // largest share of CPU time taken by the hypervisor
  std::optional<double> others;      // cores that other programs may use
  std::optional<double> clock_drop;  // share by which the clock may fall below its highest
  std::optional<double> throttle;    // share of samples in which a GPU may be throttled
  int repeat = 0;  // attempts more for a run beyond a limit, which then does not count; 0: flag it

  bool has_limit() const { return steal || others || clock_drop || throttle; }
};

// Which binary or image of a workload ran, by a label. Most studies have one, "default", which is
// whatever the plan names; `run --ab` gives two.
struct Build {
  // A program, a folder that has programs in it, or an image.
  enum class Kind { file, folder, image };
  friend constexpr auto words_of(Kind) { return std::array{"file", "folder", "image"}; }

  std::string label;     // "": none, the plan's own program runs
  std::string workload;  // that it is a build of; "": of all without one of their own
  Kind kind = Kind::file;
  std::string place;  // absolute path, or the image as the cluster calls it
  std::string hash;   // SHA-256 of what is run from there; "": an image, or out of our sight
  KP_DESCRIBED(Build, label, workload, kind, place, hash);
};
// The label of a study's only build.
inline constexpr char kOnlyBuild[] = "default";

struct Plan {
  std::string study;  // name: [a-z0-9-], at most 40 characters
  WorkerUnit worker = WorkerUnit::rank;
  Scale scale;
  ShapeSpec shape;
  std::vector<Mode> modes = {Mode::strong, Mode::weak};
  std::vector<WorkloadSpec> workloads;
  std::vector<EnvironmentVariable> environment;
  Iterations iterations;
  Repeat repeat;
  SearchSpec search;
  Limits limits;
  KneeSpec knee;
  GateOptions gate;
  NoiseSpec noise;
  std::uint64_t seed = 1;
  std::vector<Build> builds;  // run --ab: two, the reference first; empty: the workloads' own
  std::string confirms;       // id of the study whose suspects are measured again; "": none
  std::string text;           // the file's bytes
  std::string path;           // as given
};

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Plan -> points -> runs, and the shape of each K on one site. Pure and seeded: the same plan and
// seed give the same runs on any machine (except that `to: site` asks for the site's capacity).
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

// What the backend says of itself; 0 = unknown.
struct SiteCapacity {
  int nodes = 1;
  int cores_per_node = 1;
  int gpus_per_node = 0;
};

struct Expanded {
  Study study;
  std::vector<Problem> problems;  // formulas that fail at some K, sizes that aren't positive...
};

// `programs` is the folder of our own workloads' executables.
Expanded expand(const Plan& plan, const Site& site, const SiteCapacity& capacity,
                const std::string& programs);

// What makes two studies comparable. The hash covers workloads (program, parameters, sizes of the
// plan's modes, models, metrics, build), worker, shapes, iterations, environment and the site's
// resource request (backend, starter, programs, environment); of a study with --ab each build's
// label, place and hash. It leaves out scale, repeat, search, seed, limits, knee, gate, results and
// prices: more K or more repeats extend a study.
//
// One fact a line, sorted where order means nothing; defaults are written out, so that giving a
// default changes nothing.
std::string identity_text(const Plan& plan, const Site& site);
// First 8 hex digits of the text's SHA-256.
std::string series_hash(const Plan& plan, const Site& site);

// What a step has in its environment before plan and workload add to it: the number of threads,
// then the site's variables, which win. Nobody else puts them there.
std::vector<EnvironmentVariable> site_variables(const Site& site, const Shape& shape);

// Round 0: every point × min repeats, in blocks: each block holds every point once, shuffled by the
// seed, so that drift hits every point alike.
std::vector<Run> first_round(const Study& study);

// Runs of the given repeats [from, to) at the given points, interleaved in the same way. Of a study
// with two builds each repeat holds every pair once; the two of a pair follow each other, and which
// is first changes from repeat to repeat and from pair to pair, so that drift cancels.
std::vector<Run> interleave(const Study& study, const std::vector<int>& points, int from, int to,
                            std::uint64_t seed);
std::vector<Run> interleave(const std::vector<int>& points, int from, int to, std::uint64_t seed);

// Warnings that `check` shows: divisibility traps, machines not filled, K beyond the site, K lists
// too short for the models.
std::vector<std::string> plan_warnings(const Study& study, const SiteCapacity& capacity);

// One combination of the plan's shape lists.
struct ShapeChoice {
  int ranks_per_node = 0;  // 0: not given
  int threads_per_rank = 1;
};
std::vector<ShapeChoice> shape_choices(const ShapeSpec& spec);

// The site's capacity, cut to the ceilings of site and plan.
SiteCapacity usable_capacity(const SiteCapacity& capacity, const Site& site, const Limits& limits);

// As many workers as the site holds; 0: unknown.
int workers_that_fit(const Plan& plan, const ShapeChoice& choice, const SiteCapacity& capacity);

// Ascending, distinct; `to: site` needs site_workers > 0.
Result<std::vector<int>> resolve_scale(const Scale& scale, int site_workers);

// `local`: everything is on one node, however much it is.
Result<Shape> resolve_shape(const Plan& plan, const ShapeChoice& choice, int k, bool local,
                            const SiteCapacity& capacity);

}  // namespace kneepoint

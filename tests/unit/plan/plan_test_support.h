// SPDX-License-Identifier: Apache-2.0
//
// A small catalog of the tests' own, so that their messages don't change with the shipped one, and
// short ways to a plan or a study.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "orchestrator/plan/plan/matrix.h"
#include "orchestrator/plan/readers.h"

namespace kneepoint {

inline const std::vector<CatalogEntry>& test_catalog() {
  static const std::vector<CatalogEntry> entries = [] {
    CatalogRead read = read_catalog(R"yaml(
workloads:
  - name: jacobi3d
    program: kp-jacobi3d
    summary: a stencil
    size: {meaning: "edge of the grid", strong: 128, weak: "64 * K^(1/3)"}
    held_fixed: {strong: "a grid of {size}^3 cells", weak: "cells per worker (edge {size})"}
    work_unit: cells
    divisible: "mod(size, ranks)"
    model: {strong: "size^3 * 1e-6 / ranks", weak: "size^3 * 1e-6 / ranks"}
    parameters: {order: 2, layout: blocked}
  - name: synthetic
    program: kp-synthetic
    summary: a formula
    held_fixed: {strong: "{seconds} s of work in all", weak: "{seconds} s of work per worker"}
    model:
      strong: "seconds * (s + (1 - s) / K + c * log2(K))"
      weak: "seconds * (1 + c * log2(K))"
    parameters: {work: busy, s: 0.05, c: 0.01, seconds: 1}
    emulated_when: ["work=sleep"]
)yaml",
                                    "test-catalog.yaml");
    EXPECT_EQ(to_string(read.problems), "");
    return std::move(read.entries);
  }();
  return entries;
}

inline std::string read_whole(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline std::string problems_of(const std::string& text) {
  return to_string(read_plan(text, "p.yaml", test_catalog()).problems);
}

inline Plan plan_of(const std::string& text) {
  PlanRead read = read_plan(text, "p.yaml", test_catalog());
  EXPECT_EQ(to_string(read.problems), "");
  return std::move(read.plan);
}

inline Site simulated_site(int nodes = 16, int cores = 64) {
  Site site;
  site.name = "simulated";
  site.backend = BackendKind::simulated;
  site.simulated.nodes = nodes;
  site.simulated.cores_per_node = cores;
  return site;
}

inline Study study_of(const std::string& text, const Site& site, const SiteCapacity& capacity) {
  Expanded expanded = expand(plan_of(text), site, capacity, "bin");
  EXPECT_EQ(to_string(expanded.problems), "");
  return std::move(expanded.study);
}

inline Study study_of(const std::string& text) {
  return study_of(text, simulated_site(), {16, 64, 0});
}

}  // namespace kneepoint

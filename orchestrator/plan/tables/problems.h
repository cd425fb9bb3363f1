// SPDX-License-Identifier: Apache-2.0
//
// The problems of one table: all are counted, the first few are kept, so that a million bad rows
// don't make a million lines.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

constexpr std::size_t kMostTableProblems = 20;  // that are listed

class TableProblems {
 public:
  explicit TableProblems(std::string file) : file_(std::move(file)) {}
  void add(int line, int column, std::string key, std::string message);
  std::size_t count() const { return count_; }
  std::vector<Problem> take();  // with a last one that says how many more there are

 private:
  std::string file_;
  std::size_t count_ = 0;
  std::vector<Problem> kept_;
};

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// One problem of a file that a person wrote, and how it is shown.
#pragma once

#include <string>
#include <vector>

namespace kneepoint {

struct Problem {
  std::string file;
  int line = 0;  // 1-based; 0: the file as a whole
  int column = 0;
  std::string key;  // "workloads[0].size.weak"
  std::string message;
};

// "plans/x.yaml:7:3: workloads[0].sizee: unknown key; did you mean 'size'?"
std::string to_string(const Problem& problem);
std::string to_string(const std::vector<Problem>& problems);  // one a line

}  // namespace kneepoint

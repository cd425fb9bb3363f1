// SPDX-License-Identifier: Apache-2.0
//
// A place whose studies run on one of the test clusters. When a test fails it tells the whole
// story: what kneepoint says, what Slurm says, and the ends of all logs.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint::testing_support {

class SlurmPlace : public Place {
 public:
  explicit SlurmPlace(const std::string& cluster);  // "plain", "accounting", ...
  ~SlurmPlace();

  // tests/slurm/cluster COMMAND FOLDER ARGUMENTS...; its exit code.
  int cluster(const std::string& command, const std::vector<std::string>& arguments = {}) const;
  // A command of Slurm, its output.
  std::string slurm(const std::vector<std::string>& argv) const;
  // kneepoint ARGUMENTS..., with the patience that a loaded cluster needs (15 minutes).
  Ended run(const std::vector<std::string>& arguments) const;
  Ended finish(pid_t pid) const;

  // A site file for this cluster; `more` is appended to it.
  std::string site(const std::string& more) const;

 private:
  std::string folder_;
};

// Looks again and again until it is so, at most so many seconds.
bool comes_true(const std::function<bool()>& is_so, int seconds = 300);

}  // namespace kneepoint::testing_support

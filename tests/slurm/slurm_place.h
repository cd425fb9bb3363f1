// SPDX-License-Identifier: Apache-2.0
//
// A place whose studies run on one of the test clusters. When a test fails it tells the whole
// story: what kneepoint says, what Slurm says, and the ends of all logs.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fakes/cluster_place.h"

namespace kneepoint::testing_support {

class SlurmPlace : public ClusterPlace {
 public:
  explicit SlurmPlace(const std::string& cluster);  // "plain", "accounting", ...
  ~SlurmPlace();

  // tests/slurm/cluster COMMAND FOLDER ARGUMENTS...; its exit code.
  int cluster(const std::string& command, const std::vector<std::string>& arguments = {}) const;
  // A command of Slurm, its output.
  std::string slurm(const std::vector<std::string>& argv) const;
  // A site file for this cluster; `more` is appended to it.
  std::string site(const std::string& more) const;

 private:
  std::string folder_;
};

}  // namespace kneepoint::testing_support

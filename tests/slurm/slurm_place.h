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
  // The process of a part: slurmctld, munged, slurmd.n3; 0: it does not run.
  pid_t pid_of(const std::string& part) const;
  // A command of Slurm, its output.
  std::string slurm(const std::vector<std::string>& argv) const;
  // The cluster has this QOS then: two nodes and five minutes for a job, which no sbatch
  // --test-only says.
  void make_narrow_qos() const;
  // Keys of `slurm` that make a site talk to slurmrestd, with a token made now; `where` is the file
  // that holds its address: rest.url or rest.socket.
  std::string rest_keys(const std::string& where = "rest.url") const;
  void renew_token() const;
  // In one go, so that nobody reads half of it.
  void put_token(const std::string& token) const;
  // A site file for this cluster; `more` is appended to it.
  std::string site(const std::string& more) const;

 private:
  std::string folder_;
};

// `slurm` of a site with these keys.
std::string slurm_keys(const std::string& first, const std::string& second);

}  // namespace kneepoint::testing_support

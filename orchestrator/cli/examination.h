// SPDX-License-Identifier: Apache-2.0
//
// The examination of a site: one step after the other, through the launcher like any run, so that
// it tests what a study will use. Whatever it starts it takes back, also when it is interrupted.
#pragma once

#include <string>
#include <vector>

#include "agents/wire/record.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/cli/doctor_findings.h"
#include "orchestrator/cli/session.h"

namespace kneepoint::cli {

class Examination {
 public:
  // `root`: where studies of this site have their folders. Session and site outlive it.
  Examination(Session& session, const Site& site, std::string root);

  // Later steps make no sense after a bad one, and are left out.
  const std::vector<Finding>& run();
  bool was_interrupted() const { return interrupted_; }

 private:
  bool reach();
  bool make_folder();
  bool try_push();
  bool try_rights();
  bool try_largest();
  bool try_job();
  bool try_ranks();
  void try_noise();

  bool on_kubernetes() const { return site_.backend == BackendKind::kubernetes; }
  bool add(Finding finding);
  bool add(const std::string& what, bool good, const std::string& text, const std::string& fix);
  std::string program(const std::string& name) const;
  AllocationRequest request(const std::string& name, const Shape& shape) const;
  Deadline soon() const;
  // The records of every step, once the job has ended; or why there are none.
  Result<std::vector<record::Records>> carry_out(const AllocationRequest& request);
  Result<Observation> wait_for(const JobRef& job);
  void take_back(const JobRef& job);
  bool look_for_signals(Nanoseconds at_most);

  Session& session_;
  const Site& site_;
  const std::string root_;
  std::string number_;  // unique: part of the folder's and of every job's name
  std::string folder_;
  SiteAccess access_;
  std::vector<Finding> findings_;
  Nanoseconds handed_over_ = 0;  // when the last job was, by the wall clock
  bool interrupted_ = false;
};

}  // namespace kneepoint::cli

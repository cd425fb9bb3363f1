// SPDX-License-Identifier: Apache-2.0
//
// A place whose studies run on the test cluster, and the API server's own record of them: what a
// watch of its Jobs and pods tells while they run, since kneepoint removes what is over.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/fakes/cluster_place.h"
#include "tests/kubernetes/kube_lab.h"

namespace kneepoint::testing_support {

class KubePlace : public ClusterPlace {
 public:
  explicit KubePlace(bool needs_node = true);
  ~KubePlace();

  // Of a site file that is written; `more` are lines of its kubernetes section, two blanks deep.
  std::string site(const std::string& more = "") const;

  KubeLab lab;
};

// By the watch of curl, not of ours. Lives as long as the API server does.
class KubeRecord {
 public:
  explicit KubeRecord(const KubePlace& place);
  ~KubeRecord();
  KubeRecord(const KubeRecord&) = delete;
  KubeRecord& operator=(const KubeRecord&) = delete;

  struct Job {
    std::string name;
    std::set<std::string> uids;  // one, unless it was made twice
    bool complete = false, failed = false, deleted = false;
    std::map<int, std::string> addresses;  // of its pods, by index
    std::set<std::string> nodes;
  };
  // By the allocation that they are for.
  std::map<std::string, Job> jobs() const;
  bool all_deleted() const;

 private:
  void read_jobs(std::map<std::string, Job>& jobs, std::map<std::string, std::string>& names) const;

  const KubePlace& place_;
  std::vector<pid_t> watches_;
};

// Every run succeeded once and every attempt before that says why it did not; every Job on record
// was told by name in a run's story, and every attempt has its Job there, on the nodes that it
// tells. Nothing is left in the namespace.
void equals_the_record(const KubePlace& place, const KubeRecord& record, int runs);

}  // namespace kneepoint::testing_support

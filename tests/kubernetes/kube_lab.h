// SPDX-License-Identifier: Apache-2.0
//
// The test cluster that ctest has started, as its administrator sees it: a namespace of one's own,
// plain calls by curl, and which processes of this machine are whose pods.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "orchestrator/model/site.h"

namespace kneepoint::testing_support {

class KubeLab {
 public:
  // "lab" has a node, "control" has none. A test that `needs_node` is skipped where there is none.
  explicit KubeLab(const std::string& cluster, bool needs_node);
  ~KubeLab();
  KubeLab(const KubeLab&) = delete;
  KubeLab& operator=(const KubeLab&) = delete;

  // Why nothing can be tested here; "": it can.
  const std::string& missing() const { return missing_; }
  const std::string& folder() const { return folder_; }
  const std::string& name_space() const { return name_space_; }
  std::string kubeconfig() const { return folder_ + "/admin.kubeconfig"; }
  const std::string& server() const { return server_; }

  // tests/kubernetes/cluster COMMAND FOLDER ARGUMENTS...; its exit code.
  int cluster(const std::string& command, const std::vector<std::string>& arguments = {}) const;

  struct Answer {
    int status = 0;  // 0: no answer
    nlohmann::json body;
  };
  Answer call(const std::string& method, const std::string& path, const nlohmann::json& body = {},
              const std::string& token = "") const;
  // "/apis/batch/v1/namespaces/OURS/jobs" + rest
  std::string jobs(const std::string& rest = "") const;
  std::string core(const std::string& rest) const;  // "/api/v1/namespaces/OURS/" + rest
  std::string text(const std::string& path) const;  // what is there, when it is no JSON
  // Items of a list; an empty one when there was no answer.
  nlohmann::json items(const std::string& path) const;

  // Nothing that kneepoint makes is left in the namespace, now or soon.
  bool is_swept() const;
  std::string leftovers() const;  // their names

  // The agent in the container of a Job's pod; 0: it does not run.
  pid_t agent_of(const std::string& job) const;

  // How a launcher gets here: `shared` is a folder of this machine that pods see at its own path.
  void describe(Site& site, const std::string& shared) const;
  // The same as lines of a site file.
  std::string site_text(const std::string& shared, const std::string& more = "") const;

 private:
  void make_name_space();
  std::vector<std::string> curl(const std::string& token) const;

  std::string folder_, name_space_, missing_, server_;
};

}  // namespace kneepoint::testing_support

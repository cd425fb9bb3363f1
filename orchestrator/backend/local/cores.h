// SPDX-License-Identifier: Apache-2.0
//
// CoreSets with the living taken into account: agents of an earlier controller, or of another study
// with the same work_dir, hold cores too. They are looked for once, before the first core is given.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/backend/core_sets.h"
#include "orchestrator/backend/local/files.h"

namespace kneepoint {

// Allocations go by the path of their file.
class LocalCores {
 public:
  explicit LocalCores(std::vector<Core> cores) : sets_(std::move(cores)) {}

  const std::vector<Core>& all() const { return sets_.cores(); }
  std::vector<Core> take(const std::string& path, const std::string& work_dir, int count);
  std::vector<Core> hold(const std::string& path, const std::vector<int>& cpus);
  void release(const std::string& path) { sets_.release(path); }

 private:
  void look_for_others(const std::string& work_dir);

  CoreSets sets_;
  bool looked_ = false;
  std::vector<LivingAgent> others_;  // whose ends nobody else tells us
};

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// A study on a test cluster whose runs wait for a file named `go`, so that whatever strikes it
// finds them alive. What became of each attempt is what `explain` tells.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/slurm/slurm_place.h"

namespace kneepoint::testing_support {

class StudyOn {
 public:
  StudyOn(const std::string& cluster, int runs,
          const std::string& limits = "timeout: 10m, retries: 2")
      : place(cluster), runs_(runs), limits_(limits) {
    use_site("");
  }
  ~StudyOn() { go(); }  // whatever still waits may end

  // More keys of `slurm`, and more lines of the site.
  void use_site(const std::string& slurm, const std::string& more = "") {
    site_ =
        place.site("slurm: {exclusive: false" + (slurm.empty() ? "" : ", " + slurm) + "}\n" + more);
  }

  std::vector<std::string> command() const {
    const std::string plan = place.waiting_plan("faulty", runs_, limits_);
    return {"run", plan, "--site", site_};
  }
  void start() { pid_ = place.start(command()); }
  void go() const { place.go(); }
  SlurmPlace::Ended finish() const { return place.finish(pid_); }
  pid_t pid() const { return pid_; }

  std::map<std::string, int> executions() const { return place.executions(); }
  bool all_run() const { return executions().size() >= static_cast<std::size_t>(runs_); }

  std::string events(int run = 1) const { return place.events(run); }
  nlohmann::json attempt(std::size_t number = 1, int run = 1) const {
    return place.attempt(number, run);
  }
  std::string job(int run = 1) const { return attempt(1, run).value("job", ""); }
  std::string detail(std::size_t number = 1) const { return attempt(number).value("detail", ""); }
  std::string state(std::size_t number = 1, int run = 1) const {
    return attempt(number, run).value("state", "");
  }
  std::string errors() const { return place.read("err"); }

  SlurmPlace place;

 private:
  const int runs_;
  const std::string limits_;
  std::string site_;
  pid_t pid_ = 0;
};

}  // namespace kneepoint::testing_support

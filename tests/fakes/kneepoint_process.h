// SPDX-License-Identifier: Apache-2.0
//
// Runs the real kneepoint program in a place of its own, for tests of the whole product.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace kneepoint::testing_support {

// A folder that is removed at the end, with a database and run directories inside; and with it
// every process that still works for it, however the test went.
class Place {
 public:
  Place();
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  const std::string& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const;  // returns the path
  std::string read(const std::string& name) const;

  struct Ended {
    int exit_code = 0;  // 128 + signal when killed
    std::string output;
    std::string errors;
    double seconds = 0;
    long peak_kb = 0;
  };
  // kneepoint ARGUMENTS... with KNEEPOINT_DB inside the place, to its end.
  Ended kneepoint(const std::vector<std::string>& arguments) const;

  // The same, not waited for; and its end.
  pid_t start(const std::vector<std::string>& arguments) const;
  Ended wait(pid_t pid) const;
  // True if the process ended by itself within the time.
  bool ended_within(pid_t pid, long microseconds) const;
  // The same with all the time that a test has.
  bool ends(pid_t pid) const;
  // Looks again and again until it is so; false if the process ends before, or it never is.
  bool wait_until(pid_t pid, const std::function<bool()>& is_so) const;

 private:
  void end_all() const;

  std::string path_;
};

}  // namespace kneepoint::testing_support

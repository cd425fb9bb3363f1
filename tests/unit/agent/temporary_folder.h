// SPDX-License-Identifier: Apache-2.0
//
// A folder for one test, gone when the test ends.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace kneepoint::agent {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kp-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + '/' + name; }
  const std::string& path() const { return path_; }

  void append(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + '/' + name, std::ios::app | std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ + '/' + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

}  // namespace kneepoint::agent

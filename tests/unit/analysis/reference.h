// SPDX-License-Identifier: Apache-2.0
//
// Reads a file of tests/golden/reference: values computed with 50 digits, then rounded to double.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace kneepoint {

inline nlohmann::json read_reference(const std::string& name) {
  std::ifstream file(std::string(KP_SOURCE_DIR) + "/tests/golden/reference/" + name);
  if (!file) throw std::runtime_error("tests/golden/reference/" + name + " can't be read");
  return nlohmann::json::parse(file);
}

// The rows of one group, by value: a range-for over a part of a temporary would outlive it. A group
// without rows is a broken file, not a test that passes.
inline nlohmann::json reference_rows(const std::string& name, const std::string& group) {
  nlohmann::json value = read_reference(name).at(group);
  nlohmann::json rows = value.is_object() ? value.at("rows") : value;
  if (rows.empty()) throw std::runtime_error(name + ": group " + group + " has no rows");
  return rows;
}

// Relative tolerance as an absolute one, for EXPECT_NEAR.
inline double within(double value, double relative = 1e-12) {
  return relative * (value < 0 ? -value : value) + 1e-300;
}

}  // namespace kneepoint

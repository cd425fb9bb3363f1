// SPDX-License-Identifier: Apache-2.0
//
// What a test reads though it may be missing. Missing is a failed test with its reason: the
// exception ends the test, its fixture still cleans up. Dereferencing would end the program.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "agents/wire/record.h"

namespace kneepoint {

template <typename T>
T present(const std::optional<T>& value, const std::string& what) {
  if (!value) throw std::runtime_error("there is no " + what);
  return *value;
}

inline record::Begin begin_of(const record::Records& records) {
  return present(records.begin, "begin record");
}

inline record::End end_of(const record::Records& records) {
  return present(records.end, "end record");
}

}  // namespace kneepoint

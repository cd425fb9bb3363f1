// SPDX-License-Identifier: Apache-2.0
//
// Context: what an answer may know of the process that asks: its clock, its environment, where its
// programs and its database are. No flags and no streams.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

// The value of an environment variable, or nullopt when it isn't set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

struct Context {
  const Clock& clock;
  Environment environment;
  std::string executable;     // absolute path of this program
  std::string database = {};  // as asked for; "" = the usual place, see places.h
};

// What was typed for a flag is refused by the flag's name.
inline Error wrong_flag(const std::string& flag, const std::string& why) {
  return Error{ErrorCode::invalid, flag + ": " + why};
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// What launchers share; private to this folder. They have no header of their own: backend_table.cc
// declares their factories.
#pragma once

#include "orchestrator/backend/launcher.h"

namespace kneepoint {

// What a launcher answers for what it did not get to in time.
inline Error deadline_passed(const std::string& what) {
  return Error{ErrorCode::timeout, what + ": the deadline passed first", true};
}

// One after the other until the deadline. An error begins with the verb and the item's name.
template <typename Answer, typename Item, typename Act>
std::vector<Result<Answer>> each_in_time(const Clock& clock, Deadline deadline,
                                         std::span<const Item> items, const char* verb, Act act) {
  std::vector<Result<Answer>> answers;
  answers.reserve(items.size());
  for (const Item& item : items) {
    const std::string what = std::string(verb) + " " + item.name;
    Result<Answer> answer = deadline_passed(what);
    if (clock.steady() <= deadline) {
      answer = act(item);
      if (!answer) answer = answer.error().in(what);
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace kneepoint

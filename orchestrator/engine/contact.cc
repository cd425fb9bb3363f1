// SPDX-License-Identifier: Apache-2.0
//
// A silence begins with the first refusal of either kind of call and ends when none is refused.
#include "orchestrator/engine/contact.h"

namespace kneepoint {

bool may_pass(const Error& error) {
  return error.retryable || error.code == ErrorCode::timeout ||
         error.code == ErrorCode::unavailable;
}

// A right that was taken away in mid-study, or credentials: whoever gives them back mends it.
bool is_of_the_site(const Error& error) {
  return error.code == ErrorCode::permission;
}

const Error* refused_altogether(const std::vector<Result<JobRef>>& answers) {
  for (const auto& answer : answers) {
    if (answer || may_pass(answer.error())) return nullptr;
    if (answer.error().code == ErrorCode::conflict) return nullptr;  // another name may be free
  }
  return answers.empty() ? nullptr : &answers.front().error();
}

Result<void> Contact::refused(BackOff& back_off, const std::string& words) {
  if (!back_off.is_over(clock_.steady())) return {};
  back_off.refused(clock_.steady());
  const bool is_new = words_.empty();
  words_ = words;
  if (!is_new) return {};
  since_ = clock_.steady();
  TRY(book_.event("silence", words + "; trying again until it works"));
  progress_.say(words + "; trying again until it works. Jobs go on meanwhile");
  return {};
}

Result<void> Contact::answered(BackOff& back_off) {
  back_off.answered();
  if (words_.empty() || is_silent()) return {};
  words_.clear();
  const std::string text =
      "it answers again after " + to_duration_text(clock_.steady() - since_) + " of silence";
  TRY(book_.event("silence", text));
  progress_.say(text);
  return {};
}

}  // namespace kneepoint

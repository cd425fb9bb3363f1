// SPDX-License-Identifier: Apache-2.0
//
// Contact: does the site answer? Each silence is told once, in one sentence, when it begins and
// when it is over; in between, calls are spaced further and further apart.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/engine/attempt_book.h"
#include "orchestrator/engine/progress.h"

namespace kneepoint {

// How long to leave the outside world alone after it refused: longer after each refusal in a row,
// at most a minute. Pure; the caller tells the time.
class BackOff {
 public:
  bool is_over(Nanoseconds now) const { return now >= until_; }
  Nanoseconds wait() const { return wait_; }  // 0: the last answer was good
  void refused(Nanoseconds now) {
    wait_ = std::clamp(wait_ * 2, kSecond, kMinute);
    until_ = now + wait_;
  }
  void answered() { wait_ = until_ = 0; }
  void try_now() { until_ = 0; }

 private:
  Nanoseconds wait_ = 0;
  Nanoseconds until_ = 0;
};

// May the same call go better later, though nobody changes anything?
bool may_pass(const Error& error);
// Is it about us and the site, and not about what was asked for? Then no run is to fail of it.
bool is_of_the_site(const Error& error);
// The first refusal, when there is nothing but refusals for good; else nullptr.
const Error* refused_altogether(const std::vector<Result<JobRef>>& answers);

class Contact {
 public:
  Contact(const Clock& clock, AttemptBook& book, ProgressBook& progress)
      : clock_(clock), book_(book), progress_(progress) {}

  BackOff submitting, looking;

  // The outside world refused. Of several refusals at once the first one speaks.
  Result<void> refused(BackOff& back_off, const std::string& words);
  Result<void> answered(BackOff& back_off);

  bool is_silent() const { return submitting.wait() + looking.wait() > 0; }
  const std::string& words() const { return words_; }  // of the silence; "": it answers

 private:
  const Clock& clock_;
  AttemptBook& book_;
  ProgressBook& progress_;
  std::string words_;
  Nanoseconds since_ = 0;
};

}  // namespace kneepoint

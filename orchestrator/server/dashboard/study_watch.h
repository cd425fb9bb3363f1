// SPDX-License-Identifier: Apache-2.0
//
// Pictures of studies, kept as long as nothing changed: the database is asked whether anybody
// wrote, then what changed often, and only when a run has ended for all the evidence. One
// connection for all who look; any thread may ask, one at a time is answered.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/server/dashboard/api.h"
#include "orchestrator/server/dashboard/controllers.h"
#include "orchestrator/server/http/web_app.h"

namespace kneepoint {

class StudyWatch {
 public:
  static Result<std::unique_ptr<StudyWatch>> open(const std::string& database,
                                                  const DashboardHooks& hooks, const Clock& clock);

  Result<std::string> json(const std::string& study);
  Result<TopicFrame> frame(const std::string& study);
  // A study that is gone, or can't be read, ends its stream.
  std::vector<TopicFrame> frames(const std::vector<std::string>& studies);

  // The curves alone, for metrics.
  Result<std::shared_ptr<const StudyCurves>> curves(const std::string& study);
  std::uint64_t evidence_reads() const;  // how often it had to be read, for tests

 private:
  struct Known {
    std::int64_t data_version = -1;
    std::string changing;    // what changes often, as one text
    std::string curves_key;  // what the curves depend on
    std::int64_t last_event = 0;
    StudyDetail picture;
    std::string json;
    TopicFrame frame;
    std::uint64_t used = 0;
  };

  StudyWatch(DashboardView view, std::unique_ptr<StudyStore> store, const DashboardHooks& hooks)
      : view_(std::move(view)), store_(std::move(store)), hooks_(hooks) {}
  Result<Known*> known(const std::string& study);
  Result<void> refresh(const std::string& study, Known& known);
  Result<void> read_curves(Known& known);
  Result<TopicFrame> frame_locked(const std::string& study);

  mutable std::mutex mutex_;  // of all that follows
  DashboardView view_;
  std::unique_ptr<StudyStore> store_;
  const DashboardHooks& hooks_;
  std::map<std::string, Known> known_;
  std::uint64_t last_version_ = 0;
  std::uint64_t uses_ = 0;
  std::uint64_t evidence_reads_ = 0;
};

}  // namespace kneepoint

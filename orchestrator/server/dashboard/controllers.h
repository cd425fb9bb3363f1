// SPDX-License-Identifier: Apache-2.0
//
// What the dashboard shows and does: answers as the commands have them, and studies that it ends,
// resumes and starts. An act is this program again, so that a study's controller outlives the
// server.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/server/dashboard/api.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// The seam at which tests put something else. Called from several threads at once.
class DashboardHooks {
 public:
  virtual ~DashboardHooks() = default;

  virtual bool is_live(const Lease& lease) const = 0;

  // Documents as the commands give them. not_found: this build or this study has none.
  virtual Result<std::string> report(const std::string& study, const std::string& form) const = 0;
  virtual Result<std::string> story(const std::string& study, int run) const = 0;
  virtual Result<std::string> log(const std::string& study, int run,
                                  const std::string& stream) const = 0;
  virtual Result<std::string> compare(const std::vector<std::string>& studies) const = 0;
  // The object of /api/v1/series/{id}; and the last verdict alone.
  virtual Result<std::string> series(const SeriesLine& series) const = 0;
  virtual Result<std::optional<std::string>> verdict(const SeriesLine& series) const = 0;

  // The only calls that change anything.
  virtual Result<ActionDone> cancel(const StudyLine& study) = 0;
  virtual Result<ActionDone> resume(const StudyLine& study) = 0;
  virtual Result<ActionDone> start(const StartRequest& request) = 0;
};

class Controllers : public DashboardHooks {
 public:
  // `database` absolute; `plans`: the folder with plans and sites, "" for none.
  Controllers(const Context& context, std::string database, std::string plans)
      : context_{context.clock, context.environment, context.executable, std::move(database)},
        plans_(std::move(plans)) {}

  bool is_live(const Lease& lease) const override;
  Result<std::string> report(const std::string& study, const std::string& form) const override;
  Result<std::string> story(const std::string& study, int run) const override;
  Result<std::string> compare(const std::vector<std::string>& studies) const override;
  Result<std::string> series(const SeriesLine& series) const override;
  Result<std::optional<std::string>> verdict(const SeriesLine& series) const override;
  Result<std::string> log(const std::string& study, int run,
                          const std::string& stream) const override;
  Result<ActionDone> cancel(const StudyLine& study) override;
  Result<ActionDone> resume(const StudyLine& study) override;
  Result<ActionDone> start(const StartRequest& request) override;

  // Called now and then by whoever started the server. Studies that were started with `gate` and
  // are over get their verdict; children that have ended are forgotten.
  void judge_what_is_over();
  void reap();
  // Studies whose controller is gone, after a restart of this machine or of the pod.
  void resume_unattended();

 private:
  Result<std::unique_ptr<StudyStore>> open() const;  // for reading
  Result<void> leave_to_itself(const char* command, const StudyRow& study);
  Result<std::string> file_in_plans(const char* what, const std::string& name) const;
  Result<ActionDone> start_controller(const std::vector<std::string>& words);

  const Context context_;
  const std::string plans_;
  mutable JudgedNights judged_;                 // has a lock of its own
  std::map<std::string, Nanoseconds> resumed_;  // when last, by study
  std::mutex mutex_;                            // of what follows
  std::vector<pid_t> children_;
  std::vector<std::string> to_judge_;
};

}  // namespace kneepoint

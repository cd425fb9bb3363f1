// SPDX-License-Identifier: Apache-2.0
//
// What the dashboard has of the commands: their answers, asked for as a person would, and their
// acts. An act is this program again, so that a study's controller outlives the server.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "orchestrator/answers/series_nights.h"
#include "orchestrator/cli/session.h"
#include "orchestrator/server/dashboard/hooks.h"

namespace kneepoint::cli {

class ServeHooks final : public DashboardHooks {
 public:
  // `database` absolute; `plans`: the folder with plans and sites, "" for none.
  ServeHooks(const Session& session, std::string database, std::string plans)
      : session_(session), database_(std::move(database)), plans_(std::move(plans)) {}

  bool is_live(const Lease& lease) const override;
  Result<std::string> report(const std::string& study, const std::string& form) const override;
  Result<std::string> story(const std::string& study, int run) const override;
  Result<std::string> log(const std::string& study, int run,
                          const std::string& stream) const override;
  Result<std::string> compare(const std::vector<std::string>& studies) const override;
  Result<std::string> series(const SeriesLine& series) const override;
  Result<std::optional<std::string>> verdict(const SeriesLine& series) const override;
  Result<ActionDone> cancel(const StudyLine& study) override;
  Result<ActionDone> resume(const StudyLine& study) override;
  Result<ActionDone> start(const StartRequest& request) override;

  // Called now and then by whoever started the server: studies that were started with `gate` and
  // are over get their verdict, children that have ended are forgotten.
  void judge_what_is_over();
  void reap();

 private:
  Result<void> leave_to_itself(const char* command, const StudyRow& study);
  Result<std::unique_ptr<StudyStore>> open() const;
  Result<std::string> file_in_plans(const char* what, const std::string& name) const;
  Result<ActionDone> start_controller(const std::vector<std::string>& words);

  const Session& session_;
  const std::string database_;
  const std::string plans_;
  std::mutex mutex_;  // of what follows
  std::vector<pid_t> children_;
  std::vector<std::string> to_judge_;
  mutable JudgedNights judged_;  // has a lock of its own
};

}  // namespace kneepoint::cli

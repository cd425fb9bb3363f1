// SPDX-License-Identifier: Apache-2.0
//
// FakeHooks: commands that answer with what they were asked, and count their acts.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "orchestrator/server/dashboard/controllers.h"

namespace kneepoint {

class FakeHooks : public DashboardHooks {
 public:
  bool is_live(const Lease& lease) const override { return lease.pid == live_pid; }
  Result<std::string> report(const std::string& study, const std::string& form) const override {
    return "report of " + study + " as " + form;
  }
  Result<std::string> story(const std::string& study, int run) const override {
    return "{\"story\":\"" + study + " r" + std::to_string(run) + "\"}";
  }
  Result<std::string> log(const std::string&, int, const std::string& stream) const override {
    return log_text.empty() ? "one\ntwo\nthree of " + stream + "\n" : log_text;
  }
  Result<std::string> compare(const std::vector<std::string>& studies) const override {
    return "{\"compared\":" + std::to_string(studies.size()) + "}";
  }
  Result<std::string> series(const SeriesLine& series) const override {
    return "{\"series\":\"" + series.id() + "\"}";
  }
  Result<std::optional<std::string>> verdict(const SeriesLine&) const override {
    ++verdicts;
    return std::optional<std::string>("PASS");
  }
  Result<ActionDone> cancel(const StudyLine& study) override {
    ++acts;
    return ActionDone{study.id, "cancelled"};
  }
  Result<ActionDone> resume(const StudyLine& study) override {
    ++acts;
    return ActionDone{study.id, "resumed"};
  }
  Result<ActionDone> start(const StartRequest& wish) override {
    ++acts;
    return ActionDone{"new-1", "started " + wish.plan};
  }

  std::atomic<std::int64_t> live_pid = 0;
  std::atomic<int> acts = 0;
  mutable std::atomic<int> verdicts = 0;
  std::string log_text;
};

}  // namespace kneepoint

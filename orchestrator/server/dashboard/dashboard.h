// SPDX-License-Identifier: Apache-2.0
//
// The dashboard: a page, a JSON API and metrics over the database. It only reads; what changes
// something goes through the hooks, which the token's holder alone can reach.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/server/dashboard/access_rules.h"
#include "orchestrator/server/dashboard/controllers.h"
#include "orchestrator/server/dashboard/metrics.h"
#include "orchestrator/server/dashboard/routes.h"
#include "orchestrator/server/dashboard/study_watch.h"
#include "orchestrator/server/http/web_server.h"

namespace kneepoint {

struct DashboardOptions {
  std::string database;
  AccessRules access;
  std::size_t workers = 4;  // as WebServerOptions::workers
  std::string_view page;    // HTML
};

// A request that may be answered.
struct Call {
  const std::vector<std::string>& values;  // of the pattern's {names}
  const RequestTarget& target;
  const WebRequest& request;
  DashboardView& view;

  Result<StudyLine> study() const { return view.study(values[0]); }
  // Of the query: a whole number of at least `least`; `most` in place of a larger one.
  Result<int> number(const char* name, int otherwise, int least, int most) const;
};

// What calls are answered from.
struct DashboardState {
  const DashboardOptions options;
  const std::string page = std::string(options.page);
  const std::string page_policy = kneepoint::page_policy(page);
  DashboardHooks& hooks;
  const Clock& clock;
  const std::unique_ptr<StudyWatch> watch;
  Metrics metrics = Metrics(options.database, *watch, hooks, clock);
  std::function<WebStats()> stats = nullptr;
  std::atomic<std::uint64_t> wrong_tokens = 0;
  std::mutex mutex = {};  // of what follows
  // By series: of which newest study in which state, and its verdict.
  std::map<std::string, std::pair<std::string, std::optional<std::string>>> verdicts = {};
};

class Dashboard final : public WebApp {
 public:
  static Result<std::unique_ptr<Dashboard>> make(const DashboardOptions& options,
                                                 DashboardHooks& hooks, const Clock& clock);
  // Where metrics learn of connections; before the server starts.
  void count_with(std::function<WebStats()> stats) { state_.stats = std::move(stats); }

  std::optional<HttpReply> refusal(const IncomingRequest& head) override;
  WebAnswer answer(const WebRequest& request, std::size_t worker) override;
  std::vector<TopicFrame> look(const std::vector<std::string>& topics) override {
    return state_.watch->frames(topics);
  }

 private:
  Dashboard(const DashboardOptions& options, DashboardHooks& hooks, const Clock& clock,
            std::unique_ptr<StudyWatch> watch, std::vector<DashboardView> views)
      : state_{.options = options, .hooks = hooks, .clock = clock, .watch = std::move(watch)},
        views_(std::move(views)) {}
  std::optional<HttpReply> token_refusal(const IncomingRequest& head, Needs needs);
  void note_wrong_token();
  Result<WebAnswer> answer_in_turn(const RouteSpec& spec, const Call& call);

  DashboardState state_;
  std::vector<DashboardView> views_;  // one for each worker
  std::atomic<int> long_calls_ = 0;
  Nanoseconds next_token_log_ = 0;
};

}  // namespace kneepoint

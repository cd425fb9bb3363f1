// SPDX-License-Identifier: Apache-2.0
//
// The engine: drives one study to its end. One thread, one sleep. Killed at any instant and started
// again it goes on where it was: intent is written before every act, and names make acts
// idempotent.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cost/billing.h"
#include "orchestrator/io/poller.h"
#include "orchestrator/model/point.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// What the progress view draws. Counts are of runs.
struct Progress {
  std::string study;
  int total = 0, done = 0, running = 0, queued = 0, failed = 0;
  int round = 0;
  double node_seconds = 0;
  std::string money;  // spent so far: "12.30 USD"; "": the study has no price
  Nanoseconds elapsed_ns = 0;
  Nanoseconds left_ns = -1;  // -1: not known yet
  std::string last_line;     // what happened last: "r17 succeeded: K=4 strong, 0.312 s"
  std::string waiting;       // why nothing runs, or why the site does not answer
};

// Records that agents push while they run. The engine reads the spool; who fills it is not its
// business.
struct LiveReports {
  std::string spool;                                                // folder; "": nobody pushes
  std::function<PushTarget(const std::string& allocation)> target;  // empty: nobody listens
  std::function<std::vector<std::string>()> news;  // what the story should tell of the endpoint
};

struct EngineOptions {
  int concurrent = 0;                      // 0: plan, site, backend default, in this order
  std::optional<StudyPrice> price;         // what runs are billed by; a budget of money needs it
  std::vector<StudyPrice> earlier_prices;  // what those of before are billed by, in its currency
  Lease lease;  // held by the caller; the engine keeps its heartbeat fresh
  LiveReports live;
  std::function<void(const Progress&)> on_progress;  // at most a few times a second
  std::function<void(const std::string&)> on_line;   // each finished run, one line
};

enum class EngineEnd { finished, interrupted, cancelled, over_budget };

struct EngineOutcome {
  EngineEnd end = EngineEnd::finished;
  int succeeded = 0, failed = 0;
  std::string why;  // over_budget: which, and by what
};

Result<EngineOutcome> run_study(StudyStore& store, const StudyRow& row, const Study& study,
                                const Site& site, Launcher& launcher, Poller& poller,
                                const Clock& clock, const EngineOptions& options);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Live reports for `run`: the record endpoint, where the site has `push`, and what the engine is
// told of it.
#pragma once

#include <memory>
#include <string>

#include "orchestrator/cli/shell/session.h"
#include "orchestrator/engine/engine.h"
#include "orchestrator/server/push/endpoint.h"

namespace kneepoint::cli {

// Listens until it is destroyed, and fills in options.live. Nothing (and no endpoint) if the site
// has no `push`; a port that is taken is a warning, since records have another way home.
Result<std::unique_ptr<PushEndpoint>> open_live_reports(Session& session, const Site& site,
                                                        const std::string& database,
                                                        const StudyRow& study,
                                                        EngineOptions& options);

// Would live reports work here? Listens for a moment on the address; nothing is made or kept.
struct LiveReportsTry {
  bool good = true;
  bool refused = false;  // `run` would end with an error; else it would go on without live reports
  std::string text;      // a sentence
};
LiveReportsTry try_live_reports(const Site& site, const Clock& clock);

// The spool of a study that is over, or deleted, is no longer needed.
void forget_live_reports(const std::string& database, const StudyRow& study);

}  // namespace kneepoint::cli

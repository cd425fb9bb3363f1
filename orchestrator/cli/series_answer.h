// SPDX-License-Identifier: Apache-2.0
//
// A series over its nights: T of every point, the gate's verdict of each night, changes of level.
#pragma once

#include <optional>
#include <string>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/session.h"
#include "orchestrator/store/dashboard_view.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

// The object of GET /api/v1/series/{id}; docs/reference/api.md. The session is only asked for time.
Result<std::string> series_json(Session& session, StudyStore& store, const SeriesLine& series);

// Of its newest study; none: it can't be judged.
Result<std::optional<std::string>> newest_verdict(Session& session, StudyStore& store,
                                                  const SeriesLine& series);

}  // namespace kneepoint::cli

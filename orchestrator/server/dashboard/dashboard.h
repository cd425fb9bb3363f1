// SPDX-License-Identifier: Apache-2.0
//
// The dashboard: a page, a JSON API and metrics over the database. It only reads; what changes
// something goes through the hooks, which the token's holder alone can reach.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/server/dashboard/access_rules.h"
#include "orchestrator/server/dashboard/hooks.h"
#include "orchestrator/server/http/web_app.h"
#include "orchestrator/server/http/web_server.h"

namespace kneepoint {

struct DashboardOptions {
  std::string database;
  AccessRules access;
  std::size_t workers = 4;  // as WebServerOptions::workers
  std::string_view page;    // HTML
};

class Dashboard : public WebApp {
 public:
  static Result<std::unique_ptr<Dashboard>> make(const DashboardOptions& options,
                                                 DashboardHooks& hooks, const Clock& clock);
  // Where metrics learn of connections; before the server starts.
  virtual void count_with(std::function<WebStats()> stats) = 0;
};

// What a page with these scripts of its own may do: run them and no others, and ask its server.
std::string page_policy(std::string_view html);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The one table of what the dashboard answers to. Matching, the OpenAPI document and the tests all
// read it, so none of them can know a call that the others don't.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kneepoint {

enum class Route {
  page,
  health,
  metrics,
  openapi,
  studies,
  study,
  events,
  report,
  runs,
  run,
  log,
  series_list,
  series,
  compare,
  start,
  cancel,
  resume,
};

enum class Needs {
  nothing,
  token_if_set,
  token,  // an action: without a token nobody may
};

struct RouteQuery {
  std::string_view name, type,
      help;  // type: integer | string | strings (may be there several times)
  bool required = false;
};

struct RouteSpec {
  Route route;
  std::string_view method;   // GET (which answers HEAD too) | POST
  std::string_view pattern;  // "/api/v1/studies/{id}/report.{form}"
  Needs needs;
  std::string_view summary;
  std::string_view type;    // of the answer
  std::string_view schema;  // of components/schemas; "": the answer is no JSON object of ours
  std::vector<RouteQuery> query = {};
  std::string_view body = "";  // schema of the request's body
  int status = 200;
};

std::span<const RouteSpec> routes();

struct RouteMatch {
  const RouteSpec* spec = nullptr;  // null: no such path, or not by this method
  std::vector<std::string> values;  // of the pattern's {names}, in order
  std::string allow;                // methods of the path; "": there is no such path
};
RouteMatch match_route(std::string_view method, const std::vector<std::string>& parts);

}  // namespace kneepoint

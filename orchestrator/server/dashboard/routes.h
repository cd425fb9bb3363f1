// SPDX-License-Identifier: Apache-2.0
//
// What the dashboard answers to, and the OpenAPI document of it. The one table of calls is in
// calls.cc, each with the function that answers it; matching, the document and the tests all read
// it, so none of them can know a call that the others don't.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/result.h"

namespace kneepoint {

struct Call;
struct DashboardState;
struct WebAnswer;

enum class Needs {
  nothing,
  token_if_set,
  token,  // an action: without a token nobody may
};

enum class Takes { moments, long_time };  // a long time: only so many are answered at once

enum class QueryType { whole, text, texts };  // texts: may be there several times

struct RouteQuery {
  std::string_view name;
  QueryType type;
  std::string_view help;
  bool required = false;
};

struct RouteSpec {
  std::string_view method;   // GET (which answers HEAD too) | POST: an action, answered with 202
  std::string_view pattern;  // "/api/v1/studies/{id}/report.{form}"
  Needs needs;
  std::string_view summary;
  Result<WebAnswer> (*answer)(DashboardState&, const Call&);
  std::string_view schema;  // of api.h; "": the answer is no JSON object of ours
  std::string_view type = "application/json";
  Takes takes = Takes::moments;
  std::vector<RouteQuery> query = {};
  std::string_view body = "";  // schema of the request's body

  bool is_action() const { return method == "POST"; }
  int status() const { return is_action() ? 202 : 200; }
};

std::span<const RouteSpec> routes();

struct RouteMatch {
  const RouteSpec* spec = nullptr;  // null: no such path, or not by this method
  std::vector<std::string> values;  // of the pattern's {names}, in order
  std::string allow;                // methods of the path; "": there is no such path
};
RouteMatch match_route(std::string_view method, const std::vector<std::string>& parts);

std::string openapi_json();

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/dashboard/routes.h"

namespace kneepoint {
namespace {

constexpr std::string_view kJson = "application/json";

std::string_view next_part(std::string_view& pattern) {
  const std::size_t end = pattern.find('/');
  const std::string_view part = pattern.substr(0, end);
  pattern.remove_prefix(end == std::string_view::npos ? pattern.size() : end + 1);
  return part;
}

// "report.{form}" takes "report.json" and has "json".
bool takes(std::string_view pattern, const std::string& part, std::vector<std::string>& values) {
  const std::size_t open = pattern.find('{');
  if (open == std::string_view::npos) return pattern == part;
  if (part.size() <= open || !part.starts_with(pattern.substr(0, open))) return false;
  values.push_back(part.substr(open));
  return true;
}

bool fits(std::string_view pattern, const std::vector<std::string>& parts,
          std::vector<std::string>& values) {
  pattern.remove_prefix(1);
  for (const std::string& part : parts) {
    if (pattern.empty() || !takes(next_part(pattern), part, values)) return false;
  }
  return pattern.empty();
}

}  // namespace

std::span<const RouteSpec> routes() {
  static const std::vector<RouteSpec> table = {
      {Route::page, "GET", "/", Needs::nothing, "The dashboard's page", "text/html; charset=utf-8",
       ""},
      {Route::health, "GET", "/healthz", Needs::nothing,
       "Is the server up, and can it read the database? 503 if not", kJson, "Health"},
      {Route::metrics, "GET", "/metrics", Needs::token_if_set, "Metrics for Prometheus",
       "text/plain; version=0.0.4; charset=utf-8", ""},
      {Route::openapi, "GET", "/openapi.json", Needs::nothing, "This document", kJson, ""},
      {Route::studies,
       "GET",
       "/api/v1/studies",
       Needs::token_if_set,
       "Studies, newest first",
       kJson,
       "Studies",
       {{"limit", "integer", "At most so many; 100 if not said, 1000 at most"},
        {"before", "string", "Go on after this study: `next` of the answer before"}}},
      {Route::start,
       "POST",
       "/api/v1/studies",
       Needs::token,
       "Start a study of a plan in the folder of `serve --plans`",
       kJson,
       "Done",
       {},
       "Start",
       202},
      {Route::study, "GET", "/api/v1/studies/{id}", Needs::token_if_set,
       "A study: its points so far, what runs, what happened last", kJson, "StudyDetail"},
      {Route::events, "GET", "/api/v1/studies/{id}/events", Needs::token_if_set,
       "The same as an event stream: at once and after every change, until the study is over",
       "text/event-stream", ""},
      {Route::report, "GET", "/api/v1/studies/{id}/report.{form}", Needs::token_if_set,
       "The report to keep, as json, html, md or csv", "application/octet-stream", ""},
      {Route::runs,
       "GET",
       "/api/v1/studies/{id}/runs",
       Needs::token_if_set,
       "The runs of a study by number",
       kJson,
       "Runs",
       {{"limit", "integer", "At most so many; 1000 if not said, 10000 at most"},
        {"after", "integer", "Go on after this run: `next` of the answer before"}}},
      {Route::run, "GET", "/api/v1/studies/{id}/runs/{n}", Needs::token_if_set,
       "The story of a run, as `kneepoint explain --json` tells it", kJson, ""},
      {Route::log,
       "GET",
       "/api/v1/studies/{id}/runs/{n}/log",
       Needs::token_if_set,
       "The last lines that a run printed",
       "text/plain; charset=utf-8",
       "",
       {{"tail", "integer", "So many lines; 200 if not said, 10000 at most"},
        {"stream", "string", "stdout (if not said) or stderr"}}},
      {Route::cancel,
       "POST",
       "/api/v1/studies/{id}/cancel",
       Needs::token,
       "Stop a study and its jobs",
       kJson,
       "Done",
       {},
       "",
       202},
      {Route::resume,
       "POST",
       "/api/v1/studies/{id}/resume",
       Needs::token,
       "Go on with a study by its stored plan and site",
       kJson,
       "Done",
       {},
       "",
       202},
      {Route::series_list, "GET", "/api/v1/series", Needs::token_if_set,
       "Series of studies, the newest first, with the gate's last verdict", kJson, "SeriesList"},
      {Route::series, "GET", "/api/v1/series/{id}", Needs::token_if_set,
       "The nights of a series: T of every point, verdicts, changes of level", kJson, "Series"},
      {Route::compare,
       "GET",
       "/api/v1/compare",
       Needs::token_if_set,
       "Two or more studies against the first, as `kneepoint compare --json` says it",
       kJson,
       "",
       {{"study", "strings", "Ids of the studies, two or more", true}}},
  };
  return table;
}

RouteMatch match_route(std::string_view method, const std::vector<std::string>& parts) {
  RouteMatch match;
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const RouteSpec& spec : routes()) {
    std::vector<std::string> values;
    if (!fits(spec.pattern, parts, values)) continue;
    match.allow += (match.allow.empty() ? "" : ", ") + std::string(spec.method);
    if (spec.method == "GET") match.allow += ", HEAD";
    if (spec.method != wanted) continue;
    match.spec = &spec;
    match.values = std::move(values);
  }
  return match;
}

}  // namespace kneepoint

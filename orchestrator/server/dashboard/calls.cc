// SPDX-License-Identifier: Apache-2.0
//
// The one table of what the dashboard answers to, and the function behind each call.
#include <algorithm>
#include <charconv>
#include <limits>

#include "orchestrator/server/dashboard/api.h"
#include "orchestrator/server/dashboard/dashboard.h"

namespace kneepoint {
namespace {

constexpr int kMostSeries = 100;
constexpr Nanoseconds kVerdictTime = kSecond;  // for one list of series
constexpr int kAnyInt = std::numeric_limits<int>::max();

constexpr char kJsonType[] = "application/json";
constexpr char kHtmlType[] = "text/html; charset=utf-8";
constexpr char kTextType[] = "text/plain; charset=utf-8";
constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

struct ReportForm {
  const char* name;
  const char* type;
};
constexpr ReportForm kForms[] = {{"json", kJsonType},
                                 {"html", kHtmlType},
                                 {"md", "text/markdown; charset=utf-8"},
                                 {"csv", "text/csv; charset=utf-8"}};

WebAnswer text_answer(std::string body, std::string type = kJsonType) {
  WebAnswer answer;
  answer.reply.type = std::move(type);
  answer.reply.body = std::move(body);
  return answer;
}

template <typename T>
WebAnswer json_answer(const T& object) {
  return text_answer(json_text(object) + "\n");
}

std::string last_lines(const std::string& text, int lines) {
  std::size_t at = text.size();
  if (at > 0 && text[at - 1] == '\n') --at;
  for (; lines > 0 && at > 0; --lines) {
    at = text.rfind('\n', at - 1);
    if (at == std::string::npos) return text;
  }
  return lines > 0 ? text : text.substr(at == text.size() ? at : at + 1);
}

Result<int> whole_number(const std::string& text, int least, int most) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end && number >= least) return std::min(number, most);
  return Error{ErrorCode::invalid, "expected a whole number of at least " + std::to_string(least)};
}

Result<int> run_number(const Call& call) {
  const auto number = whole_number(call.values[1], 1, kAnyInt);
  if (number) return number;
  return Error{ErrorCode::not_found, "a run is a number: /runs/17"};
}

// One row more than a page holds was asked for: it is where the next page begins.
template <typename Row, typename Next, typename Key>
void cut_page(std::vector<Row>& rows, int most, std::optional<Next>& next, Key key) {
  if (rows.size() <= static_cast<std::size_t>(most)) return;
  rows.resize(static_cast<std::size_t>(most));
  next = rows.back().*key;
}

Result<WebAnswer> get_page(DashboardState& state, const Call&) {
  WebAnswer answer = text_answer(state.page, kHtmlType);
  answer.reply.policy = state.page_policy;
  return answer;
}

Result<WebAnswer> get_health(DashboardState&, const Call& call) {
  const bool is_up = call.view.data_version().has_value();
  Health health;
  health.status = is_up ? "ok" : "unavailable";
  health.version = KNEEPOINT_VERSION;
  WebAnswer answer = json_answer(health);
  if (!is_up) answer.reply.status = 503;
  return answer;
}

Result<WebAnswer> get_metrics(DashboardState& state, const Call&) {
  TRY_ASSIGN(std::string text,
             state.metrics.text(state.stats ? state.stats() : WebStats{}, state.wrong_tokens));
  return text_answer(std::move(text), kMetricsType);
}

Result<WebAnswer> get_openapi(DashboardState&, const Call&) {
  return text_answer(openapi_json());
}

Result<WebAnswer> get_studies(DashboardState& state, const Call& call) {
  TRY_ASSIGN(const int limit, call.number("limit", 100, 1, 1000));
  TRY_ASSIGN(auto found, call.view.studies(limit + 1, call.target.value("before").value_or("")));
  StudiesPage page;
  for (StudyLine& line : found) {
    const bool live = line.lease && state.hooks.is_live(*line.lease);
    page.studies.push_back({std::move(line), live, ""});
  }
  cut_page(page.studies, limit, page.next, &ApiStudy::id);
  return json_answer(page);
}

Result<WebAnswer> get_study(DashboardState& state, const Call& call) {
  TRY_ASSIGN(std::string json, state.watch->json(call.values[0]));
  return text_answer(std::move(json));
}

Result<WebAnswer> get_events(DashboardState& state, const Call& call) {
  WebAnswer answer = text_answer("", "text/event-stream");
  TRY_ASSIGN(answer.stream, state.watch->frame(call.values[0]));
  answer.reply.headers.emplace_back("X-Accel-Buffering", "no");
  return answer;
}

Result<WebAnswer> get_report(DashboardState& state, const Call& call) {
  TRY_ASSIGN(const StudyLine line, call.study());
  const std::string& form = call.values[1];
  for (const ReportForm& known : kForms) {
    if (form != known.name) continue;
    TRY_ASSIGN(std::string text, state.hooks.report(line.id, form));
    WebAnswer answer = text_answer(std::move(text), known.type);
    answer.reply.policy += "; sandbox";
    answer.reply.headers.emplace_back("Content-Disposition",
                                      "attachment; filename=\"" + line.id + "." + form + "\"");
    return answer;
  }
  return Error{ErrorCode::not_found, "a report is .json, .html, .md or .csv"};
}

Result<WebAnswer> get_runs(DashboardState&, const Call& call) {
  TRY_ASSIGN(const int limit, call.number("limit", 1000, 1, 10000));
  TRY_ASSIGN(const int after, call.number("after", 0, 0, kAnyInt));
  TRY_ASSIGN(const StudyLine line, call.study());
  RunsPage page;
  TRY_ASSIGN(page.runs, call.view.runs(line.row, after, limit + 1));
  cut_page(page.runs, limit, page.next, &RunLine::run);
  return json_answer(page);
}

Result<WebAnswer> get_run(DashboardState& state, const Call& call) {
  TRY_ASSIGN(const int number, run_number(call));
  TRY_ASSIGN(const StudyLine line, call.study());
  TRY_ASSIGN(std::string story, state.hooks.story(line.id, number));
  return text_answer(std::move(story));
}

Result<WebAnswer> get_log(DashboardState& state, const Call& call) {
  TRY_ASSIGN(const int number, run_number(call));
  TRY_ASSIGN(const StudyLine line, call.study());
  TRY_ASSIGN(const int tail, call.number("tail", 200, 1, 10000));
  const std::string stream = call.target.value("stream").value_or("stdout");
  if (stream != "stdout" && stream != "stderr") {
    return Error{ErrorCode::invalid, "stream: expected stdout or stderr"};
  }
  TRY_ASSIGN(const std::string text, state.hooks.log(line.id, number, stream));
  return text_answer(last_lines(text, tail), kTextType);
}

// Judged once for each newest study; null when there is no time for it now.
std::optional<std::string> verdict_of(DashboardState& state, const SeriesLine& series,
                                      bool has_time) {
  const std::string key = series.newest + " " + series.state;
  {
    const std::lock_guard lock(state.mutex);
    const auto known = state.verdicts.find(series.id());
    if (known != state.verdicts.end() && known->second.first == key) return known->second.second;
  }
  if (!has_time) return std::nullopt;
  const auto verdict = state.hooks.verdict(series);
  if (!verdict) return std::nullopt;
  const std::lock_guard lock(state.mutex);
  state.verdicts[series.id()] = {key, *verdict};
  return *verdict;
}

Result<WebAnswer> get_series_list(DashboardState& state, const Call& call) {
  TRY_ASSIGN(auto found, call.view.series(kMostSeries));
  const Nanoseconds until = state.clock.steady() + kVerdictTime;
  SeriesList list;
  for (SeriesLine& one : found) {
    auto verdict = verdict_of(state, one, state.clock.steady() < until);
    list.series.push_back({std::move(one), std::move(verdict)});
  }
  return json_answer(list);
}

Result<WebAnswer> get_series(DashboardState& state, const Call& call) {
  TRY_ASSIGN(const SeriesLine line, call.view.series_of(call.values[0]));
  TRY_ASSIGN(std::string nights, state.hooks.series(line));
  return text_answer(std::move(nights));
}

Result<WebAnswer> get_compare(DashboardState& state, const Call& call) {
  std::vector<std::string> ids;
  for (const std::string& word : call.target.values("study")) {
    TRY_ASSIGN(const StudyLine line, call.view.study(word));
    ids.push_back(line.id);
  }
  if (ids.size() < 2) return Error{ErrorCode::invalid, "expected ?study=A&study=B"};
  TRY_ASSIGN(std::string comparison, state.hooks.compare(ids));
  return text_answer(std::move(comparison));
}

Result<WebAnswer> post_start(DashboardState& state, const Call& call) {
  TRY_ASSIGN(const StartRequest request, read_start_request(call.request.body));
  TRY_ASSIGN(const ActionDone done, state.hooks.start(request));
  return json_answer(done);
}

Result<WebAnswer> post_cancel(DashboardState& state, const Call& call) {
  TRY_ASSIGN(const StudyLine line, call.study());
  TRY_ASSIGN(const ActionDone done, state.hooks.cancel(line));
  return json_answer(done);
}

Result<WebAnswer> post_resume(DashboardState& state, const Call& call) {
  TRY_ASSIGN(const StudyLine line, call.study());
  TRY_ASSIGN(const ActionDone done, state.hooks.resume(line));
  return json_answer(done);
}

}  // namespace

Result<int> Call::number(const char* name, int otherwise, int least, int most) const {
  const auto text = target.value(name);
  if (!text) return otherwise;
  const auto number = whole_number(*text, least, most);
  if (!number) return number.error().in(name);
  return number;
}

std::span<const RouteSpec> routes() {
  constexpr Needs kAnybody = Needs::nothing, kReader = Needs::token_if_set, kActor = Needs::token;
  constexpr Takes kQuick = Takes::moments, kLong = Takes::long_time;
  const std::vector<RouteQuery> studies = {
      {"limit", QueryType::whole, "At most so many; 100 if not said, 1000 at most"},
      {"before", QueryType::text, "Go on after this study: `next` of the answer before"}};
  const std::vector<RouteQuery> runs = {
      {"limit", QueryType::whole, "At most so many; 1000 if not said, 10000 at most"},
      {"after", QueryType::whole, "Go on after this run: `next` of the answer before"}};
  const std::vector<RouteQuery> log = {
      {"tail", QueryType::whole, "So many lines; 200 if not said, 10000 at most"},
      {"stream", QueryType::text, "stdout (if not said) or stderr"}};
  const std::vector<RouteQuery> compared = {
      {"study", QueryType::texts, "Ids of the studies, two or more", true}};
  static const std::vector<RouteSpec> table = {
      {"GET", "/", kAnybody, "The dashboard's page", get_page, "", kHtmlType},
      {"GET", "/healthz", kAnybody, "Is the server up, and can it read the database? 503 if not",
       get_health, "Health"},
      {"GET", "/metrics", kReader, "Metrics for Prometheus", get_metrics, "", kMetricsType},
      {"GET", "/openapi.json", kAnybody, "This document", get_openapi, ""},
      {"GET", "/api/v1/studies", kReader, "Studies, newest first", get_studies, "Studies",
       kJsonType, kQuick, studies},
      {"POST",
       "/api/v1/studies",
       kActor,
       "Start a study of a plan in the folder of `serve --plans`",
       post_start,
       "Done",
       kJsonType,
       kLong,
       {},
       "Start"},
      {"GET", "/api/v1/studies/{id}", kReader,
       "A study: its points so far, what runs, what happened last", get_study, "StudyDetail"},
      {"GET", "/api/v1/studies/{id}/events", kReader,
       "The same as an event stream: at once and after every change, until the study is over",
       get_events, "", "text/event-stream"},
      {"GET", "/api/v1/studies/{id}/report.{form}", kReader,
       "The report to keep, as json, html, md or csv", get_report, "", "application/octet-stream",
       kLong},
      {"GET", "/api/v1/studies/{id}/runs", kReader, "The runs of a study by number", get_runs,
       "Runs", kJsonType, kQuick, runs},
      {"GET", "/api/v1/studies/{id}/runs/{n}", kReader,
       "The story of a run, as `kneepoint explain --json` tells it", get_run, "Story"},
      {"GET", "/api/v1/studies/{id}/runs/{n}/log", kReader, "The last lines that a run printed",
       get_log, "", kTextType, kQuick, log},
      {"POST", "/api/v1/studies/{id}/cancel", kActor, "Stop a study and its jobs", post_cancel,
       "Done", kJsonType, kLong},
      {"POST", "/api/v1/studies/{id}/resume", kActor,
       "Go on with a study by its stored plan and site", post_resume, "Done", kJsonType, kLong},
      {"GET", "/api/v1/series", kReader,
       "Series of studies, the newest first, with the gate's last verdict", get_series_list,
       "SeriesList", kJsonType, kLong},
      {"GET", "/api/v1/series/{id}", kReader,
       "The nights of a series: T of every point, verdicts, changes of level", get_series, "Series",
       kJsonType, kLong},
      {"GET", "/api/v1/compare", kReader,
       "Two or more studies against the first, as `kneepoint compare --json` says it", get_compare,
       "Comparison", kJsonType, kLong, compared},
  };
  return table;
}

}  // namespace kneepoint

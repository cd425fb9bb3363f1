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

constexpr char kHtmlType[] = "text/html; charset=utf-8";
constexpr char kTextType[] = "text/plain; charset=utf-8";
constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

struct ReportForm {
  const char* name;
  const char* type;
};
constexpr ReportForm kForms[] = {{"json", "application/json"},
                                 {"html", kHtmlType},
                                 {"md", "text/markdown; charset=utf-8"},
                                 {"csv", "text/csv; charset=utf-8"}};

WebAnswer text_answer(std::string body, std::string type = "application/json") {
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

}  // namespace

std::span<const RouteSpec> routes() {
  using D = Dashboard;
  constexpr Needs kAnybody = Needs::nothing, kReader = Needs::token_if_set, kActor = Needs::token;
  static const std::vector<RouteSpec> table = {
      {"GET", "/", kAnybody, "The dashboard's page", &D::page, "", kHtmlType},
      {"GET", "/healthz", kAnybody, "Is the server up, and can it read the database? 503 if not",
       &D::health, "Health"},
      {"GET", "/metrics", kReader, "Metrics for Prometheus", &D::metrics, "", kMetricsType},
      {"GET", "/openapi.json", kAnybody, "This document", &D::openapi, ""},
      {.method = "GET",
       .pattern = "/api/v1/studies",
       .needs = kReader,
       .summary = "Studies, newest first",
       .answer = &D::studies,
       .schema = "Studies",
       .query = {{"limit", QueryType::whole, "At most so many; 100 if not said, 1000 at most"},
                 {"before", QueryType::text,
                  "Go on after this study: `next` of the answer before"}}},
      {.method = "POST",
       .pattern = "/api/v1/studies",
       .needs = kActor,
       .summary = "Start a study of a plan in the folder of `serve --plans`",
       .answer = &D::start,
       .schema = "Done",
       .body = "Start",
       .is_long = true},
      {"GET", "/api/v1/studies/{id}", kReader,
       "A study: its points so far, what runs, what happened last", &D::study, "StudyDetail"},
      {"GET", "/api/v1/studies/{id}/events", kReader,
       "The same as an event stream: at once and after every change, until the study is over",
       &D::events, "", "text/event-stream"},
      {.method = "GET",
       .pattern = "/api/v1/studies/{id}/report.{form}",
       .needs = kReader,
       .summary = "The report to keep, as json, html, md or csv",
       .answer = &D::report,
       .type = "application/octet-stream",
       .is_long = true},
      {.method = "GET",
       .pattern = "/api/v1/studies/{id}/runs",
       .needs = kReader,
       .summary = "The runs of a study by number",
       .answer = &D::runs,
       .schema = "Runs",
       .query = {{"limit", QueryType::whole, "At most so many; 1000 if not said, 10000 at most"},
                 {"after", QueryType::whole, "Go on after this run: `next` of the answer before"}}},
      {"GET", "/api/v1/studies/{id}/runs/{n}", kReader,
       "The story of a run, as `kneepoint explain --json` tells it", &D::run, "Story"},
      {.method = "GET",
       .pattern = "/api/v1/studies/{id}/runs/{n}/log",
       .needs = kReader,
       .summary = "The last lines that a run printed",
       .answer = &D::log,
       .type = kTextType,
       .query = {{"tail", QueryType::whole, "So many lines; 200 if not said, 10000 at most"},
                 {"stream", QueryType::text, "stdout (if not said) or stderr"}}},
      {.method = "POST",
       .pattern = "/api/v1/studies/{id}/cancel",
       .needs = kActor,
       .summary = "Stop a study and its jobs",
       .answer = &D::cancel,
       .schema = "Done",
       .is_long = true},
      {.method = "POST",
       .pattern = "/api/v1/studies/{id}/resume",
       .needs = kActor,
       .summary = "Go on with a study by its stored plan and site",
       .answer = &D::resume,
       .schema = "Done",
       .is_long = true},
      {.method = "GET",
       .pattern = "/api/v1/series",
       .needs = kReader,
       .summary = "Series of studies, the newest first, with the gate's last verdict",
       .answer = &D::series_list,
       .schema = "SeriesList",
       .is_long = true},
      {.method = "GET",
       .pattern = "/api/v1/series/{id}",
       .needs = kReader,
       .summary = "The nights of a series: T of every point, verdicts, changes of level",
       .answer = &D::series,
       .schema = "Series",
       .is_long = true},
      {.method = "GET",
       .pattern = "/api/v1/compare",
       .needs = kReader,
       .summary = "Two or more studies against the first, as `kneepoint compare --json` says it",
       .answer = &D::compare,
       .schema = "Comparison",
       .query = {{"study", QueryType::texts, "Ids of the studies, two or more", true}},
       .is_long = true},
  };
  return table;
}

Result<int> Call::number(const char* name, int otherwise, int least, int most) const {
  const auto text = target.value(name);
  if (!text) return otherwise;
  const auto number = whole_number(*text, least, most);
  if (!number) return number.error().in(name);
  return number;
}

Result<WebAnswer> Dashboard::page(const Call&) {
  WebAnswer answer = text_answer(page_, kHtmlType);
  answer.reply.policy = page_policy(page_);
  return answer;
}

Result<WebAnswer> Dashboard::health(const Call& call) {
  const bool is_up = call.view.data_version().has_value();
  Health health;
  health.status = is_up ? "ok" : "unavailable";
  health.version = KNEEPOINT_VERSION;
  WebAnswer answer = json_answer(health);
  if (!is_up) answer.reply.status = 503;
  return answer;
}

Result<WebAnswer> Dashboard::metrics(const Call&) {
  TRY_ASSIGN(std::string text, metrics_.text(stats_ ? stats_() : WebStats{}, wrong_tokens_));
  return text_answer(std::move(text), kMetricsType);
}

Result<WebAnswer> Dashboard::openapi(const Call&) {
  return text_answer(openapi_json());
}

Result<WebAnswer> Dashboard::studies(const Call& call) {
  TRY_ASSIGN(const int limit, call.number("limit", 100, 1, 1000));
  TRY_ASSIGN(auto found, call.view.studies(limit + 1, call.target.value("before").value_or("")));
  StudiesPage page;
  for (StudyLine& line : found) {
    const bool live = is_live(line);
    page.studies.push_back({std::move(line), live, ""});
  }
  cut_page(page.studies, limit, page.next, &ApiStudy::id);
  return json_answer(page);
}

Result<WebAnswer> Dashboard::study(const Call& call) {
  TRY_ASSIGN(std::string json, watch_->json(call.values[0]));
  return text_answer(std::move(json));
}

Result<WebAnswer> Dashboard::events(const Call& call) {
  WebAnswer answer = text_answer("", "text/event-stream");
  TRY_ASSIGN(answer.stream, watch_->frame(call.values[0]));
  answer.reply.headers.emplace_back("X-Accel-Buffering", "no");
  return answer;
}

Result<WebAnswer> Dashboard::report(const Call& call) {
  TRY_ASSIGN(const StudyLine line, call.study());
  const std::string& form = call.values[1];
  for (const ReportForm& known : kForms) {
    if (form != known.name) continue;
    TRY_ASSIGN(std::string text, hooks_.report(line.id, form));
    WebAnswer answer = text_answer(std::move(text), known.type);
    answer.reply.policy += "; sandbox";
    answer.reply.headers.emplace_back("Content-Disposition",
                                      "attachment; filename=\"" + line.id + "." + form + "\"");
    return answer;
  }
  return Error{ErrorCode::not_found, "a report is .json, .html, .md or .csv"};
}

Result<WebAnswer> Dashboard::runs(const Call& call) {
  TRY_ASSIGN(const int limit, call.number("limit", 1000, 1, 10000));
  TRY_ASSIGN(const int after, call.number("after", 0, 0, kAnyInt));
  TRY_ASSIGN(const StudyLine line, call.study());
  RunsPage page;
  TRY_ASSIGN(page.runs, call.view.runs(line.row, after, limit + 1));
  cut_page(page.runs, limit, page.next, &RunLine::run);
  return json_answer(page);
}

Result<WebAnswer> Dashboard::run(const Call& call) {
  TRY_ASSIGN(const int number, run_number(call));
  TRY_ASSIGN(const StudyLine line, call.study());
  TRY_ASSIGN(std::string story, hooks_.story(line.id, number));
  return text_answer(std::move(story));
}

Result<WebAnswer> Dashboard::log(const Call& call) {
  TRY_ASSIGN(const int number, run_number(call));
  TRY_ASSIGN(const StudyLine line, call.study());
  TRY_ASSIGN(const int tail, call.number("tail", 200, 1, 10000));
  const std::string stream = call.target.value("stream").value_or("stdout");
  if (stream != "stdout" && stream != "stderr") {
    return Error{ErrorCode::invalid, "stream: expected stdout or stderr"};
  }
  TRY_ASSIGN(const std::string text, hooks_.log(line.id, number, stream));
  return text_answer(last_lines(text, tail), kTextType);
}

Result<WebAnswer> Dashboard::series_list(const Call& call) {
  TRY_ASSIGN(auto found, call.view.series(kMostSeries));
  const Nanoseconds until = clock_.steady() + kVerdictTime;
  SeriesList list;
  for (SeriesLine& one : found) {
    auto verdict = verdict_of(one, clock_.steady() < until);
    list.series.push_back({std::move(one), std::move(verdict)});
  }
  return json_answer(list);
}

// Judged once for each newest study; null when there is no time for it now.
std::optional<std::string> Dashboard::verdict_of(const SeriesLine& series, bool has_time) {
  const std::string key = series.newest + " " + series.state;
  {
    const std::lock_guard lock(mutex_);
    const auto known = verdicts_.find(series.id());
    if (known != verdicts_.end() && known->second.first == key) return known->second.second;
  }
  if (!has_time) return std::nullopt;
  const auto verdict = hooks_.verdict(series);
  if (!verdict) return std::nullopt;
  const std::lock_guard lock(mutex_);
  verdicts_[series.id()] = {key, *verdict};
  return *verdict;
}

Result<WebAnswer> Dashboard::series(const Call& call) {
  TRY_ASSIGN(const SeriesLine line, call.view.series_of(call.values[0]));
  TRY_ASSIGN(std::string nights, hooks_.series(line));
  return text_answer(std::move(nights));
}

Result<WebAnswer> Dashboard::compare(const Call& call) {
  std::vector<std::string> ids;
  for (const std::string& word : call.target.values("study")) {
    TRY_ASSIGN(const StudyLine line, call.view.study(word));
    ids.push_back(line.id);
  }
  if (ids.size() < 2) return Error{ErrorCode::invalid, "expected ?study=A&study=B"};
  TRY_ASSIGN(std::string comparison, hooks_.compare(ids));
  return text_answer(std::move(comparison));
}

Result<WebAnswer> Dashboard::start(const Call& call) {
  TRY_ASSIGN(const StartRequest request, read_start_request(call.request.body));
  TRY_ASSIGN(const ActionDone done, hooks_.start(request));
  return json_answer(done);
}

Result<WebAnswer> Dashboard::cancel(const Call& call) {
  TRY_ASSIGN(const StudyLine line, call.study());
  TRY_ASSIGN(const ActionDone done, hooks_.cancel(line));
  return json_answer(done);
}

Result<WebAnswer> Dashboard::resume(const Call& call) {
  TRY_ASSIGN(const StudyLine line, call.study());
  TRY_ASSIGN(const ActionDone done, hooks_.resume(line));
  return json_answer(done);
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Refusals come before a body is read, in this order: host, path, method, token. Each worker has a
// connection of its own; questions that take long are answered only so many at a time.
#include "orchestrator/server/dashboard/dashboard.h"

#include <atomic>
#include <charconv>
#include <mutex>

#include "orchestrator/base/json_put.h"
#include "orchestrator/base/log.h"
#include "orchestrator/server/dashboard/api_schema.h"
#include "orchestrator/server/dashboard/list_json.h"
#include "orchestrator/server/dashboard/metrics_book.h"
#include "orchestrator/server/dashboard/openapi.h"
#include "orchestrator/server/dashboard/routes.h"
#include "orchestrator/server/dashboard/start_request.h"
#include "orchestrator/server/dashboard/study_watch.h"
#include "orchestrator/server/http/target.h"

namespace kneepoint {
namespace {

constexpr int kMostHeavy = 2;  // of the workers
constexpr int kMostSeries = 100;
constexpr Nanoseconds kVerdictTime = kSecond;  // for one list of series
constexpr Nanoseconds kTokenLogEvery = 10 * kSecond;

HttpReply reply_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalid:
    case ErrorCode::unsupported:
      return error_reply(400, error.message);
    case ErrorCode::not_found:
      return error_reply(404, error.message);
    case ErrorCode::exists:
    case ErrorCode::conflict:
      return error_reply(409, error.message);
    case ErrorCode::permission:
      return error_reply(403, error.message);
    case ErrorCode::unavailable:
    case ErrorCode::timeout:
      return error_reply(503, error.message);
    default:
      log_error("", "serve: " + error.message);
      return error_reply(500, "something went wrong here; the server's log says what");
  }
}

HttpReply json_reply(std::string body) {
  HttpReply reply;
  reply.body = std::move(body);
  return reply;
}

// A whole number within bounds; nullopt: it is none.
std::optional<int> number_in(const std::optional<std::string>& text, int otherwise, int least,
                             int most) {
  if (!text) return otherwise;
  int number = 0;
  const char* end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < least) return std::nullopt;
  return std::min(number, most);
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

struct ReportForm {
  const char* name;
  const char* type;
};
constexpr ReportForm kForms[] = {{"json", "application/json"},
                                 {"html", "text/html; charset=utf-8"},
                                 {"md", "text/markdown; charset=utf-8"},
                                 {"csv", "text/csv; charset=utf-8"}};

class Serving final : public Dashboard {
 public:
  Serving(const DashboardOptions& options, DashboardHooks& hooks, const Clock& clock,
          std::unique_ptr<StudyWatch> watch, std::vector<DashboardView> views)
      : options_(options),
        page_(options.page),
        policy_(page_policy(page_)),
        hooks_(hooks),
        clock_(clock),
        watch_(std::move(watch)),
        metrics_(options.database, *watch_, hooks, clock),
        views_(std::move(views)),
        heavy_limit_(std::max(1, std::min<int>(kMostHeavy, static_cast<int>(views_.size()) - 1))) {}

  void count_with(std::function<WebStats()> stats) override { stats_ = std::move(stats); }

  std::optional<HttpReply> refusal(const IncomingRequest& head) override {
    if (!head.has_host || !is_our_host(head.host, options_.access)) {
      return error_reply(421,
                         "this name is not one of the server's; `serve --allow-host` adds one");
    }
    const auto target = read_target(head.path, head.query);
    if (!target) return error_reply(400, "the path or the query is not understood");
    const RouteMatch match = match_route(head.method, target->parts);
    if (match.spec == nullptr && match.allow.empty()) {
      return error_reply(404, "there is nothing here; /openapi.json lists what there is");
    }
    if (match.spec == nullptr) {
      HttpReply reply = error_reply(405, "not by this method");
      reply.headers.emplace_back("Allow", match.allow);
      return reply;
    }
    return token_refusal(head, match.spec->needs);
  }

  WebAnswer answer(const WebRequest& request, std::size_t worker) override {
    const auto target = read_target(request.head.path, request.head.query);
    const RouteMatch match = match_route(request.head.method, target->parts);
    try {
      if (match.spec->route == Route::events) return stream(match.values[0]);
      HttpReply reply = reply_to(*match.spec, match.values, *target, request, views_[worker]);
      if (reply.status == 200) reply.status = match.spec->status;
      return {std::move(reply), std::nullopt};
    } catch (const std::exception& bug) {  // one question's; the others go on being answered
      return {reply_of(Error{ErrorCode::io, std::string("bug: ") + bug.what()}), std::nullopt};
    }
  }

  std::vector<TopicFrame> look(const std::vector<std::string>& topics) override {
    return watch_->frames(topics);
  }

 private:
  std::optional<HttpReply> token_refusal(const IncomingRequest& head, Needs needs) {
    const bool has_one = !options_.access.token.empty();
    if (needs == Needs::nothing || (needs == Needs::token_if_set && !has_one)) return std::nullopt;
    if (!has_one) {
      return error_reply(403,
                         "actions are off: this server was started without --token-file, so "
                         "nobody may start, cancel or resume a study through it");
    }
    switch (token_state(head.authorization, options_.access)) {
      case TokenState::right:
        return std::nullopt;
      case TokenState::missing:
        return error_reply(401, "expected Authorization: Bearer TOKEN");
      case TokenState::wrong:
        break;
    }
    note_wrong_token();
    return error_reply(401, "the token is not the one of this server");
  }

  // On the loop's thread. A flood of them fills no log.
  void note_wrong_token() {
    const std::uint64_t all = ++wrong_tokens_;
    const Nanoseconds now = clock_.steady();
    if (now < next_token_log_) return;
    next_token_log_ = now + kTokenLogEvery;
    log_warning("", "serve: a request with a wrong token was refused; " + std::to_string(all) +
                        " since the start");
  }

  WebAnswer stream(const std::string& study) {
    auto frame = watch_->frame(study);
    if (!frame) return {reply_of(frame.error()), std::nullopt};
    HttpReply reply;
    reply.type = "text/event-stream";
    reply.headers.emplace_back("X-Accel-Buffering", "no");
    return {std::move(reply), std::move(*frame)};
  }

  HttpReply reply_to(const RouteSpec& spec, const std::vector<std::string>& values,
                     const RequestTarget& target, const WebRequest& request, DashboardView& view) {
    switch (spec.route) {
      case Route::page:
        return page();
      case Route::health:
        return health(view);
      case Route::metrics:
        return metrics();
      case Route::openapi:
        return json_reply(openapi_json());
      case Route::studies:
        return studies(target, view);
      case Route::study:
        return text_reply(watch_->json(values[0]));
      case Route::report:
        return heavy([&] { return report(values[0], values[1], view); });
      case Route::runs:
        return runs(values[0], target, view);
      case Route::run:
      case Route::log:
        return run(spec.route, values, target, view);
      case Route::series_list:
        return heavy([&] { return series_list(view); });
      case Route::series:
        return heavy([&] { return series(values[0], view); });
      case Route::compare:
        return heavy([&] { return compare(target, view); });
      case Route::start:
        return heavy([&] { return start(request.body); });
      case Route::cancel:
      case Route::resume:
        return heavy([&] { return act(spec.route, values[0], view); });
      case Route::events:
        break;  // answered by stream()
    }
    return error_reply(500, "this call has no answer");
  }

  template <typename Answer>
  HttpReply heavy(Answer answer) {
    struct Held {
      explicit Held(std::atomic<int>& all) : count(all), before(all.fetch_add(1)) {}
      ~Held() { count.fetch_sub(1); }
      std::atomic<int>& count;
      const int before;
    };
    const Held held(heavy_);
    if (held.before >= heavy_limit_) {
      HttpReply reply = error_reply(429, "others are being answered; try again in a moment");
      reply.headers.emplace_back("Retry-After", "1");
      return reply;
    }
    return answer();
  }

  static HttpReply text_reply(Result<std::string> text) {
    return text ? json_reply(std::move(text).value()) : reply_of(text.error());
  }

  HttpReply page() const {
    HttpReply reply;
    reply.type = "text/html; charset=utf-8";
    reply.body = page_;
    reply.policy = policy_;
    return reply;
  }

  static HttpReply health(DashboardView& view) {
    const auto version = view.data_version();
    JsonWriter json;
    json.begin_object().put("schema", kApiSchema).put("status", version ? "ok" : "unavailable");
    json.put("version", KNEEPOINT_VERSION).end_object();
    HttpReply reply = json_reply(json.text() + "\n");
    if (!version) reply.status = 503;
    return reply;
  }

  bool is_live(const StudyLine& line) const { return line.lease && hooks_.is_live(*line.lease); }

  HttpReply studies(const RequestTarget& target, DashboardView& view) const {
    const auto limit = number_in(target.value("limit"), 100, 1, 1000);
    if (!limit) return error_reply(400, "limit: expected a whole number of at least 1");
    const auto found = view.studies(*limit + 1, target.value("before").value_or(""));
    if (!found) return reply_of(found.error());
    std::vector<bool> live;
    for (const StudyLine& line : *found) live.push_back(is_live(line));
    return json_reply(studies_json(*found, live, static_cast<std::size_t>(*limit)));
  }

  HttpReply runs(const std::string& study, const RequestTarget& target, DashboardView& view) const {
    const auto limit = number_in(target.value("limit"), 1000, 1, 10000);
    const auto after = number_in(target.value("after"), 0, 0, std::numeric_limits<int>::max());
    if (!limit || !after) return error_reply(400, "limit and after: expected whole numbers");
    const auto line = view.study(study);
    if (!line) return reply_of(line.error());
    const auto found = view.runs(line->row, *after, *limit + 1);
    if (!found) return reply_of(found.error());
    return json_reply(runs_json(*found, static_cast<std::size_t>(*limit)));
  }

  HttpReply run(Route route, const std::vector<std::string>& values, const RequestTarget& target,
                DashboardView& view) const {
    const auto number = number_in(values[1], 0, 1, std::numeric_limits<int>::max());
    if (!number) return error_reply(404, "a run is a number: /runs/17");
    const auto line = view.study(values[0]);
    if (!line) return reply_of(line.error());
    if (route == Route::run) return text_reply(hooks_.story(line->id, *number));
    const auto tail = number_in(target.value("tail"), 200, 1, 10000);
    const std::string stream = target.value("stream").value_or("stdout");
    if (!tail || (stream != "stdout" && stream != "stderr")) {
      return error_reply(400, "tail: expected a whole number; stream: stdout or stderr");
    }
    const auto text = hooks_.log(line->id, *number, stream);
    if (!text) return reply_of(text.error());
    HttpReply reply;
    reply.type = "text/plain; charset=utf-8";
    reply.body = last_lines(*text, *tail);
    return reply;
  }

  HttpReply report(const std::string& study, const std::string& form, DashboardView& view) const {
    const auto line = view.study(study);
    if (!line) return reply_of(line.error());
    for (const ReportForm& known : kForms) {
      if (form != known.name) continue;
      auto text = hooks_.report(line->id, form);
      if (!text) return reply_of(text.error());
      HttpReply reply;
      reply.type = known.type;
      reply.body = std::move(text).value();
      reply.policy += "; sandbox";
      reply.headers.emplace_back("Content-Disposition",
                                 "attachment; filename=\"" + line->id + "." + form + "\"");
      return reply;
    }
    return error_reply(404, "a report is .json, .html, .md or .csv");
  }

  HttpReply series_list(DashboardView& view) {
    const auto found = view.series(kMostSeries);
    if (!found) return reply_of(found.error());
    const Nanoseconds until = clock_.steady() + kVerdictTime;
    JsonWriter json;
    json.begin_object().put("schema", kApiSchema).key("series").begin_array();
    for (const SeriesLine& one : *found) {
      const auto verdict = verdict_of(one, clock_.steady() < until);
      json.begin_object().put("id", one.id()).put("name", one.name).put("studies", one.studies);
      json.put("newest", one.newest).put("verdict", verdict).end_object();
    }
    return json_reply(json.end_array().end_object().text() + "\n");
  }

  // Judged once for each newest study; null when there is no time for it now.
  std::optional<std::string> verdict_of(const SeriesLine& series, bool has_time) {
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

  HttpReply metrics() {
    auto text = metrics_.text(stats_ ? stats_() : WebStats{}, wrong_tokens_);
    if (!text) return reply_of(text.error());
    HttpReply reply;
    reply.type = "text/plain; version=0.0.4; charset=utf-8";
    reply.body = std::move(text).value();
    return reply;
  }

  HttpReply series(const std::string& id, DashboardView& view) const {
    const auto line = view.series_of(id);
    if (!line) return reply_of(line.error());
    return text_reply(hooks_.series(*line));
  }

  HttpReply compare(const RequestTarget& target, DashboardView& view) const {
    std::vector<std::string> ids;
    for (const std::string& word : target.values("study")) {
      const auto line = view.study(word);
      if (!line) return reply_of(line.error());
      ids.push_back(line->id);
    }
    if (ids.size() < 2) return error_reply(400, "expected ?study=A&study=B");
    return text_reply(hooks_.compare(ids));
  }

  static HttpReply done_reply(const Result<ActionDone>& done) {
    if (!done) return reply_of(done.error());
    JsonWriter json;
    json.begin_object().put("schema", kApiSchema).put("study", done->study);
    return json_reply(json.put("message", done->message).end_object().text() + "\n");
  }

  HttpReply start(const std::string& body) {
    const auto request = read_start_request(body);
    return request ? done_reply(hooks_.start(*request)) : reply_of(request.error());
  }

  HttpReply act(Route route, const std::string& study, DashboardView& view) {
    const auto line = view.study(study);
    if (!line) return reply_of(line.error());
    return done_reply(route == Route::cancel ? hooks_.cancel(*line) : hooks_.resume(*line));
  }

  const DashboardOptions options_;
  const std::string page_;
  const std::string policy_;
  DashboardHooks& hooks_;
  const Clock& clock_;
  const std::unique_ptr<StudyWatch> watch_;
  MetricsBook metrics_;
  std::vector<DashboardView> views_;  // one for each worker
  const int heavy_limit_;
  std::atomic<int> heavy_ = 0;
  std::function<WebStats()> stats_;
  std::atomic<std::uint64_t> wrong_tokens_ = 0;
  Nanoseconds next_token_log_ = 0;
  std::mutex mutex_;  // of what follows
  std::map<std::string, std::pair<std::string, std::optional<std::string>>> verdicts_;
};

}  // namespace

Result<std::unique_ptr<Dashboard>> Dashboard::make(const DashboardOptions& options,
                                                   DashboardHooks& hooks, const Clock& clock) {
  std::vector<DashboardView> views;
  for (std::size_t i = 0; i < options.workers; ++i) {
    TRY_ASSIGN(DashboardView view, DashboardView::open(options.database));
    views.push_back(std::move(view));
  }
  TRY_ASSIGN(auto watch, StudyWatch::open(options.database, hooks, clock));
  return std::unique_ptr<Dashboard>(
      std::make_unique<Serving>(options, hooks, clock, std::move(watch), std::move(views)));
}

}  // namespace kneepoint

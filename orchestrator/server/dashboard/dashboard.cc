// SPDX-License-Identifier: Apache-2.0
//
// Refusals come before a body is read, in this order: host, path, method, token. Each worker has a
// connection of its own; calls that take long are answered only so many at a time.
#include "orchestrator/server/dashboard/dashboard.h"

#include <algorithm>

#include "orchestrator/base/log.h"

namespace kneepoint {
namespace {

constexpr int kMostLongCalls = 2;  // of the workers
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

struct Held {
  explicit Held(std::atomic<int>& all) : count(all), before(all.fetch_add(1)) {}
  ~Held() { count.fetch_sub(1); }
  std::atomic<int>& count;
  const int before;
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
      new Dashboard(options, hooks, clock, std::move(watch), std::move(views)));
}

std::optional<HttpReply> Dashboard::refusal(const IncomingRequest& head) {
  if (!head.has_host || !is_our_host(head.host, state_.options.access)) {
    return error_reply(421, "this name is not one of the server's; `serve --allow-host` adds one");
  }
  const auto target = read_target(head.path, head.query);
  if (!target) return error_reply(400, "the path or the query is not understood");
  const RouteMatch match = match_route(head.method, target->parts);
  if (match.spec != nullptr) return token_refusal(head, match.spec->needs);
  if (match.allow.empty()) {
    return error_reply(404, "there is nothing here; /openapi.json lists what there is");
  }
  HttpReply reply = error_reply(405, "not by this method");
  reply.headers.emplace_back("Allow", match.allow);
  return reply;
}

std::optional<HttpReply> Dashboard::token_refusal(const IncomingRequest& head, Needs needs) {
  const bool has_one = !state_.options.access.token.empty();
  if (needs == Needs::nothing || (needs == Needs::token_if_set && !has_one)) return std::nullopt;
  if (!has_one) {
    return error_reply(403,
                       "actions are off: this server was started without --token-file, so nobody "
                       "may start, cancel or resume a study through it");
  }
  switch (token_state(head.authorization, state_.options.access)) {
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
void Dashboard::note_wrong_token() {
  const std::uint64_t all = ++state_.wrong_tokens;
  const Nanoseconds now = state_.clock.steady();
  if (now < next_token_log_) return;
  next_token_log_ = now + kTokenLogEvery;
  log_warning("", "serve: a request with a wrong token was refused; " + std::to_string(all) +
                      " since the start");
}

WebAnswer Dashboard::answer(const WebRequest& request, std::size_t worker) {
  const auto target = read_target(request.head.path, request.head.query);
  const RouteMatch match = match_route(request.head.method, target->parts);
  try {
    auto answer = answer_in_turn(*match.spec, Call{match.values, *target, request, views_[worker]});
    if (!answer) return {reply_of(answer.error()), std::nullopt};
    if (answer->reply.status == 200) answer->reply.status = match.spec->status();
    return std::move(answer).value();
  } catch (const std::exception& bug) {  // one question's; the others go on being answered
    return {reply_of(Error{ErrorCode::io, std::string("bug: ") + bug.what()}), std::nullopt};
  }
}

Result<WebAnswer> Dashboard::answer_in_turn(const RouteSpec& spec, const Call& call) {
  if (spec.takes == Takes::moments) return spec.answer(state_, call);
  const int most = std::clamp(static_cast<int>(views_.size()) - 1, 1, kMostLongCalls);
  const Held held(long_calls_);
  if (held.before < most) return spec.answer(state_, call);
  HttpReply reply = error_reply(429, "others are being answered; try again in a moment");
  reply.headers.emplace_back("Retry-After", "1");
  return WebAnswer{std::move(reply), std::nullopt};
}

}  // namespace kneepoint

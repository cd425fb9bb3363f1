// SPDX-License-Identifier: Apache-2.0
//
// Write what is to be written, else take a request from what is here, else read more.
#include "orchestrator/server/http/web_connection.h"

#include <sys/socket.h>

#include <utility>

namespace kneepoint {
namespace {

constexpr std::size_t kWebReadAtOnce = 16 << 10;
constexpr std::size_t kMostDrained = 1 << 20;

WebConnection::Turn after(Stream::Status status) {
  switch (status) {
    case Stream::Status::want_write:
      return WebConnection::Turn::want_write;
    case Stream::Status::closed:
      return WebConnection::Turn::closed;
    default:
      return WebConnection::Turn::want_read;
  }
}

}  // namespace

void WebConnection::put(std::string bytes, Nanoseconds now) {
  out_ = std::make_shared<const std::string>(std::move(bytes));
  written_ = 0;
  deadline_ = now + limits_.write;
}

WebConnection::Turn WebConnection::write_some(Nanoseconds now) {
  std::string_view rest = std::string_view(*out_).substr(written_);
  const std::size_t before = rest.size();
  const Stream::Status status = stream_.write(rest);
  written_ = out_->size() - rest.size();
  if (rest.size() < before) deadline_ = now + limits_.write;
  if (status != Stream::Status::done) return after(status);
  out_ = std::exchange(next_, nullptr);
  written_ = 0;
  if (out_) return Turn::waiting;
  if (std::exchange(continuing_, false)) {
    deadline_ = now + limits_.request;
    return Turn::waiting;
  }
  if (is_stream_) {
    if (is_last_) return Turn::closed;
    deadline_ = kNever;
    return Turn::waiting;
  }
  times_.push_back(now - began_);
  began_ = in_.empty() ? 0 : now;
  if (closing_) {
    if (in_.empty() && !has_head_) return Turn::closed;
    ::shutdown(stream_.fd(), SHUT_WR);
    lingering_ = true;
    deadline_ = now + limits_.linger;
  } else {
    deadline_ = now + (in_.empty() ? limits_.idle : limits_.request);
  }
  return Turn::waiting;
}

// Closing a socket that has unread bytes would take the answer back before it is read.
WebConnection::Turn WebConnection::drain() {
  in_.clear();
  const Stream::Status status = stream_.read(in_, kWebReadAtOnce);
  drained_ += in_.size();
  in_.clear();
  if (!is_stream_ && drained_ > kMostDrained) return Turn::closed;
  return after(status);
}

WebConnection::Turn WebConnection::turn(WebApp& app, Nanoseconds now) {
  for (;;) {
    if (out_) {
      const Turn turn = write_some(now);
      if (turn != Turn::waiting) return turn;
      continue;
    }
    if (waiting_) return Turn::waiting;
    if (lingering_ || is_stream_) return drain();
    if (read_request(app, now)) {
      if (waiting_) return Turn::request_ready;
      continue;
    }
    const bool is_first = in_.empty();
    const Stream::Status status = stream_.read(in_, kWebReadAtOnce);
    if (status != Stream::Status::done) return after(status);
    if (is_first && !has_head_) deadline_ = now + limits_.request;
    if (began_ == 0) began_ = now;
  }
}

bool WebConnection::read_request(WebApp& app, Nanoseconds now) {
  if (!has_head_) {
    if (in_.empty()) return false;
    HttpHead head = read_http_head(in_);
    if (head.state == HttpHead::State::unfinished) return false;
    if (head.state == HttpHead::State::refused) {
      closing_ = has_head_ = true;
      refuse(error_reply(head.status, "the request is not understood"), now);
      return true;
    }
    in_.erase(0, head.size);
    request_ = {std::move(head.request), ""};
    std::optional<HttpReply> refused = app.refusal(request_.head);
    if (!refused && request_.head.length > limits_.body) {
      refused = error_reply(
          413, "a request's body is at most " + std::to_string(limits_.body) + " bytes");
    }
    has_head_ = true;
    if (refused) {
      closing_ = request_.head.length > 0 || !request_.head.keep_alive;  // its body is not read
      has_head_ = request_.head.length > 0;
      refuse(*refused, now);
      return true;
    }
    if (request_.head.expects_continue && in_.size() < request_.head.length) {
      put("HTTP/1.1 100 Continue\r\n\r\n", now);
      continuing_ = true;
      return true;
    }
  }
  if (in_.size() < request_.head.length) return false;
  request_.body = in_.substr(0, request_.head.length);
  in_.erase(0, request_.head.length);
  if (in_.empty()) in_.shrink_to_fit();
  has_head_ = false;
  closing_ = !request_.head.keep_alive;
  waiting_ = true;
  deadline_ = kNever;
  return true;
}

WebRequest WebConnection::take_request() {
  return {request_.head, std::exchange(request_.body, {})};
}

void WebConnection::answer(const HttpReply& reply, Nanoseconds now) {
  waiting_ = false;
  put(reply_bytes(reply, {!closing_, request_.head.method == "HEAD", false}), now);
}

void WebConnection::refuse(const HttpReply& reply, Nanoseconds now) {
  refused_ = reply.status;
  answer(reply, now);
}

void WebConnection::open_stream(const HttpReply& reply, const TopicFrame& first, Nanoseconds now) {
  waiting_ = false;
  const bool head_only = request_.head.method == "HEAD";
  is_stream_ = !head_only;
  closing_ = true;
  topic_ = first.topic;
  version_ = first.version;
  is_last_ = first.last;
  put(reply_bytes(reply, {false, true, true}), now);
  if (!head_only) next_ = first.bytes;
}

bool WebConnection::show(const TopicFrame& frame, Nanoseconds now) {
  if (frame.version <= version_ || is_last_) return false;
  version_ = frame.version;
  is_last_ = frame.last;
  if (out_) {
    next_ = frame.bytes;
    return true;
  }
  out_ = frame.bytes;
  written_ = 0;
  deadline_ = now + limits_.write;
  return true;
}

void WebConnection::keep_alive(Nanoseconds now) {
  if (!out_) put(": keep-alive\n\n", now);
}

void WebConnection::give_up(Nanoseconds now) {
  const bool has_begun = has_head_ || !in_.empty();
  if (!has_begun || waiting_ || out_ || lingering_ || is_stream_) return;
  closing_ = has_head_ = true;
  refuse(error_reply(408, "the request took too long"), now);
}

}  // namespace kneepoint

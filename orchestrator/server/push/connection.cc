// SPDX-License-Identifier: Apache-2.0
//
// Write what is to be written, else take a request from what is here, else read more.
#include "orchestrator/server/push/connection.h"

#include <utility>

namespace kneepoint {
namespace {

constexpr std::size_t kReadAtOnce = 16 << 10;

}  // namespace

PushConnection::Turn PushConnection::after(TlsStream::Status status) const {
  switch (status) {
    case TlsStream::Status::want_read:
      return Turn::want_read;
    case TlsStream::Status::want_write:
      return Turn::want_write;
    default:
      return Turn::closed;
  }
}

PushConnection::Turn PushConnection::turn(std::string_view key, Nanoseconds now) {
  for (;;) {
    if (!out_.empty()) {
      std::string_view rest = std::string_view(out_).substr(written_);
      const TlsStream::Status status = stream_.write(rest);
      written_ = out_.size() - rest.size();
      if (status != TlsStream::Status::done) return after(status);
      if (status_ != 0) report_.answers.push_back({status_, now - began_});
      out_.clear();
      written_ = 0;
      if (closing_) return Turn::closed;
      if (status_ != 0) {  // not after "100 Continue"
        status_ = 0;
        began_ = in_.empty() ? 0 : now;
        deadline_ = now + (in_.empty() ? kIdleLimit : kRequestLimit);
      }
      continue;
    }
    if (waiting_) return Turn::waiting;
    if (take_request(key, now)) {
      if (waiting_) return Turn::push_ready;
      continue;
    }
    const TlsStream::Status status = stream_.read(in_, kReadAtOnce);
    if (status != TlsStream::Status::done) return after(status);
    if (began_ == 0) {
      began_ = now;
      deadline_ = now + kRequestLimit;
    }
  }
}

bool PushConnection::take_request(std::string_view key, Nanoseconds now) {
  if (!has_head_) {
    HttpHead head = read_http_head(in_);
    if (head.state == HttpHead::State::unfinished) return false;
    if (head.state == HttpHead::State::refused) {
      closing_ = true;
      answer(head.status, "");
      return true;
    }
    in_.erase(0, head.size);
    request_ = std::move(head.request);
    verdict_ = judge_push(request_, key);
    if (verdict_.status != 0) {
      if (verdict_.wrong_token) report_.wrong_token = verdict_.allocation;
      closing_ = true;  // its body is not read
      answer(verdict_.status, verdict_.why);
      return true;
    }
    has_head_ = true;
    deadline_ = now + kRequestLimit;
    if (request_.expects_continue && in_.size() < request_.length) {
      out_ = "HTTP/1.1 100 Continue\r\n\r\n";
      return true;
    }
  }
  if (in_.size() < request_.length) return false;
  body_ = in_.substr(0, request_.length);
  in_.erase(0, request_.length);
  if (in_.empty()) in_.shrink_to_fit();
  has_head_ = false;
  closing_ = !request_.keep_alive;
  if (const int status = judge_push_body(body_); status != 0) {
    answer(status, "expected whole lines of records");
    return true;
  }
  waiting_ = true;
  return true;
}

Push PushConnection::take_push() {
  return Push{verdict_.allocation, verdict_.attempt, std::exchange(body_, {})};
}

void PushConnection::answer(int status, std::string_view why) {
  out_ = http_answer(status, why, !closing_);
  written_ = 0;
  status_ = status;
  waiting_ = false;
}

void PushConnection::give_up() {
  const bool has_begun = has_head_ || !in_.empty();
  if (!has_begun || waiting_ || !out_.empty()) return;
  closing_ = true;
  answer(408, "the request took too long");
}

PushConnection::TurnReport PushConnection::take_report() {
  return std::exchange(report_, {});
}

}  // namespace kneepoint

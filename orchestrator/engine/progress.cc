// SPDX-License-Identifier: Apache-2.0
//
// Whoever watches learns counts and the time left, by a plain estimate: what the runs of this
// controller took on average. And whether the site answers: a silence begins with the first refusal
// of either kind of call and ends when none is refused.
#include "orchestrator/engine/drive.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kShowEvery = 200 * kMillisecond;

// "r17 succeeded: jacobi strong K=4, 0.312 s"; one line for people and for CI logs.
std::string run_line(int run_number, const Point& point, const Ending& ending, double seconds) {
  std::string text = "r" + std::to_string(run_number) + " " + to_string(ending.state);
  if (ending.reason != Reason::none) text += " (" + std::string(to_string(ending.reason)) + ")";
  const bool named = !point.build.empty() && point.build != kOnlyBuild;
  text += ": " + (named ? point.build + " " : "") + point.case_name + " " + to_string(point.mode) +
          " K=" + std::to_string(point.k);
  if (ending.state == AttemptState::succeeded) {
    text += ", " + to_duration_text(from_seconds(seconds));
  }
  if (!ending.detail.empty()) text += "; " + ending.detail;
  return text;
}

}  // namespace

void ProgressView::ended(int index, const Ending& ending, double seconds,
                         const RetryDecision& decision) {
  if (decision.next == Next::finish) ++ended_here_;
  if (!drive_.options.on_line && !drive_.options.on_progress) return;
  say(run_line(drive_.table.at(index).row.number, drive_.point_of(index), ending, seconds));
}

void ProgressView::say(const std::string& line) {
  last_line_ = line;
  if (drive_.options.on_line) drive_.options.on_line(line);
}

Progress ProgressView::now(const std::string& waiting, const std::string& silence) const {
  RunTable& table = drive_.table;
  Progress p;
  p.study = drive_.row.id;
  p.round = round;
  p.total = table.total();
  p.failed = table.failed();
  p.done = table.succeeded() + table.failed();
  for (const int index : table.active()) {
    ++(table.at(index).active->row.state == AttemptState::running ? p.running : p.queued);
  }
  p.node_seconds = drive_.spending.node_seconds();
  p.money = drive_.spending.text();
  p.elapsed_ns = drive_.clock.steady() - started_;
  if (ended_here_ > 0) p.left_ns = p.elapsed_ns / ended_here_ * (p.total - p.done);
  p.last_line = last_line_;
  p.waiting = p.running == 0 ? (pending_reason.empty() ? waiting : pending_reason) : "";
  if (!silence.empty()) p.waiting = silence;
  return p;
}

void ProgressView::show(const std::string& waiting, const std::string& silence) {
  if (!drive_.options.on_progress || drive_.clock.steady() < next_) return;
  next_ = drive_.clock.steady() + kShowEvery;
  drive_.options.on_progress(now(waiting, silence));
}

void ProgressView::show_last() {
  if (drive_.options.on_progress) drive_.options.on_progress(now("", ""));
}

bool may_pass(const Error& error) {
  return error.retryable || error.code == ErrorCode::timeout ||
         error.code == ErrorCode::unavailable;
}

// A right that was taken away in mid-study, or credentials: whoever gives them back mends it.
bool is_of_the_site(const Error& error) {
  return error.code == ErrorCode::permission;
}

const Error* refused_altogether(const std::vector<Result<JobRef>>& answers) {
  for (const auto& answer : answers) {
    if (answer || may_pass(answer.error())) return nullptr;
    if (answer.error().code == ErrorCode::conflict) return nullptr;  // another name may be free
  }
  return answers.empty() ? nullptr : &answers.front().error();
}

Result<void> Contact::refused(BackOff& back_off, const std::string& why) {
  if (!back_off.is_over(drive_.clock.steady())) return {};
  back_off.refused(drive_.clock.steady());
  const bool is_new = silence_.empty();
  silence_ = why;
  if (!is_new) return {};
  since_ = drive_.clock.steady();
  TRY(drive_.event("silence", why + "; trying again until it works"));
  progress_.say(why + "; trying again until it works. Jobs go on meanwhile");
  return {};
}

Result<void> Contact::answered(BackOff& back_off) {
  back_off.answered();
  if (silence_.empty() || is_silent()) return {};
  silence_.clear();
  const std::string text =
      "it answers again after " + to_duration_text(drive_.clock.steady() - since_) + " of silence";
  TRY(drive_.event("silence", text));
  progress_.say(text);
  return {};
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// Counts and the time left. The estimate is plain: what the runs of this sitting took on average.
#include "orchestrator/engine/progress.h"

#include <algorithm>

namespace kneepoint {
namespace {

constexpr Nanoseconds kShowEvery = 200 * kMillisecond;

}  // namespace

std::string run_line(int run_number, const Point& point, AttemptState state, Reason reason,
                     const std::string& detail, double seconds) {
  std::string text = "r" + std::to_string(run_number) + " " + to_string(state);
  if (reason != Reason::none) text += " (" + std::string(to_string(reason)) + ")";
  const bool named = !point.build.empty() && point.build != "default";
  text += ": " + (named ? point.build + " " : "") + point.case_name + " " + to_string(point.mode) +
          " K=" + std::to_string(point.k);
  if (state == AttemptState::succeeded) text += ", " + to_duration_text(from_seconds(seconds));
  if (!detail.empty()) text += "; " + detail;
  return text;
}

const char* state_after(EngineEnd end) {
  if (end == EngineEnd::finished) return "finished";
  return end == EngineEnd::cancelled ? "cancelled" : "interrupted";
}

ProgressBook::ProgressBook(std::string study, const Clock& clock, const EngineOptions& options)
    : spending(options.price, options.earlier_prices),
      study_(std::move(study)),
      clock_(clock),
      options_(options),
      started_(clock.steady()) {}

void ProgressBook::ended(const RunState& run, const Point& point, AttemptState state, Reason reason,
                         const std::string& detail, double seconds, const RetryDecision& decision) {
  if (decision.next == Next::finish) ++ended_here_;
  if (!options_.on_line && !options_.on_progress) return;
  last_line_ = run_line(run.row.number, point, state, reason, detail, seconds);
  if (options_.on_line) options_.on_line(last_line_);
}

void ProgressBook::say(const std::string& line) {
  last_line_ = line;
  if (options_.on_line) options_.on_line(line);
}

Progress ProgressBook::now(RunTable& table, const Ceilings& ceilings, const std::string& waiting,
                           const std::string& silence) const {
  Progress p;
  p.study = study_;
  p.round = round;
  p.total = table.total();
  p.failed = table.failed();
  p.done = table.succeeded() + table.failed();
  for (const int index : table.active()) {
    ++(table.at(index).active->row.state == AttemptState::running ? p.running : p.queued);
  }
  p.node_seconds = spending.node_seconds();
  p.money = spending.text();
  p.elapsed_ns = clock_.steady() - started_;
  if (ended_here_ > 0 && ceilings.concurrent > 0) {
    p.left_ns = p.elapsed_ns / ended_here_ * (p.total - p.done);
  }
  p.last_line = last_line_;
  p.waiting = p.running == 0 ? (pending_reason.empty() ? waiting : pending_reason) : "";
  if (!silence.empty()) p.waiting = silence;
  return p;
}

void ProgressBook::show(RunTable& table, const Ceilings& ceilings, const std::string& waiting,
                        const std::string& silence) {
  if (!options_.on_progress || clock_.steady() < next_) return;
  next_ = clock_.steady() + kShowEvery;
  options_.on_progress(now(table, ceilings, waiting, silence));
}

void ProgressBook::show_last(RunTable& table, const Ceilings& ceilings) {
  if (options_.on_progress) options_.on_progress(now(table, ceilings, "", ""));
}

}  // namespace kneepoint

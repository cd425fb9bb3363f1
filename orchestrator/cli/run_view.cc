// SPDX-License-Identifier: Apache-2.0
//
// Progress goes to stderr; stdout is for the answer.
#include "orchestrator/cli/run_view.h"

#include <algorithm>
#include <ostream>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/cli/progress_text.h"
#include "orchestrator/report/terminal/live_table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr Nanoseconds kTableEvery = kSecond;
constexpr int kOtherLines = 8;  // of the live view, the empty line and the prompt
constexpr int kFewestTableLines = 4;
constexpr int kTableShare = 20;  // reading it takes at most one part in this many of the time

}  // namespace

RunView::RunView(Session& session, StudyStore& store, RowId study)
    : session_(session), store_(store), study_(study) {
  if (session.err_is_terminal && !session.json) {
    area_ = std::make_unique<LiveArea>(session.err, session.clock, terminal_height);
  }
}

void RunView::attach(EngineOptions& options) {
  options.on_progress = [this](const Progress& progress) { on_progress(progress); };
  options.on_line = [this](const std::string& text) { on_line(text); };
}

void RunView::on_progress(const Progress& progress) {
  last_ = progress;
  if (!area_ || !area_->is_due()) return;
  refresh_table();
  const TerminalStyle style{session_.color(true), session_.width()};
  area_->draw(to_live_text(progress, table_, style));
}

void RunView::on_line(const std::string& text) {
  if (!area_) session_.err << plain(text) << std::endl;
}

void RunView::refresh_table() {
  const Nanoseconds begin = session_.clock.steady();
  if (begin < next_table_) return;
  const auto evidence = store_.evidence(study_);
  if (evidence) {  // a busy database only delays the picture
    const int lines = std::max(kFewestTableLines, terminal_height() - kOtherLines);
    table_ = to_live_table(summarise(*evidence), {session_.color(true), session_.width()}, lines);
  }
  const Nanoseconds end = session_.clock.steady();
  next_table_ = end + std::max(kTableEvery, (end - begin) * kTableShare);
}

void RunView::finish() {
  if (area_) {
    area_->clear();
  } else if (!last_.study.empty()) {
    session_.err << to_summary_line(last_) << std::endl;
  }
}

}  // namespace kneepoint::cli

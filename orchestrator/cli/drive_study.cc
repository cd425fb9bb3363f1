// SPDX-License-Identifier: Apache-2.0
//
// Progress goes to stderr; stdout is for the answer. Every line is cut to the terminal's width: a
// wrapped line would break drawing in place. The engine reads the spool of live reports even when
// nobody listens: an earlier controller may have left some.
#include "orchestrator/cli/running.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <ostream>

#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/terminal/operating.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

// Files that the site names, from where we are.
PushSite with_paths(PushSite push) {
  const std::string here = fs::current_path().string();
  for (std::string* path : {&push.certificate, &push.key, &push.ca}) {
    if (!path->empty()) *path = absolute_path(*path, here);
  }
  return push;
}

std::string advice_for(const Error& error) {
  if (error.code == ErrorCode::unavailable) {
    return "; name another address in `push.listen` of the site, unless a study that runs now has "
           "it. `run` goes on without live reports: records come home all the same";
  }
  if (error.code == ErrorCode::permission && error.message.starts_with("listen on")) {
    return "; ports below 1024 and addresses of others need rights: name another in `push.listen` "
           "of the site";
  }
  return "; mend `push` of the site";
}

constexpr Nanoseconds kTableEvery = kSecond;
constexpr int kOtherLines = 8;  // of the live view, the empty line and the prompt
constexpr int kFewestTableLines = 4;
constexpr int kTableShare = 20;  // reading it takes at most one part in this many of the time
constexpr int kWidestBar = 32;

std::string colored(const std::string& text, const char* code, const TerminalStyle& style) {
  return style.color ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

std::string node_hours(double node_seconds) {
  return number_text(node_seconds / 3600) + " node-hours";
}

// What `run` shows while the engine works: an area drawn in place on a terminal, plain lines
// otherwise. The table of efficiency is read again only so often that it costs little of the time.
class RunView {
 public:
  RunView(Session& session, StudyStore& store, RowId study)
      : session_(session), store_(store), study_(study) {
    if (session.err_is_terminal && !session.json) {
      area_ = std::make_unique<LiveArea>(session.err, session.clock, terminal_height);
    }
  }

  // Puts its callbacks into the engine's options; must outlive the engine's run.

  void attach(EngineOptions& options) {
    options.on_progress = [this](const Progress& progress) { on_progress(progress); };
    options.on_line = [this](const std::string& text) { on_line(text); };
  }

  // After the engine's end: leaves a clean screen, or prints the last line.

  void finish() {
    if (area_) {
      area_->clear();
    } else if (!last_.study.empty()) {
      session_.err << to_summary_line(last_) << std::endl;
    }
  }

 private:
  void on_progress(const Progress& progress) {
    last_ = progress;
    if (!area_ || !area_->is_due()) return;
    refresh_table();
    const TerminalStyle style{session_.color(true), session_.width()};
    area_->draw(to_live_text(progress, table_, style));
  }

  void on_line(const std::string& text) {
    if (!area_) session_.err << plain(text) << std::endl;
  }

  void refresh_table() {
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

  Session& session_;
  StudyStore& store_;
  const RowId study_;
  std::unique_ptr<LiveArea> area_;  // null: plain lines
  Progress last_;
  std::string table_;
  Nanoseconds next_table_ = 0;
};

}  // namespace

LiveReportsTry try_live_reports(const Site& site, const Clock& clock) {
  const auto tried = PushEndpoint::rehearse(with_paths(site.push), clock);
  if (tried) {
    const bool any = site.push.address.empty() && site.push.listen_port == 0;
    return {true, false,
            "agents would push to " + (any ? tried->substr(0, tried->rfind(':')) : *tried) +
                (any ? ", on a port that is free then" : "")};
  }
  return {false, tried.error().code != ErrorCode::unavailable,
          tried.error().message + advice_for(tried.error())};
}

Result<std::unique_ptr<PushEndpoint>> open_live_reports(Session& session, const Site& site,
                                                        const std::string& database,
                                                        const StudyRow& study,
                                                        EngineOptions& options) {
  std::unique_ptr<PushEndpoint> none;
  if (!site.push.on) return none;
  const std::string folder = push_folder(database);
  options.live.spool = push_spool(folder, study.id);
  auto opened = PushEndpoint::open(with_paths(site.push), folder, study.id, session.clock);
  if (!opened && opened.error().code != ErrorCode::unavailable) {
    return opened.error().in("push");
  }
  if (!opened) {
    session.err << "kneepoint: run: no live reports: " << opened.error().message
                << "; records come home all the same\n";
    return none;
  }
  PushEndpoint* endpoint = opened->get();
  options.live.target = [endpoint](const std::string& name) { return endpoint->target(name); };
  options.live.news = [endpoint] { return endpoint->news(); };
  session.err << "live reports: agents push to " << endpoint->url() << std::endl;
  return std::move(opened).value();
}

void forget_live_reports(const std::string& database, const StudyRow& study) {
  std::error_code ignored;
  fs::remove_all(push_spool(push_folder(database), study.id), ignored);
}

std::string to_live_text(const Progress& progress, const std::string& efficiency_table,
                         const TerminalStyle& style) {
  std::string out;
  const auto line = [&](const std::string& text) { out += cut_to_width(text, style.width) + "\n"; };

  line(colored(progress.study, "1", style) +
       (progress.round > 0 ? "  round " + std::to_string(progress.round) : ""));
  std::string failed = std::to_string(progress.failed) + " failed";
  if (progress.failed > 0) failed = colored(failed, "31", style);
  line(bar(progress.done, progress.total, std::clamp(style.width / 3, 8, kWidestBar)) + " " +
       std::to_string(progress.done) + "/" + std::to_string(progress.total) + " done  " +
       std::to_string(progress.running) + " running  " + std::to_string(progress.queued) +
       " queued  " + failed);
  std::string times = to_duration_text(progress.elapsed_ns) + " elapsed";
  if (progress.left_ns >= 0) times += ", about " + to_duration_text(progress.left_ns) + " left";
  line(times + ", " + node_hours(progress.node_seconds) +
       (progress.money.empty() ? "" : ", " + progress.money) + " spent");
  for (std::size_t i = 0; i < efficiency_table.size();) {
    const std::size_t end = std::min(efficiency_table.find('\n', i), efficiency_table.size());
    line(efficiency_table.substr(i, end - i));
    i = end + 1;
  }
  if (!progress.last_line.empty()) line("last: " + plain(progress.last_line));
  if (!progress.waiting.empty()) line("waiting: " + plain(progress.waiting));
  return out;
}

std::string to_summary_line(const Progress& progress) {
  return std::to_string(progress.done) + " of " + counted(progress.total, "run") + " done, " +
         std::to_string(progress.failed) + " failed; " + to_duration_text(progress.elapsed_ns) +
         ", " + node_hours(progress.node_seconds) +
         (progress.money.empty() ? "" : ", " + progress.money);
}

Result<EngineOutcome> drive_study(Session& session, StudyStore& store, const Site& site,
                                  const SiteAccess& access, const Study& study,
                                  const ChosenStudy& chosen, const DriveOptions& drive) {
  TRY_ASSIGN(const HeldLease lease, HeldLease::take(store, chosen.row, session.clock));
  TRY(store.update_study_plan(chosen.row.row, study));
  TRY(stage_inputs(study.plan, chosen.row.work_dir));
  if (chosen.choice == Continuation::reopen) TRY(store.reopen_failed_runs(chosen.row.row));
  session.err << sentence_of(chosen) << std::endl;
  EngineOptions options;
  if (drive.kept) {
    TRY_ASSIGN(const std::string changed,
               change_price(store, chosen.row, *drive.kept, session.clock));
    if (!changed.empty()) session.err << wrap("prices: " + changed, 100, 0);
    TRY_ASSIGN(options.earlier_prices, stored_earlier_prices(store, chosen.row.row));
  }
  if (drive.announce) drive.announce();
  TRY(access.poller->take_signals());
  std::signal(SIGPIPE, SIG_IGN);  // whoever read our lines is gone; the study goes on
  RunView view(session, store, chosen.row.row);
  options.concurrent = drive.concurrent;
  options.lease = lease.lease();
  options.price = drive.price;
  TRY_ASSIGN(auto endpoint, open_live_reports(session, site, drive.database, chosen.row, options));
  view.attach(options);
  auto outcome = run_study(store, chosen.row, study, site, *access.launcher, *access.poller,
                           session.clock, options);
  view.finish();
  endpoint.reset();
  if (!outcome) return outcome.error().in(chosen.row.id);
  if (outcome->end == EngineEnd::finished) forget_live_reports(drive.database, chosen.row);
  return outcome;
}

}  // namespace kneepoint::cli

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/dashboard/controllers.h"

#include <sys/wait.h>

#include <filesystem>

#include "orchestrator/answers/cancel.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/study/report.h"
#include "orchestrator/base/log.h"
#include "orchestrator/io/subprocess.h"
#include "orchestrator/report/html/html.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr Nanoseconds kHookStartLimit = 60 * kSecond;
constexpr std::size_t kLastLogBytes = 2000;
constexpr int kRefused = 2;                       // exit code of `run`: plan or site are invalid
constexpr Nanoseconds kBetweenResumes = kMinute;  // of one study
constexpr int kMostUnattended = 100;

std::string shortened(const std::string& text) {
  return text.size() <= kLastLogBytes ? text : text.substr(text.size() - kLastLogBytes);
}

// Of `run --detach --json`: {"study":"...", ...}.
std::string study_in(const std::string& json) {
  const std::string key = "{\"study\":\"";
  if (!json.starts_with(key)) return "";
  return json.substr(key.size(), json.find('"', key.size()) - key.size());
}

}  // namespace

bool Controllers::is_live(const Lease& lease) const {
  return kneepoint::is_live(lease, context_.clock.wall());
}

Result<std::unique_ptr<StudyStore>> Controllers::open() const {
  return StudyStore::open(context_.database, StudyStore::Access::read_only, context_.clock);
}

Result<std::string> Controllers::report(const std::string& study, const std::string& form) const {
  TRY_ASSIGN(ReportAnswer answer, report_study(context_, {study, {}}));
  const Document document = make_document(std::move(answer));
  std::string text = form == "csv"    ? to_csv(document)
                     : form == "md"   ? to_markdown(document)
                     : form == "html" ? to_html(document)
                                      : to_json(document);
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

Result<std::string> Controllers::story(const std::string& study, int run) const {
  TRY_ASSIGN(const RunStory story, explain(context_, study + "/r" + std::to_string(run)));
  return json_text(story) + "\n";
}

Result<std::string> Controllers::compare(const std::vector<std::string>& studies) const {
  TRY_ASSIGN(const CompareAnswer answer, kneepoint::compare(context_, {.studies = studies}));
  if (!answer.problems.empty()) {
    return Error{ErrorCode::invalid,
                 "a stored price book can't be used:\n" + to_string(answer.problems)};
  }
  return json_text(answer, 2) + "\n";
}

Result<std::string> Controllers::series(const SeriesLine& series) const {
  TRY_ASSIGN(const auto store, open());
  TRY_ASSIGN(SeriesNights nights, series_nights(*store, series, judged_));
  return json_text(SeriesDetail{std::move(nights)}) + "\n";
}

Result<std::optional<std::string>> Controllers::verdict(const SeriesLine& series) const {
  TRY_ASSIGN(const auto store, open());
  return newest_verdict(*store, series);
}

Result<std::string> Controllers::log(const std::string& study, int run,
                                     const std::string& stream) const {
  TRY_ASSIGN(const auto store, open());
  TRY_ASSIGN(const FoundRun found, find_run(*store, study + "/r" + std::to_string(run)));
  TRY_ASSIGN(RunOutput output, read_output(*store, found, 0, stream));
  if (!output.text) return Error{ErrorCode::not_found, output.missing_text()};
  return *std::move(output.text);
}

Result<ActionDone> Controllers::cancel(const StudyLine& study) {
  TRY_ASSIGN(const auto store,
             StudyStore::open(context_.database, StudyStore::Access::read_write, context_.clock));
  TRY_ASSIGN(const StudyRow row, store->find_study(study.id));
  TRY_ASSIGN(const auto asked, ask_to_cancel(*store, row, context_.clock));
  if (!asked) {
    TRY(leave_to_itself("cancel", row));
    return ActionDone{row.id, "nobody works on it; its jobs are being cancelled"};
  }
  if (asked->result == Cancellation::requested) {
    return ActionDone{row.id, "its controller was asked to cancel it"};
  }
  return Error{ErrorCode::conflict, row.id + " is " + row.state + " already"};
}

Result<void> Controllers::leave_to_itself(const char* command, const StudyRow& study) {
  SpawnOptions spawning;
  spawning.argv = {context_.executable, command, study.id, "--db", context_.database};
  spawning.new_session = true;
  std::error_code ignored;
  fs::create_directories(study.work_dir, ignored);
  spawning.output_path = study.work_dir + "/controller.log";
  TRY_ASSIGN(const pid_t pid, spawn(spawning));
  const std::lock_guard lock(mutex_);
  children_.push_back(pid);
  return {};
}

Result<ActionDone> Controllers::resume(const StudyLine& study) {
  if (study.lease && is_live(*study.lease)) {
    return Error{ErrorCode::conflict, study.id + " is being run already"};
  }
  if (study.state == "finished") {
    return Error{ErrorCode::conflict, study.id + " is finished; there is nothing to resume"};
  }
  if (study.backend == "import") {
    return Error{ErrorCode::conflict, study.id + " was imported; there is nothing to resume"};
  }
  TRY_ASSIGN(ActionDone done, start_controller({"run", "--resume", study.id}));
  done.message = done.study + " goes on";
  return done;
}

Result<std::string> Controllers::file_in_plans(const char* what, const std::string& name) const {
  if (plans_.empty()) {
    return Error{ErrorCode::permission,
                 "this server was started without --plans, so it starts no studies"};
  }
  const std::string path = plans_ + "/" + name;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path;
  return Error{ErrorCode::not_found, std::string("there is no ") + what +
                                         " of this name in the "
                                         "folder of --plans"};
}

Result<ActionDone> Controllers::start(const StartRequest& request) {
  std::vector<std::string> words = {"run"};
  TRY_ASSIGN(const std::string plan, file_in_plans("plan", request.plan));
  words.push_back(plan);
  if (!request.site.empty()) {
    TRY_ASSIGN(const std::string site, file_in_plans("site", request.site));
    words.insert(words.end(), {"--site", site});
  }
  words.emplace_back("--new");
  TRY_ASSIGN(ActionDone done, start_controller(words));
  done.message = done.study + " is started";
  if (request.gate) {
    done.message += "; it is judged when it is over";
    const std::lock_guard lock(mutex_);
    to_judge_.push_back(done.study);
  }
  return done;
}

Result<ActionDone> Controllers::start_controller(const std::vector<std::string>& words) {
  SpawnOptions spawning;
  spawning.argv = {context_.executable};
  spawning.argv.insert(spawning.argv.end(), words.begin(), words.end());
  spawning.argv.insert(spawning.argv.end(), {"--detach", "--json", "--db", context_.database});
  TRY_ASSIGN(const Captured captured, run_captured(spawning, kHookStartLimit));
  const std::string study = study_in(captured.output);
  if (captured.exit_code == 0 && !study.empty()) return ActionDone{study, ""};
  const std::string why = shortened(captured.errors.empty() ? captured.output : captured.errors);
  return Error{captured.exit_code == kRefused ? ErrorCode::invalid : ErrorCode::unavailable,
               "the controller did not start: " + why};
}

void Controllers::judge_what_is_over() {
  std::vector<std::string> studies;
  {
    const std::lock_guard lock(mutex_);
    studies = to_judge_;
  }
  if (studies.empty()) return;
  const auto store = open();
  if (!store) return;  // the next time
  for (const std::string& study : studies) {
    const auto row = (*store)->find_study(study);
    if (row && row->state != "finished" && row->state != "cancelled") continue;
    if (row && row->state == "finished") {
      if (const auto judging = leave_to_itself("gate", *row); !judging) {
        log_warning(study, "it could not be judged: " + judging.error().message);
      }
    }
    const std::lock_guard lock(mutex_);
    std::erase(to_judge_, study);
  }
}

void Controllers::reap() {
  const std::lock_guard lock(mutex_);
  std::erase_if(children_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

void Controllers::resume_unattended() {
  auto view = DashboardView::open(context_.database);
  if (!view) return;
  const auto running = view->unattended(kMostUnattended);
  if (!running) return;
  const Nanoseconds now = context_.clock.steady();
  for (const StudyLine& study : *running) {
    if (study.lease && is_live(*study.lease)) continue;
    const auto last = resumed_.find(study.id);
    if (last != resumed_.end() && now - last->second < kBetweenResumes) continue;
    resumed_[study.id] = now;
    const auto done = resume(study);
    if (done) {
      log_info(study.id, "its controller was gone; it goes on");
    } else {
      log_warning(study.id, "it could not be resumed: " + done.error().message);
    }
  }
}

}  // namespace kneepoint

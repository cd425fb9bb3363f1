// SPDX-License-Identifier: Apache-2.0
//
// A heartbeat changes the database every second, and no picture.
#include "orchestrator/server/dashboard/study_watch.h"

#include <algorithm>

#include "orchestrator/base/log.h"
#include "orchestrator/report/answers.h"

namespace kneepoint {
namespace {

constexpr int kEventsShown = 50;
constexpr int kMostActive = 100;
constexpr std::size_t kMostKnown = 64;
constexpr std::size_t kMostWaiting = 5;

std::string changing_text(const StudyDetail& picture, std::int64_t last_event) {
  const ApiStudy& line = picture.study;
  std::string text = line.state + (line.is_live ? " live " : " alone ") +
                     std::to_string(line.runs) + " " + std::to_string(line.succeeded) + " " +
                     std::to_string(line.failed) + " " + std::to_string(last_event);
  for (const ActiveLine& one : picture.active) {
    text += "\n" + std::to_string(one.run) + " " + std::to_string(one.attempt) + " " + one.state +
            " " + std::to_string(one.since_ns) + " " + std::to_string(one.samples) + " " +
            one.nodes + " " + one.waiting;
  }
  return text;
}

std::vector<std::string> waiting_of(const std::vector<ActiveLine>& active) {
  std::vector<std::string> texts;
  for (const ActiveLine& one : active) {
    if (one.waiting.empty() || texts.size() == kMostWaiting) continue;
    if (std::find(texts.begin(), texts.end(), one.waiting) == texts.end()) {
      texts.push_back(one.waiting);
    }
  }
  return texts;
}

StudyCurves curves_of(const StudyEvidence& evidence, double floor) {
  StudyCurves known;
  const StudySummary summary = summarise(evidence);
  const std::vector<std::string> labels = curve_labels(summary);
  bool decided = false;
  for (std::size_t i = 0; i < summary.curves.size(); ++i) {
    const Curve& curve = summary.curves[i];
    ApiCurve& shown = known.curves.emplace_back();
    shown.name = labels[i];
    if (!curve.points.empty()) shown.workload = curve.points.front().point.workload;
    shown.case_name = curve.case_name;
    shown.mode = curve.mode;
    shown.floor = floor;
    shown.recommended_k = summary.to_use[i].k;
    for (const PointSummary& at : curve.points) shown.points.push_back({at});
    decided = decided || shown.recommended_k;
  }
  if (decided) known.headline = headline_of(summary, labels);
  return known;
}

// By how long the runs of each point took, as many at a time as run now; none: nobody works on it,
// or nothing has ended yet.
std::optional<double> seconds_left(const std::vector<PointPace>& paces, std::size_t at_once) {
  double all = 0, left = 0;
  int ended = 0, open = 0;
  for (const PointPace& pace : paces) {
    all += pace.seconds * pace.ended;
    ended += pace.ended;
    open += pace.open;
  }
  if (ended == 0 || open == 0) return std::nullopt;
  for (const PointPace& pace : paces) {
    left += pace.open * (pace.ended > 0 ? pace.seconds : all / ended);
  }
  return left / static_cast<double>(std::max<std::size_t>(1, at_once));
}

std::string stream_text(const std::string& json, bool is_over) {
  return "event: study\ndata: " + json + "\n\n" + (is_over ? "event: end\ndata: {}\n\n" : "");
}

}  // namespace

Result<std::unique_ptr<StudyWatch>> StudyWatch::open(const std::string& database,
                                                     const DashboardHooks& hooks,
                                                     const Clock& clock) {
  TRY_ASSIGN(DashboardView view, DashboardView::open(database));
  TRY_ASSIGN(auto store, StudyStore::open(database, StudyStore::Access::read_only, clock));
  return std::unique_ptr<StudyWatch>(new StudyWatch(std::move(view), std::move(store), hooks));
}

Result<void> StudyWatch::read_curves(Known& known) {
  const ApiStudy& line = known.picture.study;
  const std::string key = std::to_string(line.row) + " " + std::to_string(line.runs) + " " +
                          std::to_string(line.succeeded) + " " + std::to_string(line.failed);
  if (known.curves_key == key) return {};
  TRY_ASSIGN(const StudyEvidence evidence, store_->evidence(line.row));
  known.picture.known = std::make_shared<const StudyCurves>(curves_of(evidence, line.knee_floor));
  known.curves_key = key;
  ++evidence_reads_;
  return {};
}

Result<void> StudyWatch::refresh(const std::string& study, Known& known) {
  TRY_ASSIGN(const std::int64_t data_version, view_.data_version());
  StudyDetail& picture = known.picture;
  ApiStudy& line = picture.study;
  const auto is_live = [&] { return line.lease && hooks_.is_live(*line.lease); };
  const bool was_read = known.data_version >= 0;
  if (was_read && known.data_version == data_version && line.is_live == is_live()) return {};
  TRY_ASSIGN(static_cast<StudyLine&>(line), view_.study(study));
  line.is_live = is_live();
  TRY_ASSIGN(picture.active, view_.active(line.row, kMostActive));
  TRY_ASSIGN(known.last_event, view_.newest_event(line.row, known.last_event));
  known.data_version = data_version;
  const std::string changing = changing_text(picture, known.last_event);
  if (was_read && changing == known.changing) return {};
  TRY(read_curves(known));
  line.headline = picture.known->headline;
  picture.waiting = waiting_of(picture.active);
  TRY_ASSIGN(const std::vector<Event> events, view_.last_events(line.row, kEventsShown));
  picture.events.clear();
  for (const Event& event : events) picture.events.push_back({event});
  picture.seconds_left.reset();
  if (line.is_live) {
    TRY_ASSIGN(const auto paces, view_.paces(line.row));
    const auto running = std::count_if(picture.active.begin(), picture.active.end(),
                                       [](const ActiveLine& a) { return a.state == "running"; });
    picture.seconds_left = seconds_left(paces, static_cast<std::size_t>(running));
  }
  known.changing = changing;
  known.json = json_text(picture);
  const bool is_over = line.is_over() && !line.is_live;
  known.frame = {study, ++last_version_,
                 std::make_shared<const std::string>(stream_text(known.json, is_over)), is_over};
  return {};
}

Result<StudyWatch::Known*> StudyWatch::known(const std::string& study) {
  const auto found = known_.try_emplace(study).first;
  found->second.used = ++uses_;
  if (auto fresh = refresh(study, found->second); !fresh) {
    known_.erase(found);
    return fresh.error();
  }
  if (known_.size() > kMostKnown) {
    const auto oldest = std::min_element(
        known_.begin(), known_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    known_.erase(oldest);
  }
  return &known_.at(study);
}

Result<std::string> StudyWatch::json(const std::string& study) {
  const std::lock_guard lock(mutex_);
  TRY_ASSIGN(const Known* one, known(study));
  return one->json + "\n";
}

Result<TopicFrame> StudyWatch::frame_locked(const std::string& study) {
  TRY_ASSIGN(const Known* one, known(study));
  return one->frame;
}

Result<TopicFrame> StudyWatch::frame(const std::string& study) {
  const std::lock_guard lock(mutex_);
  return frame_locked(study);
}

std::vector<TopicFrame> StudyWatch::frames(const std::vector<std::string>& studies) {
  std::vector<TopicFrame> all;
  const std::lock_guard lock(mutex_);
  for (const std::string& study : studies) {
    const auto frame = frame_locked(study);
    if (frame) {
      all.push_back(*frame);
      continue;
    }
    if (frame.error().code != ErrorCode::not_found) {
      if (frame.error().retryable) continue;  // busy: the next look will tell
      log_warning(study, "its event stream ends: " + frame.error().message);
    }
    all.push_back({study, ++last_version_,
                   std::make_shared<const std::string>("event: end\ndata: {}\n\n"), true});
  }
  return all;
}

Result<std::shared_ptr<const StudyCurves>> StudyWatch::curves(const std::string& study) {
  const std::lock_guard lock(mutex_);
  TRY_ASSIGN(const Known* one, known(study));
  return one->picture.known;
}

std::uint64_t StudyWatch::evidence_reads() const {
  const std::lock_guard lock(mutex_);
  return evidence_reads_;
}

}  // namespace kneepoint

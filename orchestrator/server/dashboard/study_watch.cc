// SPDX-License-Identifier: Apache-2.0
//
// A heartbeat changes the database every second, and no picture.
#include "orchestrator/server/dashboard/study_watch.h"

#include <algorithm>

#include "orchestrator/base/log.h"

namespace kneepoint {
namespace {

constexpr int kEventsShown = 50;
constexpr int kMostActive = 100;
constexpr std::size_t kMostKnown = 64;

std::string changing_text(const StudyPicture& picture, std::int64_t last_event) {
  const StudyLine& line = picture.line;
  std::string text = line.state + (picture.is_live ? " live " : " alone ") +
                     std::to_string(line.runs) + " " + std::to_string(line.succeeded) + " " +
                     std::to_string(line.failed) + " " + std::to_string(last_event);
  for (const ActiveLine& one : picture.active) {
    text += "\n" + std::to_string(one.run) + " " + std::to_string(one.attempt) + " " + one.state +
            " " + std::to_string(one.since_ns) + " " + std::to_string(one.samples) + " " +
            one.nodes + " " + one.waiting;
  }
  return text;
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
  const StudyLine& line = known.picture.line;
  const std::string key = std::to_string(line.row) + " " + std::to_string(line.runs) + " " +
                          std::to_string(line.succeeded) + " " + std::to_string(line.failed);
  if (known.curves_key == key) return {};
  TRY_ASSIGN(const StudyEvidence evidence, store_->evidence(line.row));
  known.picture.curves = std::make_shared<const StudyCurves>(curves_of(evidence));
  known.curves_key = key;
  ++evidence_reads_;
  return {};
}

Result<void> StudyWatch::refresh(const std::string& study, Known& known) {
  TRY_ASSIGN(const std::int64_t data_version, view_.data_version());
  StudyPicture& picture = known.picture;
  const bool was_read = known.data_version >= 0;
  const bool is_live = picture.line.lease && hooks_.is_live(*picture.line.lease);
  if (was_read && known.data_version == data_version && picture.is_live == is_live) return {};
  TRY_ASSIGN(picture.line, view_.study(study));
  picture.is_live = picture.line.lease && hooks_.is_live(*picture.line.lease);
  TRY_ASSIGN(picture.active, view_.active(picture.line.row, kMostActive));
  TRY_ASSIGN(known.last_event, view_.newest_event(picture.line.row, known.last_event));
  known.data_version = data_version;
  const std::string changing = changing_text(picture, known.last_event);
  if (was_read && changing == known.changing) return {};
  TRY(read_curves(known));
  TRY_ASSIGN(picture.events, view_.last_events(picture.line.row, kEventsShown));
  picture.seconds_left.reset();
  if (picture.is_live) {
    TRY_ASSIGN(const auto paces, view_.paces(picture.line.row));
    const auto running = std::count_if(picture.active.begin(), picture.active.end(),
                                       [](const ActiveLine& a) { return a.state == "running"; });
    picture.seconds_left = seconds_left(paces, static_cast<std::size_t>(running));
  }
  known.changing = changing;
  known.json = to_json(picture);
  const bool is_over = picture.line.is_over() && !picture.is_live;
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
  return one->picture.curves;
}

std::uint64_t StudyWatch::evidence_reads() const {
  const std::lock_guard lock(mutex_);
  return evidence_reads_;
}

}  // namespace kneepoint

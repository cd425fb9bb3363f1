// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/gate/history.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostNights = 90;  // change points look at 60, the test at 33
constexpr std::size_t kFewNights = 8;
constexpr std::size_t kMostNames = 3;

class SegmentFinder {
 public:
  SegmentFinder(const SeriesFacts& facts, const StudyEvidence& evidence, const ReadNight& read)
      : facts_(facts), evidence_(evidence), read_(read) {
    for (const AcknowledgedChange& one : facts.acknowledged) acknowledged_.insert(one.study);
  }

  Result<Segment> find() {
    choose_studies();
    TRY(walk_back());
    if (whole_) add_imported();
    std::ranges::reverse(out_.nights);
    if (facts_.baseline) TRY(add_baseline(*facts_.baseline));
    name_older_series();
    return std::move(out_);
  }

 private:
  void note(std::string sentence) { out_.notes.push_back(std::move(sentence)); }

  void choose_studies() {
    std::vector<SeriesStudy> all = facts_.studies;
    std::erase_if(all, [&](const SeriesStudy& one) { return one.n > facts_.tonight.n; });
    for (std::string& sentence : calendar_notes(all)) note(std::move(sentence));
    std::size_t unfinished = 0;
    for (SeriesStudy& one : all) {
      if (one.n == facts_.tonight.n) continue;
      if (one.state != "finished") {
        ++unfinished;
      } else {
        before_.push_back(std::move(one));
      }
    }
    if (unfinished > 0) note(counted(unfinished, "study") + " of the series not finished");
  }

  // From tonight back to where its segment begins.
  Result<void> walk_back() {
    TRY_ASSIGN(GateNight own, read_(facts_.tonight));
    out_.nights.push_back(std::move(own));
    std::size_t left = before_.size();
    if (begins_at(facts_.tonight.id, left)) return {};
    while (left > 0 && out_.nights.size() <= kMostNights) {
      const SeriesStudy& study = before_[left - 1];
      TRY_ASSIGN(GateNight night, read_(study));
      const std::string change = environment_change(night, out_.nights.front());
      if (!change.empty()) {
        began_ = true;
        if (left == before_.size()) {
          out_.changed = change;
        } else {
          note(counted(left, "night") + " before the environment last changed");
        }
        return {};
      }
      out_.nights.push_back(std::move(night));
      --left;
      if (begins_at(study.id, left)) return {};
    }
    whole_ = left == 0;
    return {};
  }

  bool begins_at(const std::string& study, std::size_t left) {
    if (!acknowledged_.contains(study)) return false;
    began_ = true;
    note(counted(left, "night") + " before the change that was acknowledged at " + study);
    return true;
  }

  // Nights of tables are older than the first study of the series.
  void add_imported() {
    const SeriesStudy& first = before_.empty() ? facts_.tonight : before_.front();
    const auto late = std::ranges::count_if(facts_.imported, [&](const ImportedNight& night) {
      return night.order_ns >= first.created_ns;
    });
    int empty = 0;
    for (auto night = facts_.imported.rbegin(); night != facts_.imported.rend(); ++night) {
      if (night->order_ns >= first.created_ns) continue;
      if (out_.nights.size() > kMostNights) break;
      GateNight read = night_of_table(*night, evidence_);
      if (read.points.empty()) {
        ++empty;
        continue;
      }
      read.environment = out_.nights.back().environment;  // a table doesn't say
      out_.nights.push_back(std::move(read));
      ++out_.imported;
    }
    if (late > 0) {
      note(counted(late, "imported night") + " not before the first study of the series");
    }
    if (empty > 0) note(counted(empty, "imported night") + " without a point of this study");
  }

  Result<void> add_baseline(const Baseline& baseline) {
    if (baseline.study == facts_.tonight.id) return {};
    const auto night = std::ranges::find(out_.nights, baseline.study, &GateNight::id);
    if (night != out_.nights.end()) {
      out_.baseline = *night;
      return {};
    }
    const auto study = std::ranges::find(before_, baseline.study, &SeriesStudy::id);
    if (study == before_.end()) {
      note("the baseline " + baseline.study + " is no finished study before this one");
    } else if (began_) {
      note("the baseline " + baseline.study +
           " is of an earlier segment: nothing is compared with it");
    } else {
      TRY_ASSIGN(GateNight far, read_(*study));
      if (environment_change(far, out_.nights.back()).empty()) out_.baseline = std::move(far);
    }
    return {};
  }

  void name_older_series() {
    const std::vector<std::string>& others = facts_.other_series;
    if (out_.nights.size() > kFewNights || began_ || others.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < others.size() && i < kMostNames; ++i) {
      names += (names.empty() ? "" : ", ") + others[i];
    }
    if (others.size() > kMostNames) {
      names += " and " + std::to_string(others.size() - kMostNames) + " more";
    }
    note("other plans or sites of this name are other series, whose nights don't count here: " +
         names);
  }

  const SeriesFacts& facts_;
  const StudyEvidence& evidence_;
  const ReadNight& read_;
  std::set<std::string> acknowledged_;
  std::vector<SeriesStudy> before_;  // finished, by n
  bool whole_ = false;               // the walk came to the first study
  bool began_ = false;               // it came to where the segment begins
  Segment out_;                      // nights newest first until the end
};

Nanoseconds middle_of(std::vector<Nanoseconds> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// The same runs, in whatever order.
bool same_runs(ImportedNight a, ImportedNight b) {
  const auto sort = [](ImportedNight& night) {
    std::ranges::sort(night.times, [](const ImportedTime& x, const ImportedTime& y) {
      return std::tie(x.case_name, x.mode, x.k, x.seconds) <
             std::tie(y.case_name, y.mode, y.k, y.seconds);
    });
  };
  sort(a);
  sort(b);
  return a.build == b.build && a.times == b.times;
}

}  // namespace

Result<Segment> find_segment(const SeriesFacts& facts, const StudyEvidence& evidence,
                             const ReadNight& read) {
  return SegmentFinder(facts, evidence, read).find();
}

std::string environment_change(const GateNight& before, const GateNight& tonight) {
  if (before.environment == tonight.environment) return "";
  const std::vector<std::string> own = what_differs({before.environment, tonight.environment});
  return own.at(0) + " before, " + own.at(1) + " tonight";
}

GateNight night_of_table(const ImportedNight& from, const StudyEvidence& tonight) {
  GateNight night;
  night.id = from.night;
  night.program = from.build;
  for (const PointEvidence& at : tonight.points) {
    const Point& point = at.point;
    const auto is_of_point = [&](const auto& other) {
      return other.case_name == point.case_name && other.mode == point.mode && other.k == point.k;
    };
    if (std::ranges::count_if(tonight.points, is_of_point, &PointEvidence::point) > 1) continue;
    NightTimes times;
    times.key = point.key();
    for (const ImportedTime& time : from.times) {
      if (is_of_point(time)) times.seconds.push_back(time.seconds);
    }
    if (!times.seconds.empty()) night.points.push_back(std::move(times));
  }
  return night;
}

std::vector<std::string> calendar_notes(const std::vector<SeriesStudy>& studies) {
  std::vector<std::string> notes;
  std::vector<Nanoseconds> steps;
  int missing = 0;
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const SeriesStudy& one = studies[i];
    missing += one.n - (i == 0 ? 1 : studies[i - 1].n + 1);
    if (i == 0) continue;
    const SeriesStudy& before = studies[i - 1];
    if (one.created_ns < before.created_ns) {
      notes.push_back("the clock was set back: " + one.id + " was made at " +
                      to_utc_text(one.created_ns) + ", " + before.id + " at " +
                      to_utc_text(before.created_ns) + "; nights go by their numbers");
    } else {
      steps.push_back(one.created_ns - before.created_ns);
    }
  }
  if (missing > 0) {
    notes.push_back(counted(missing, "number") + " of the series without a study here");
  }
  if (steps.size() < kFewNights) return notes;
  const Nanoseconds usual = middle_of(steps);
  const Nanoseconds longest = *std::ranges::max_element(steps);
  const auto close =
      std::ranges::count_if(steps, [&](Nanoseconds step) { return 4 * step < usual; });
  if (longest > 3 * usual && longest > kHour) {
    notes.push_back("nights are missing: up to " + to_duration_text(longest) +
                    " between two of them, where " + to_duration_text(usual) + " is usual");
  }
  if (close > 0 && usual > kHour) {
    notes.push_back(counted(close, "study") +
                    " soon after the one before: they may share its night, but count");
  }
  return notes;
}

Result<void> check_night(const std::string& study, const std::string& backend,
                         bool compares_builds) {
  if (backend == "import") {
    return Error{ErrorCode::invalid, study + " was imported: it is not part of a nightly series"};
  }
  if (compares_builds) {
    return Error{ErrorCode::invalid,
                 study + " compares two builds: it is not part of a nightly series"};
  }
  return {};
}

Result<void> check_baseline(const SeriesStudy& study, int valid_runs) {
  TRY(check_night(study.id, study.backend, false));
  if (study.state == "finished" && valid_runs > 0) return {};
  return Error{ErrorCode::conflict, study.id + " is " + study.state + " with " +
                                        counted(valid_runs, "valid run") +
                                        "; a baseline must be finished"};
}

SortedNights sort_nights(const std::vector<ImportedNight>& table,
                         const std::vector<ImportedNight>& there) {
  SortedNights sorted;
  std::map<std::string, const ImportedNight*> by_name;
  for (const ImportedNight& night : there) by_name.emplace(night.night, &night);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto known = by_name.find(table[i].night);
    if (known == by_name.end()) {
      sorted.fresh.push_back(table[i]);
    } else if (same_runs(table[i], *known->second)) {
      ++sorted.known;
    } else {
      sorted.differing.push_back(i);
    }
  }
  return sorted;
}

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/gate_nights.h"

#include <algorithm>
#include <set>

#include "orchestrator/analysis/gate/history.h"
#include "orchestrator/cli/table.h"

namespace kneepoint::cli {
namespace {

constexpr std::size_t kMostNights = 90;  // change points look at 60, the test at 33
constexpr std::size_t kFewNights = 8;

std::string studies_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " study" : " studies");
}

class NightReader {
 public:
  NightReader(StudyStore& store, const StudyRow& tonight, const StudyEvidence& evidence)
      : store_(store), tonight_(tonight), evidence_(evidence), series_(series_of(tonight)) {}

  Result<NightsRead> read(const std::optional<Baseline>& baseline) {
    TRY(choose_studies());
    TRY(walk_back());
    TRY(add_imported());
    std::reverse(read_.nights.begin(), read_.nights.end());
    if (baseline) TRY(add_baseline(*baseline));
    TRY(name_older_series());
    return std::move(read_);
  }

 private:
  Result<void> choose_studies() {
    TRY_ASSIGN(std::vector<SeriesStudy> all, store_.series_studies(tonight_.name, tonight_.hash8));
    std::erase_if(all, [&](const SeriesStudy& one) { return one.n > tonight_.n; });
    for (std::string& note : calendar_notes(all)) read_.notes.push_back(std::move(note));
    std::size_t unfinished = 0;
    for (SeriesStudy& one : all) {
      if (one.n == tonight_.n) continue;
      if (one.state != "finished") {
        ++unfinished;
      } else {
        before_.push_back(std::move(one));
      }
    }
    if (unfinished > 0) {
      read_.notes.push_back(studies_text(unfinished) + " of the series not finished");
    }
    TRY_ASSIGN(const auto changes, store_.acknowledged(series_));
    for (const AcknowledgedChange& change : changes) acknowledged_.insert(change.study);
    return {};
  }

  // From tonight back to where its segment begins.
  Result<void> walk_back() {
    TRY_ASSIGN(GateNight own, store_.gate_night(tonight_.row));
    read_.nights.push_back(std::move(own));
    std::size_t left = before_.size();
    if (begins_at(tonight_.id, left)) return {};
    while (left > 0 && read_.nights.size() <= kMostNights) {
      const SeriesStudy& study = before_[left - 1];
      TRY_ASSIGN(GateNight night, store_.gate_night(study.row));
      const std::string change = environment_change(night, read_.nights.front());
      if (!change.empty()) {
        if (left == before_.size()) read_.changed = change;
        read_.other_environment = static_cast<int>(left);
        began_ = true;
        if (read_.changed.empty()) {
          read_.notes.push_back(counted(static_cast<long>(left), "night") +
                                " before the environment last changed");
        }
        return {};
      }
      read_.nights.push_back(std::move(night));
      --left;
      if (begins_at(study.id, left)) return {};
    }
    whole_ = left == 0;
    return {};
  }

  bool begins_at(const std::string& study, std::size_t left) {
    if (acknowledged_.count(study) == 0) return false;
    began_ = true;
    read_.notes.push_back(counted(static_cast<long>(left), "night") +
                          " before the change that was acknowledged at " + study);
    return true;
  }

  // Nights of tables are older than the first study of the series.
  Result<void> add_imported() {
    if (!whole_) return {};
    TRY_ASSIGN(std::vector<ImportedNight> imported, store_.imported_nights(series_));
    const Nanoseconds first = before_.empty() ? tonight_.created_ns : before_.front().created_ns;
    const auto late = std::erase_if(
        imported, [&](const ImportedNight& night) { return night.order_ns >= first; });
    if (late > 0) {
      read_.notes.push_back(counted(static_cast<long>(late), "imported night") +
                            " not before the first study of the series");
    }
    std::size_t empty = 0;
    for (auto night = imported.rbegin(); night != imported.rend(); ++night) {
      if (read_.nights.size() > kMostNights) break;
      GateNight read = night_of_table(*night, evidence_);
      if (read.points.empty()) {
        ++empty;
        continue;
      }
      read.environment = read_.nights.back().environment;  // a table doesn't say
      read_.nights.push_back(std::move(read));
      ++read_.imported;
    }
    if (empty > 0) {
      read_.notes.push_back(counted(static_cast<long>(empty), "imported night") +
                            " without a point of this study");
    }
    return {};
  }

  Result<void> add_baseline(const Baseline& baseline) {
    if (baseline.study == tonight_.id) return {};
    const auto night = std::find_if(read_.nights.begin(), read_.nights.end(),
                                    [&](const GateNight& one) { return one.id == baseline.study; });
    if (night != read_.nights.end()) {
      read_.baseline = *night;
      return {};
    }
    const auto study = std::find_if(before_.begin(), before_.end(), [&](const SeriesStudy& one) {
      return one.id == baseline.study;
    });
    if (study == before_.end()) {
      read_.notes.push_back("the baseline " + baseline.study +
                            " is no finished study before this one");
      return {};
    }
    if (began_) {
      read_.notes.push_back("the baseline " + baseline.study +
                            " is of an earlier segment: nothing is held against it");
      return {};
    }
    TRY_ASSIGN(GateNight far, store_.gate_night(study->row));
    if (environment_change(far, read_.nights.back()).empty()) read_.baseline = std::move(far);
    return {};
  }

  Result<void> name_older_series() {
    if (read_.nights.size() > kFewNights || began_) return {};
    TRY_ASSIGN(const auto others, store_.other_series(tonight_.name, tonight_.hash8));
    if (others.empty()) return {};
    std::string names;
    for (std::size_t i = 0; i < others.size() && i < 3; ++i) {
      names += (names.empty() ? "" : ", ") + others[i];
    }
    if (others.size() > 3) names += " and " + std::to_string(others.size() - 3) + " more";
    read_.notes.push_back(
        "other plans or sites of this name are other series, whose nights don't "
        "count here: " +
        names);
    return {};
  }

  StudyStore& store_;
  const StudyRow& tonight_;
  const StudyEvidence& evidence_;
  const std::string series_;
  std::vector<SeriesStudy> before_;  // finished, by n
  std::set<std::string> acknowledged_;
  bool whole_ = false;  // the walk came to the first study
  bool began_ = false;  // it came to where the segment begins
  NightsRead read_;     // nights newest first until the end
};

Nanoseconds middle_of(std::vector<Nanoseconds> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

std::string series_of(const StudyRow& study) {
  return study.name + "-" + study.hash8;
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
  const Nanoseconds longest = *std::max_element(steps.begin(), steps.end());
  const auto close =
      std::count_if(steps.begin(), steps.end(), [&](Nanoseconds step) { return 4 * step < usual; });
  if (longest > 3 * usual && longest > kHour) {
    notes.push_back("nights are missing: up to " + to_duration_text(longest) +
                    " between two of them, where " + to_duration_text(usual) + " is usual");
  }
  if (close > 0 && usual > kHour) {
    notes.push_back(studies_text(static_cast<std::size_t>(close)) +
                    " soon after the one before: they may share its night, but count");
  }
  return notes;
}

Result<NightsRead> read_nights(StudyStore& store, const StudyRow& tonight,
                               const StudyEvidence& evidence,
                               const std::optional<Baseline>& baseline) {
  return NightReader(store, tonight, evidence).read(baseline);
}

}  // namespace kneepoint::cli

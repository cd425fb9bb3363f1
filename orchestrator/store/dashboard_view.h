// SPDX-License-Identifier: Apache-2.0
//
// What a dashboard asks of the database again and again: small rows by few queries, through a
// connection of its own that can't write. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// A study without its texts.
struct StudyLine {
  RowId row = 0;
  std::string id, name, hash8, state, backend, site, worker;
  int n = 1;
  double knee_floor = 0.7;
  Nanoseconds created_ns = 0;
  Nanoseconds updated_ns = 0;  // by the study's row, or its controller's last sign of life
  int runs = 0, succeeded = 0, failed = 0;
  std::optional<Lease> lease;
  KP_DESCRIBED(StudyLine, row, id, name, hash8, n, state, backend, site, worker, knee_floor,
               created_ns, updated_ns, runs, succeeded, failed);

  std::string series() const { return name + "-" + hash8; }
  bool is_over() const { return state == "finished" || state == "cancelled"; }
};

// An attempt that was handed over and has not ended.
struct ActiveLine {
  static constexpr const char* kSchema = "Active";
  int run = 0, attempt = 0;
  std::string state, nodes, waiting;
  Nanoseconds since_ns = 0;  // it runs, else it was submitted; 0: neither yet
  int samples = 0;           // pushed so far

  std::string since() const { return since_ns > 0 ? to_utc_text(since_ns) : ""; }
  static constexpr auto columns() {
    using T = ActiveLine;
    return described(KP_NAMED(run, attempt, state, nodes, waiting, since_ns, samples));
  }
  static constexpr auto fields() {
    using T = ActiveLine;
    return described(KP_NAMED(run, attempt, state), field_or_null("since", &T::since),
                     KP_NAMED(nodes, samples));
  }
};

struct RunLine {
  static constexpr const char* kSchema = "Run";
  int run = 0;
  std::string key;
  int k = 1, repeat = 0;
  std::string state;  // of the newest attempt; planned: another one is to come
  std::optional<double> seconds;
  int attempts = 0;
  KP_DESCRIBED(RunLine, run, key, k, repeat, state, seconds, attempts);
};

struct SeriesLine {
  std::string name, hash8;
  int studies = 0;
  std::string newest;  // id of the study
  std::string state;   // of that study
  KP_DESCRIBED(SeriesLine, name, hash8, studies, newest, state);

  std::string id() const { return name + "-" + hash8; }
};

// How long the runs of a point took from start to end, and how many are still open.
struct PointPace {
  double seconds = 0;  // mean; 0: none has ended well
  int ended = 0, open = 0;
  KP_DESCRIBED(PointPace, seconds, ended, open);
};

class DashboardView {
 public:
  static Result<DashboardView> open(const std::string& path);

  // Differs from the last answer if somebody else has written meanwhile.
  Result<std::int64_t> data_version();

  // Newest first; `before`: the id after which to go on, "" from the top; not_found: no such study.
  Result<std::vector<StudyLine>> studies(int most, const std::string& before);
  Result<StudyLine> study(const std::string& id);
  Result<std::vector<StudyLine>> unattended(int most);  // `running`; their leases are to be judged

  // The last `most` events, oldest first.
  Result<std::vector<Event>> last_events(RowId study, int most);
  Result<std::int64_t> newest_event(RowId study, std::int64_t after);  // `after`: none is newer
  Result<std::vector<ActiveLine>> active(RowId study, int most);
  Result<std::vector<PointPace>> paces(RowId study);
  // From run `after` + 1 on, by number.
  Result<std::vector<RunLine>> runs(RowId study, int after, int most);

  Result<std::vector<SeriesLine>> series(int most);  // whose newest study is newest, first
  Result<SeriesLine> series_of(const std::string& id);
  Result<std::map<std::string, std::int64_t>> studies_by_state();
  Result<std::map<std::string, std::int64_t>> runs_by_outcome();

 private:
  explicit DashboardView(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  Result<std::vector<StudyLine>> lines(const std::string& which, const auto&... values);
  Result<std::map<std::string, std::int64_t>> counts(std::string_view sql);

  std::unique_ptr<Database> database_;
};

}  // namespace kneepoint

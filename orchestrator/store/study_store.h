// SPDX-License-Identifier: Apache-2.0
//
// StudyStore: all that is remembered, in SQLite. One writer per study (the lease holder); others
// may read at any time, or leave a row in `requests`. Ids here are database row ids; what people
// see are study ids and run numbers. Every method that writes more than one row is a transaction of
// its own, or a savepoint of the caller's. The methods lie in store_*.cc by topic.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/attempt.h"
#include "orchestrator/model/baseline.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/row_table.h"
#include "orchestrator/model/site.h"
#include "orchestrator/store/database.h"

namespace kneepoint {

using RowId = std::int64_t;

struct StudyRow {
  RowId row = 0;
  std::string id;  // <name>-<hash8>-<n>
  std::string name;
  std::string hash8;
  int n = 1;
  std::string state;  // running | interrupted | finished | cancelled
  std::string backend;
  std::string site;
  std::string plan_path;
  std::string plan_text;
  std::string site_text;
  std::string work_dir;  // <site work_dir>/<study id>, absolute
  WorkerUnit worker = WorkerUnit::rank;
  std::uint64_t seed = 0;
  std::string knee_rule;
  double knee_floor = 0.7;
  SitePrice price;  // without a path: the site named none
  Nanoseconds created_ns = 0;
  Nanoseconds updated_ns = 0;
  int runs = 0, succeeded = 0, failed = 0;  // counts over runs, for `list`

  static constexpr auto fields() {
    using T = StudyRow;
    return described(KP_NAMED(id, name, hash8, n, state, runs, succeeded, failed, backend, site),
                     field("plan", &T::plan_path), field("work_dir", &T::work_dir),
                     field("created", [](const T& row) { return to_utc_text(row.created_ns); }),
                     field("updated", [](const T& row) { return to_utc_text(row.updated_ns); }));
  }
  // Those that only this database knows come first: an archive has the others.
  static constexpr auto columns() {
    using T = StudyRow;
    return described(field("study_id", &T::id), KP_NAMED(name, hash8, work_dir),
                     KP_NAMED(n, state, backend, site, plan_path, plan_text, site_text, worker),
                     KP_NAMED(seed, knee_rule, knee_floor), field("price_", &T::price),
                     KP_NAMED(created_ns, updated_ns));
  }
};

struct PlannedRun {
  RowId point = 0;
  int repeat = 0;
  int round = 0;
  int position = 0;  // order within the round
  KP_DESCRIBED(PlannedRun, point, repeat, round, position);
};

struct AttemptRow {
  RowId row = 0;
  RowId run = 0;
  int number = 1;  // a1, a2...
  AttemptState state = AttemptState::planned;
  Reason reason = Reason::none;
  std::string detail;
  std::string allocation;  // name handed to the launcher
  int submissions = 0;     // how often it was handed over: a step not begun goes again
  std::string job_id;
  Nanoseconds submitted_ns = 0, started_ns = 0, ended_ns = 0;  // backend's clock
  int exit_code = 0;
  int signal = 0;
  std::string nodes;                  // where the backend placed it
  std::string waiting;                // what its queue says while it waits
  Nanoseconds expected_start_ns = 0;  // by the queue; 0: it doesn't say
  Nanoseconds limit_ns = 0;           // its time limit, where a budget says so; 0: the plan's
  // All but `id` and `run`, which never change.
  KP_DESCRIBED(AttemptRow, number, state, reason, detail, allocation, submissions, job_id,
               submitted_ns, started_ns, ended_ns, exit_code, signal, nodes, waiting,
               expected_start_ns, limit_ns);
};

struct RunRow {
  RowId row = 0;
  int number = 0;  // study-local: r17
  RowId point = 0;
  int repeat = 0;
  int round = 0;
  int position = 0;
  bool finished = false;
  std::optional<AttemptRow> last;  // newest attempt
  int attempts = 0;
  int forgiven = 0;  // attempts before the last reopening: they don't count against limits.retries
  KP_DESCRIBED(RunRow, number, point, repeat, round, position, forgiven);
};

struct RoundRow {
  int round = 0;
  std::string evidence_hash;
  KP_DESCRIBED(RoundRow, round, evidence_hash);
};

struct Lease {
  std::string host;
  std::int64_t pid = 0;
  Nanoseconds heartbeat_ns = 0;  // wall
  KP_DESCRIBED(Lease, host, pid, heartbeat_ns);
};

struct Event {
  Nanoseconds wall_ns = 0;
  std::string kind;  // "state", "retry", "round", "interrupt", ...
  std::string text;
  int run_number = 0;  // 0: of the study
  int attempt_number = 0;
  static constexpr auto fields() {
    using T = Event;
    return described(field("time", [](const T& event) { return to_utc_text(event.wall_ns); }),
                     field("kind", &T::kind), field("run", &T::run_number),
                     field("attempt", &T::attempt_number), field("text", &T::text));
  }
  static constexpr auto columns() {
    using T = Event;
    return described(KP_NAMED(run_number, attempt_number, wall_ns, kind, text));
  }
};

// What ingest hands over for one attempt, written in one go and at most once.
struct AttemptResult {
  std::vector<Sample> samples;
  std::vector<RankTotal> ranks;
  std::vector<Metric> metrics;
  std::vector<Fact> facts;
  std::vector<RankProfile> profile;
  std::vector<OperationTotal> operations;
  double seconds = 0;  // T; 0 unless succeeded
  double work_total = 0, work_min = 0, work_max = 0;
  double compute_seconds = 0, communication_seconds = 0;
  std::string hosts;
  bool oversubscribed = false;
  bool binding_differs = false;
  bool machine_busy = false;
  std::string disturbed;  // what went beyond the plan's noise limit; "": nothing
  // In the attempt's own row; RunEvidence has them too.
  KP_DESCRIBED(AttemptResult, seconds, work_total, work_min, work_max, compute_seconds,
               communication_seconds, hosts, oversubscribed, binding_differs, machine_busy,
               disturbed);
};

// What a preloaded profile saw of an attempt; empty: it had none.
struct AttemptProfile {
  std::vector<RankProfile> ranks;
  std::vector<OperationTotal> operations;
};

// One line that an agent pushed.
struct PushedRecord {
  std::int64_t seq = 0;
  std::string_view type;
  std::string_view line;  // without its newline
  KP_DESCRIBED(PushedRecord, seq, type, line);
};
struct PushedSoFar {
  int records = 0, samples = 0;
  KP_DESCRIBED(PushedSoFar, records, samples);
};

// A run that was over before the study was made, with one attempt that succeeded.
struct FinishedRun {
  RowId point = 0;
  int repeat = 0;
  double seconds = 0;
  std::string detail;  // where it came from: "line 17 of slide.csv"
  std::vector<Metric> metrics;
  std::vector<Fact> facts;
};

// A study that comes from another database: what its row says; the rest are tables of rows.
struct ForeignStudy {
  StudyRow row;  // row.row and the counts are not used
  std::vector<RowTable> tables;
};
// The names of those that there may be, in their order.
std::vector<std::string> travelling_tables();
// Is it one of StudyStore::series_tables()?
bool is_series_table(std::string_view name);

enum class RequestKind { cancel };
constexpr auto words_of(RequestKind) {
  return std::array{"cancel"};
}

class StudyStore {
 public:
  enum class Access { read_write, read_only };
  // Creates, backs up and migrates as needed (read_write); refuses a newer schema by its version.
  static Result<std::unique_ptr<StudyStore>> open(const std::string& path, Access access,
                                                  const Clock& clock);

  // Everything between begin and commit is one transaction; destroying it uncommitted rolls back.
  Result<std::unique_ptr<DatabaseTransaction>> begin();

  // Studies.
  Result<StudyRow> create_study(const Study& study, const Site& site, int n,
                                const std::string& work_dir);
  Result<std::vector<StudyRow>> studies();  // newest first
  // id, unique prefix, or name (the newest); the error lists the candidates.
  Result<StudyRow> find_study(const std::string& words);
  Result<std::optional<StudyRow>> newest_of_series(const std::string& name,
                                                   const std::string& hash8);
  Result<void> set_study_state(RowId study, const std::string& state);
  // Plan text, knee and limits may change when a study is extended.
  Result<void> update_study_plan(RowId study, const Study& plan);
  // What its site says now that using it costs. What was handed over by another price before keeps
  // that one.
  Result<void> set_study_price(RowId study, const SitePrice& price);
  // By which attempts were handed over before: HeldAllocation::price counts them from 1.
  Result<std::vector<SitePrice>> earlier_prices(RowId study);
  Result<void> delete_study(RowId study);
  // That it was made with; the reference first, empty: the plan's own.
  Result<std::vector<Build>> builds(RowId study);

  // Retention. Samples are what grows: without them T of every run and all that was summed up from
  // them stay.
  Result<std::int64_t> sample_count(RowId study);
  Result<std::int64_t> drop_samples(RowId study);  // how many there were
  // Gives the disk the room of what was deleted; nobody else may be writing. Bytes of the file.
  Result<std::int64_t> compact();

  // Lease: held while its heartbeat is fresh, or on this host while `alive` says so of its process.
  Result<void> acquire_lease(RowId study, const Lease& lease, bool (*alive)(const Lease& holder));
  Result<void> renew_lease(RowId study, const Lease& lease);
  Result<void> release_lease(RowId study);
  Result<std::optional<Lease>> lease(RowId study);

  // Matrix. INSERT OR IGNORE by key: running twice is resuming. Row ids in the order given.
  Result<std::vector<RowId>> put_points(RowId study, const std::vector<Point>& points);
  Result<void> put_runs(RowId study, const std::vector<PlannedRun>& runs);
  // Numbered on from the last run of the study, in the order given; a million take seconds.
  Result<void> put_finished_runs(RowId study, const std::vector<FinishedRun>& runs);
  Result<void> put_round(RowId study, const RoundRow& round);
  Result<std::vector<RoundRow>> rounds(RowId study);
  Result<std::vector<RunRow>> runs(RowId study);  // by round, position
  Result<std::vector<RowId>> point_rows(RowId study);

  // Attempts. change_attempt ENSUREs that the change is legal by model/attempt.h.
  Result<AttemptRow> put_attempt(RowId run, int number, const std::string& allocation);
  Result<void> change_attempt(const AttemptRow& attempt, AttemptState from);
  // nodes, waiting and expected_start_ns, without a change of state.
  Result<void> put_placement(const AttemptRow& attempt);
  Result<void> put_result(RowId attempt, const AttemptResult& result);
  Result<void> finish_run(RowId run);
  Result<void> reopen_failed_runs(RowId study);  // run --retry-failed
  Result<std::vector<AttemptRow>> attempts(RowId run);

  // Pushed records of an attempt that is not over: each seq once, the first that came. How many
  // were new.
  Result<int> put_pushed(RowId attempt, const std::vector<PushedRecord>& records);
  Result<std::string> pushed_text(RowId attempt);  // by seq; may have gaps
  Result<PushedSoFar> pushed_so_far(RowId attempt);
  Result<void> drop_pushed(RowId attempt);

  // What every report must say of the study; each code once.
  Result<void> put_caveats(RowId study, const std::vector<Caveat>& caveats);
  // Instead of the one of its code; without a message there is none any more.
  Result<void> set_caveat(RowId study, const Caveat& caveat);

  // A whole study as values, for other databases: every table that holds something of it but
  // leases and requests, in a fixed order; references are places in the table referred to.
  Result<std::vector<RowTable>> study_tables(RowId study);
  // The opposite. Tables and columns that are not ours are refused, values are only ever bound.
  Result<StudyRow> put_foreign_study(const ForeignStudy& study);
  // The same of what was decided about a series: the baseline in force with its builds,
  // acknowledged changes, imported nights and their times, the newest calibration, and the latest
  // verdict of each finished study. `source`, `hash`: of the file that the rows come from.
  Result<std::vector<RowTable>> series_tables(const std::string& series);
  Result<void> put_series_table(const std::string& series, const RowTable& table,
                                const std::string& source, const std::string& hash);

  // Story.
  Result<void> put_event(RowId study, const Event& event);
  Result<std::vector<Event>> events(RowId study, int run_number);  // 0: all
  Result<std::vector<Fact>> facts(RowId attempt);
  Result<std::vector<Sample>> samples(RowId attempt);
  Result<std::vector<RankTotal>> ranks(RowId attempt);
  Result<std::vector<Metric>> metrics(RowId attempt);
  Result<AttemptProfile> profile(RowId attempt);

  // What other processes want of a running study.
  Result<void> put_request(RowId study, RequestKind kind);
  Result<std::vector<RequestKind>> take_requests(RowId study);

  // All that analysis and report draw from.
  Result<StudyEvidence> evidence(RowId study);
  // The same with PointEvidence::details: iterations, ranks, metrics and facts of valid runs.
  Result<StudyEvidence> evidence_in_detail(RowId study);

  // The nightly gate. Nothing here is overwritten: a second verdict is a second row, a baseline
  // that another one takes the place of stays as a dropped one.
  Result<void> put_baseline(const Baseline& baseline);
  Result<std::optional<Baseline>> baseline(const std::string& series);  // in force
  Result<std::vector<Baseline>> baselines();              // dropped ones too; newest first
  Result<bool> drop_baseline(const std::string& series);  // false: there was none

  // False: it was acknowledged before, and stays as it is.
  Result<bool> put_acknowledged(const AcknowledgedChange& change);
  Result<std::vector<AcknowledgedChange>> acknowledged(const std::string& series);

  // All or none. A night that is there already is ErrorCode::exists.
  Result<void> put_imported_nights(const ImportedNights& nights);
  Result<std::vector<ImportedNight>> imported_nights(const std::string& series);
  Result<int> drop_imported_nights(const std::string& series);  // how many

  Result<void> put_calibration(const Calibration& calibration);
  Result<std::optional<Calibration>> calibration(const std::string& series);  // newest

  // False: the study's last verdict says the same, and stays.
  Result<bool> put_verdict(const StoredVerdict& verdict);
  // Of a series' studies, the latest of each, newest study first; `series` "": of all.
  Result<std::vector<StoredVerdict>> verdicts(const std::string& series);

  // By n. Both take time by the number of studies, not of runs.
  Result<std::vector<SeriesStudy>> series_studies(const std::string& name,
                                                  const std::string& hash8);
  // Other series of the same name: another plan or site; newest first.
  Result<std::vector<std::string>> other_series(const std::string& name, const std::string& hash8);
  Result<GateNight> gate_night(RowId study);

 private:
  // Where in the evidence the run of a succeeded, deciding attempt is.
  struct RunPlace {
    std::size_t point = 0, run = 0, detail = 0;  // detail: among the valid ones
  };
  using ValidRuns = std::unordered_map<RowId, RunPlace>;  // by row of the attempt

  StudyStore(std::unique_ptr<Database> database, const Clock& clock)
      : database_(std::move(database)), db_(*database_), clock_(clock) {}
  Result<std::vector<StudyRow>> studies_where(const std::string& condition, const auto&... values);
  Result<StudyRow> study_row(RowId study);
  Result<std::vector<std::string>> columns_of_table(const std::string& table);
  Result<ValidRuns> read_evidence(RowId study, StudyEvidence& evidence);
  Result<std::map<RowId, std::size_t>> read_points(RowId study, StudyEvidence& evidence);
  Result<ValidRuns> read_runs(RowId study, const std::map<RowId, std::size_t>& places,
                              StudyEvidence& evidence);
  Result<void> read_allocations(RowId study, StudyEvidence& evidence);
  Result<void> read_provenance(RowId study, const ValidRuns& valid, StudyEvidence& evidence);
  Result<void> read_caveats(RowId study, StudyEvidence& evidence);
  Error no_such(const char* what, RowId row) const;
  // The answer to a change of this row: an error too where there is none.
  Result<void> change_one(const char* what, RowId row, const Result<int>& changed) const;
  // The answer to a row put: that what it refers to is not there, by its name.
  Result<void> put_for(const char* what, RowId row, const Result<int>& put) const;

  std::unique_ptr<Database> database_;
  Database& db_;
  const Clock& clock_;
  std::map<RowId, Lease> held_;  // leases that this store acquired
};

// Which study do people mean? An exact id, else a name (the newest of that name), else the only id
// that begins so. Pure.
struct StudyName {
  RowId row = 0;
  std::string id;
  std::string name;
  KP_DESCRIBED(StudyName, row, id, name);
};
// `known`: newest first. The error lists the candidates; `place` is where they were looked for.
Result<RowId> choose_study(const std::string& words, const std::vector<StudyName>& known,
                           const std::string& place);

// On which other machines may write too, or that don't share memory maps: by the magic number that
// statfs reports, "NFS", "Lustre", ... or "" for a local one.
const char* network_file_system_name(std::uint32_t magic);
// Of the file system that holds `folder`; "" too when nobody can tell.
std::string network_file_system_of(const std::string& folder);

}  // namespace kneepoint

// SPDX-License-Identifier: Apache-2.0
//
// The StudyStore on SQLite. One class; its methods lie in store_*.cc by topic. Every method that
// writes more than one row is a transaction of its own, or a savepoint of the caller's.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "orchestrator/store/database.h"
#include "orchestrator/store/file_system.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

class SqliteStudyStore final : public StudyStore {
 public:
  SqliteStudyStore(std::unique_ptr<Database> database, const Clock& clock)
      : database_(std::move(database)),
        db_(*database_),
        clock_(clock),
        file_(file_identity(db_.path())) {}

  Result<std::unique_ptr<Transaction>> begin() override;

  // store_studies.cc, store_find.cc
  Result<StudyRow> create_study(const Study& study, const Site& site, int n,
                                const std::string& work_dir) override;
  Result<std::vector<StudyRow>> studies() override;
  Result<StudyRow> find_study(const std::string& words) override;
  Result<std::optional<StudyRow>> newest_of_series(const std::string& name,
                                                   const std::string& hash8) override;
  Result<void> set_study_state(RowId study, const std::string& state) override;
  Result<void> update_study_plan(RowId study, const Study& plan) override;
  Result<void> set_study_price(RowId study, const SitePrice& price) override;
  Result<std::vector<SitePrice>> earlier_prices(RowId study) override;
  Result<void> delete_study(RowId study) override;
  Result<std::vector<Build>> builds(RowId study) override;

  // store_retention.cc
  Result<std::int64_t> sample_count(RowId study) override;
  Result<std::int64_t> drop_samples(RowId study) override;
  Result<std::int64_t> compact() override;

  // store_lease.cc
  Result<void> acquire_lease(RowId study, const Lease& lease,
                             bool (*alive)(const Lease& holder)) override;
  Result<void> renew_lease(RowId study, const Lease& lease) override;
  Result<void> release_lease(RowId study) override;
  Result<std::optional<Lease>> lease(RowId study) override;
  Result<void> put_request(RowId study, RequestKind kind) override;
  Result<std::vector<RequestKind>> take_requests(RowId study) override;

  // store_matrix.cc
  Result<std::vector<RowId>> put_points(RowId study, const std::vector<Point>& points) override;
  Result<void> put_runs(RowId study, const std::vector<PlannedRun>& runs) override;
  Result<void> put_round(RowId study, const RoundRow& round) override;
  Result<std::vector<RoundRow>> rounds(RowId study) override;
  Result<std::vector<RunRow>> runs(RowId study) override;
  Result<std::vector<RowId>> point_rows(RowId study) override;

  // store_import.cc
  Result<void> put_finished_runs(RowId study, const std::vector<FinishedRun>& runs) override;
  Result<void> put_caveats(RowId study, const std::vector<Caveat>& caveats) override;
  Result<void> set_caveat(RowId study, const Caveat& caveat) override;

  // store_pack.cc
  Result<std::vector<RowTable>> study_tables(RowId study) override;
  Result<StudyRow> put_foreign_study(const ForeignStudy& study) override;

  // store_attempts.cc
  Result<AttemptRow> put_attempt(RowId run, int number, const std::string& allocation) override;
  Result<void> change_attempt(const AttemptRow& attempt, AttemptState from) override;
  Result<void> put_placement(const AttemptRow& attempt) override;
  Result<void> put_result(RowId attempt, const AttemptResult& result) override;
  Result<void> finish_run(RowId run) override;
  Result<void> reopen_failed_runs(RowId study) override;
  Result<std::vector<AttemptRow>> attempts(RowId run) override;

  // store_pushes.cc
  Result<int> put_pushed(RowId attempt, const std::vector<PushedRecord>& records) override;
  Result<std::string> pushed_text(RowId attempt) override;
  Result<PushedSoFar> pushed_so_far(RowId attempt) override;
  Result<void> drop_pushed(RowId attempt) override;

  // store_story.cc
  Result<void> put_event(RowId study, const Event& event) override;
  Result<std::vector<Event>> events(RowId study, int run_number) override;
  Result<std::vector<Fact>> facts(RowId attempt) override;
  Result<std::vector<Sample>> samples(RowId attempt) override;
  Result<std::vector<RankTotal>> ranks(RowId attempt) override;
  Result<std::vector<Metric>> metrics(RowId attempt) override;
  Result<AttemptProfile> profile(RowId attempt) override;

  // store_evidence.cc, store_detail.cc
  Result<StudyEvidence> evidence(RowId study) override;
  Result<StudyEvidence> evidence_in_detail(RowId study) override;

  // store_baselines.cc
  Result<void> put_baseline(const Baseline& baseline) override;
  Result<std::optional<Baseline>> baseline(const std::string& series) override;
  Result<std::vector<Baseline>> baselines() override;
  Result<bool> drop_baseline(const std::string& series) override;
  Result<bool> put_acknowledged(const AcknowledgedChange& change) override;
  Result<std::vector<AcknowledgedChange>> acknowledged(const std::string& series) override;
  Result<void> put_calibration(const Calibration& calibration) override;
  Result<std::optional<Calibration>> calibration(const std::string& series) override;
  Result<bool> put_verdict(const StoredVerdict& verdict) override;
  Result<std::vector<StoredVerdict>> verdicts(const std::string& series) override;

  // store_nights.cc
  Result<void> put_imported_nights(const ImportedNights& nights) override;
  Result<std::vector<ImportedNight>> imported_nights(const std::string& series) override;
  Result<int> drop_imported_nights(const std::string& series) override;
  Result<std::vector<SeriesStudy>> series_studies(const std::string& name,
                                                  const std::string& hash8) override;
  Result<std::vector<std::string>> other_series(const std::string& name,
                                                const std::string& hash8) override;
  Result<GateNight> gate_night(RowId study) override;

 private:
  Result<void> read_night_facts(RowId study, GateNight& night);
  Result<StudyRow> study_row(RowId study);
  Result<std::vector<std::string>> columns_of(const std::string& table);
  Result<void> read_study_header(RowId study, StudyEvidence& evidence);
  Result<void> read_caveats(RowId study, StudyEvidence& evidence);
  Result<std::map<RowId, std::size_t>> read_points(RowId study, StudyEvidence& evidence);
  // Where in the evidence the run of a succeeded, deciding attempt is.
  struct RunPlace {
    std::size_t point = 0, run = 0, detail = 0;  // detail: among the valid ones
  };
  using ValidRuns = std::unordered_map<RowId, RunPlace>;  // by row of the attempt
  Result<ValidRuns> read_evidence(RowId study, StudyEvidence& evidence);
  Result<ValidRuns> read_runs(RowId study, const std::map<RowId, std::size_t>& places,
                              StudyEvidence& evidence);
  Result<void> read_provenance(RowId study, const ValidRuns& valid, StudyEvidence& evidence);
  Result<void> read_allocations(RowId study, StudyEvidence& evidence);
  Error no_such(const char* what, RowId row) const;
  Error unreadable(const char* column, const std::string& word) const;

  std::unique_ptr<Database> database_;
  Database& db_;
  const Clock& clock_;
  const FileIdentity file_;      // that we opened
  std::map<RowId, Lease> held_;  // leases that this store acquired
};

}  // namespace kneepoint

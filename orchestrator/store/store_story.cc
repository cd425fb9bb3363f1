// SPDX-License-Identifier: Apache-2.0
//
// What `explain` tells: events, and all that one attempt reported.
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

// Every row of a query, each read by `read` into a T.
template <typename T, typename Read>
Result<std::vector<T>> rows_of(Result<Statement> query, Read read) {
  if (!query) return query.error();
  std::vector<T> rows;
  for (;;) {
    TRY_ASSIGN(const bool there, query->next());
    if (!there) return rows;
    read(*query, rows.emplace_back());
  }
}

}  // namespace

Result<void> StudyStore::put_event(RowId study, const Event& event) {
  TRY(
      db_.run("INSERT INTO events (study, run_number, attempt_number, wall_ns, kind, text)"
              " VALUES (?, ?, ?, ?, ?, ?)",
              study, event.run_number, event.attempt_number,
              event.wall_ns != 0 ? event.wall_ns : clock_.wall(), event.kind, event.text));
  return {};
}

Result<std::vector<Event>> StudyStore::events(RowId study, int run_number) {
  const std::string select =
      "SELECT wall_ns, kind, text, run_number, attempt_number FROM events WHERE study = ?";
  const auto read = [](const Statement& row, Event& event) {
    row.read(event.wall_ns, event.kind, event.text, event.run_number, event.attempt_number);
  };
  if (run_number == 0) return rows_of<Event>(db_.query(select + " ORDER BY id", study), read);
  return rows_of<Event>(db_.query(select + " AND run_number = ? ORDER BY id", study, run_number),
                        read);
}

Result<std::vector<Fact>> StudyStore::facts(RowId attempt) {
  return rows_of<Fact>(
      db_.query("SELECT scope, name, value FROM provenance WHERE attempt = ?"
                " ORDER BY scope, name",
                attempt),
      [](const Statement& row, Fact& fact) { row.read(fact.scope, fact.name, fact.value); });
}

Result<std::vector<Sample>> StudyStore::samples(RowId attempt) {
  return rows_of<Sample>(
      db_.query("SELECT iteration, warmup, max_ns, mean_ns, min_ns, compute_ns, communication_ns,"
                " other_ns FROM samples WHERE attempt = ? ORDER BY warmup DESC, iteration",
                attempt),
      [](const Statement& row, Sample& sample) {
        row.read(sample.iteration, sample.warmup, sample.max_ns, sample.mean_ns, sample.min_ns,
                 sample.compute_ns, sample.communication_ns, sample.other_ns);
      });
}

Result<std::vector<RankTotal>> StudyStore::ranks(RowId attempt) {
  return rows_of<RankTotal>(
      db_.query("SELECT rank, host, cpus, compute_ns, communication_ns, work FROM rank_totals"
                " WHERE attempt = ? ORDER BY rank",
                attempt),
      [](const Statement& row, RankTotal& total) {
        row.read(total.rank, total.host, total.cpus, total.compute_ns, total.communication_ns,
                 total.work);
      });
}

Result<std::vector<Metric>> StudyStore::metrics(RowId attempt) {
  return rows_of<Metric>(
      db_.query("SELECT name, value, unit, better FROM metrics WHERE attempt = ? ORDER BY name",
                attempt),
      [](const Statement& row, Metric& metric) {
        row.read(metric.name, metric.value, metric.unit, metric.better);
      });
}

Result<AttemptProfile> StudyStore::profile(RowId attempt) {
  AttemptProfile profile;
  TRY_ASSIGN(profile.ranks,
             rows_of<RankProfile>(
                 db_.query("SELECT rank, complete, threads, window_ns, collective_ns,"
                           " point_to_point_ns, wait_ns, one_sided_ns, other_ns, other_threads_ns"
                           " FROM profile_ranks WHERE attempt = ? ORDER BY rank",
                           attempt),
                 [](const Statement& row, RankProfile& p) {
                   row.read(p.rank, p.complete, p.threads, p.window_ns, p.collective_ns,
                            p.point_to_point_ns, p.wait_ns, p.one_sided_ns, p.other_ns,
                            p.other_threads_ns);
                 }));
  TRY_ASSIGN(
      profile.operations,
      rows_of<OperationTotal>(db_.query("SELECT name, kind, calls, bytes, time_ns, max_ns"
                                        " FROM profile_operations WHERE attempt = ? ORDER BY name",
                                        attempt),
                              [](const Statement& row, OperationTotal& o) {
                                row.read(o.name, o.kind, o.calls, o.bytes, o.time_ns, o.max_ns);
                              }));
  return profile;
}

}  // namespace kneepoint

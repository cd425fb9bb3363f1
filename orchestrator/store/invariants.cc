// SPDX-License-Identifier: Apache-2.0
//
// The rules, as queries. All of them see one moment, so that a study that runs meanwhile is no
// trouble.
#include "orchestrator/store/invariants.h"

#include "orchestrator/model/attempt.h"
#include "orchestrator/store/migrations.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

// Each query selects what breaks a rule, as a sentence. In all of them `r` is the runs and `a` the
// attempts, by name, and `x` whatever else it is about.
constexpr char kNamed[] =
    "WITH r AS (SELECT s.study_id || ' r' || runs.number AS name, runs.*"
    "  FROM runs JOIN studies s ON s.id = runs.study),"
    " a AS (SELECT r.name || '-a' || attempts.number AS name, r.study, r.point, attempts.*"
    "  FROM attempts JOIN r ON r.id = attempts.run),"
    " unfinished (state) AS (VALUES ('planned'), ('submitting'), ('queued'), ('running'),"
    "  ('collecting')) ";

struct Rule {
  const char* word;
  const char* broken;  // SQL after kNamed: one text column
};

constexpr Rule kRules[] = {
    {"attempt_number",
     "SELECT r.name || ': ' || COUNT(*) || ' attempts, and the last is a' || MAX(x.number)"
     " FROM r JOIN attempts x ON x.run = r.id"
     " GROUP BY r.id HAVING COUNT(*) <> MAX(x.number) OR MIN(x.number) <> 1"},
    {"attempt_state",
     "SELECT name || ' is ' || state || ' although a later attempt was made' FROM a"
     " WHERE state IN unfinished"
     " AND EXISTS (SELECT 1 FROM attempts x WHERE x.run = a.run AND x.number > a.number)"},
    {"attempt_state",
     "SELECT name || ' is ' || state || ' although it was never handed over' FROM a"
     " WHERE submissions = 0 AND state IN unfinished AND state <> 'planned'"},
    {"attempt_state",
     "SELECT name || ' succeeded, and its reason is ' || reason FROM a"
     " WHERE state = 'succeeded' AND reason <> 'none'"},
    {"attempt_time",
     "SELECT name || ' ended before it began' FROM a"
     " WHERE started_ns > 0 AND ended_ns > 0 AND ended_ns < started_ns"},
    {"attempt_result",
     "SELECT name || ' succeeded with a T of ' || seconds || ' s' FROM a"
     " WHERE state = 'succeeded' AND NOT (seconds > 0 AND seconds < 1e300)"},
    {"attempt_result",
     "SELECT name || ' is ' || state || ' and has a T of ' || seconds || ' s all the same' FROM a"
     " WHERE seconds <> 0 AND state <> 'succeeded' AND reason <> 'disturbed'"},
    {"run_outcome",
     "SELECT r.name || ' is ' || outcome || ', and its newest attempt is '"
     " || COALESCE(x.state, 'none') FROM r LEFT JOIN attempts x ON x.run = r.id"
     " AND x.number = (SELECT MAX(number) FROM attempts WHERE run = r.id)"
     " WHERE (outcome = 'succeeded') <> (COALESCE(x.state, '') = 'succeeded')"
     " OR (outcome = 'failed' AND x.state IN unfinished)"},
    {"run_point",
     "SELECT r.name || ' is at a point of another study' FROM r"
     " JOIN points x ON x.id = r.point WHERE x.study <> r.study"},
    {"samples",
     "SELECT name || ' has samples but no result' FROM a WHERE has_result = 0"
     " AND EXISTS (SELECT 1 FROM samples x WHERE x.attempt = a.id)"},
    {"samples",
     "SELECT name || ' has ' || COUNT(*) || ' timed samples for iterations '"
     " || MIN(x.iteration) || ' to ' || MAX(x.iteration)"
     " FROM a JOIN samples x ON x.attempt = a.id WHERE x.warmup = 0 GROUP BY a.id"
     " HAVING COUNT(*) <> MAX(x.iteration) - MIN(x.iteration) + 1"},
    {"samples",
     "SELECT name || ' iteration ' || x.iteration || ': maximum, mean and minimum over the ranks"
     " are in no order' FROM a JOIN samples x ON x.attempt = a.id"
     " WHERE NOT (x.max_ns >= x.mean_ns AND x.mean_ns >= x.min_ns AND x.min_ns >= 0)"},
    {"run_time",
     "SELECT name || ': T is ' || a.seconds || ' s, and what it reported comes to '"
     " || COALESCE(m.seconds, x.seconds) || ' s' FROM a"
     " LEFT JOIN (SELECT attempt, value * CASE unit WHEN 's' THEN 1 WHEN 'ms' THEN 1e-3"
     " WHEN 'us' THEN 1e-6 WHEN 'ns' THEN 1e-9 WHEN 'min' THEN 60 WHEN 'h' THEN 3600"
     " END AS seconds FROM metrics WHERE name = 'time') m ON m.attempt = a.id"
     " LEFT JOIN (SELECT t.attempt, AVG(t.max_ns) * 1e-9 * q.iterations AS seconds"
     " FROM samples t JOIN attempts b ON b.id = t.attempt JOIN runs u ON u.id = b.run"
     " JOIN points q ON q.id = u.point WHERE t.warmup = 0 GROUP BY t.attempt) x"
     " ON x.attempt = a.id WHERE a.state = 'succeeded'"
     " AND ABS(a.seconds / COALESCE(m.seconds, x.seconds) - 1) > 1e-6"},
    {"pushed_records",
     "SELECT name || ' is over and still has pushed records' FROM a"
     " WHERE state NOT IN unfinished"
     " AND EXISTS (SELECT 1 FROM pushed_records x WHERE x.attempt = a.id)"},
    {"price",
     "SELECT name || ' is billed by price ' || price || ', which the study does not have' FROM a"
     " WHERE price <> 0 AND NOT EXISTS"
     " (SELECT 1 FROM earlier_prices x WHERE x.study = a.study AND x.number = a.price)"},
    {"round",
     "SELECT s.study_id || ': ' || COUNT(*) || ' rounds, and the last is ' || MAX(x.round)"
     " FROM rounds x JOIN studies s ON s.id = x.study"
     " GROUP BY x.study HAVING COUNT(*) <> MAX(x.round) + 1 OR MIN(x.round) <> 0"},
    {"round",
     "SELECT name || ' is of round ' || round || ', which was never decided' FROM r"
     " WHERE EXISTS (SELECT 1 FROM rounds x WHERE x.study = r.study) AND NOT EXISTS"
     " (SELECT 1 FROM rounds x WHERE x.study = r.study AND x.round = r.round)"},
    {"round",
     "SELECT s.study_id || ': round ' || x.round || ' rests on \"' || x.evidence_hash ||"
     " '\", which is no hash of evidence' FROM rounds x JOIN studies s ON s.id = x.study"
     " WHERE (x.round = 0) <> (x.evidence_hash = '') OR (x.round > 0"
     " AND (LENGTH(x.evidence_hash) <> 16 OR x.evidence_hash GLOB '*[^0-9a-f]*'))"},
    {"event",
     "SELECT s.study_id || ': an event tells of r' || x.run_number || ', which does not exist'"
     " FROM events x JOIN studies s ON s.id = x.study WHERE x.run_number > 0 AND NOT EXISTS"
     " (SELECT 1 FROM runs WHERE study = x.study AND number = x.run_number)"},
    {"foreign_key",
     "SELECT 'a row of ' || \"table\" || ' refers to a row of ' || parent ||"
     " ' that does not exist' FROM pragma_foreign_key_check"},
};

class Examination {
 public:
  Examination(Database& db, Nanoseconds now) : db_(db), now_(now) {}

  Result<DatabaseFindings> look() {
    TRY_ASSIGN(auto moment, db_.begin_read());
    TRY_ASSIGN(found_.schema, db_.number_of("PRAGMA user_version"));
    look_at_pages();
    if (!found_.violations.empty()) return found_;  // what can't be read can't be judged
    TRY_ASSIGN(found_.studies, db_.number_of("SELECT COUNT(*) FROM studies"));
    TRY_ASSIGN(found_.runs, db_.number_of("SELECT COUNT(*) FROM runs"));
    TRY_ASSIGN(found_.attempts, db_.number_of("SELECT COUNT(*) FROM attempts"));
    TRY_ASSIGN(found_.samples, db_.number_of("SELECT COUNT(*) FROM samples"));
    TRY(look_at_words());
    for (const Rule& rule : kRules) TRY(look_for(rule));
    TRY(look_at_leases());
    TRY(moment.commit());
    return found_;
  }

 private:
  void begin(const std::string& rule) {
    if (found_.rules.empty() || found_.rules.back() != rule) found_.rules.push_back(rule);
  }
  void add(const std::string& rule, const std::string& what) {
    found_.violations.push_back({rule, what});
  }

  // SQLite's own word on every page and index.
  void look_at_pages() {
    begin("integrity");
    auto rows = db_.query("PRAGMA integrity_check(20)");
    if (!rows) return add("integrity", rows.error().message);
    for (std::string text;;) {
      const auto there = rows->next();
      if (!there) return add("integrity", there.error().message);
      if (!*there) return;
      rows->read(text);
      if (text != "ok") add("integrity", text);
    }
  }

  Result<void> look_at_words() {
    begin("word");
    TRY_ASSIGN(const auto states, db_.all<std::string>("SELECT DISTINCT state FROM attempts"));
    for (const std::string& one : states) {
      if (!parse_attempt_state(one)) add("word", "'" + one + "' is no state of an attempt");
    }
    TRY_ASSIGN(const auto reasons, db_.all<std::string>("SELECT DISTINCT reason FROM attempts"));
    for (const std::string& one : reasons) {
      if (!parse_reason(one)) add("word", "'" + one + "' is no reason of an attempt");
    }
    return {};
  }

  Result<void> look_at_leases() {
    begin("lease");
    TRY_ASSIGN(const auto leases, (db_.all<std::tuple<std::string, Lease>>(
                                      "SELECT s.study_id, l.host, l.pid, l.heartbeat_ns"
                                      " FROM leases l JOIN studies s ON s.id = l.study")));
    for (const auto& [study, lease] : leases) {
      if (lease.host.empty() || lease.pid <= 0 || lease.heartbeat_ns <= 0) {
        add("lease", study + ": its lease has no host, process or heartbeat");
      } else if (lease.heartbeat_ns > now_ + kHour) {
        add("lease", study + ": the heartbeat of its lease lies in the future");
      }
    }
    return {};
  }

  Result<void> look_for(const Rule& rule) {
    begin(rule.word);
    const std::string query = kNamed + std::string(rule.broken) + " LIMIT ?";
    TRY_ASSIGN(const auto broken, db_.all<std::string>(query, kMostViolations + 1));
    for (std::size_t i = 0; i < broken.size(); ++i) {
      add(rule.word, i == kMostViolations ? "and more of the same" : broken[i]);
    }
    return {};
  }

  Database& db_;
  const Nanoseconds now_;
  DatabaseFindings found_;
};

}  // namespace

Result<DatabaseFindings> find_violations(const std::string& path, Nanoseconds wall_now) {
  TRY_ASSIGN(const auto database, Database::open_read_only(path));
  TRY(require_current(*database, embedded_migrations()));
  return Examination(*database, wall_now).look();
}

}  // namespace kneepoint

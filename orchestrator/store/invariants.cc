// SPDX-License-Identifier: Apache-2.0
//
// Each rule is a query that selects what breaks it, as a sentence. All of them see one moment, so
// that a study that runs meanwhile is no trouble.
#include "orchestrator/store/invariants.h"

#include <set>

#include "orchestrator/model/attempt.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/migrations.h"

namespace kneepoint {
namespace {

struct Rule {
  std::string word;
  std::string broken;  // SQL: one text column
};

// In every query `s` is a study, `r` a run, `a` an attempt and `x` whatever else it is about.
std::vector<Rule> rules() {
  const std::string run = "s.study_id || ' r' || r.number";
  const std::string attempt = run + " || '-a' || a.number";
  const std::string runs = " FROM runs r JOIN studies s ON s.id = r.study ";
  const std::string attempts = runs + "JOIN attempts a ON a.run = r.id ";
  const std::string newest = runs +
                             "LEFT JOIN attempts a ON a.run = r.id"
                             " AND a.number = (SELECT MAX(number) FROM attempts WHERE run = r.id) ";
  const std::string active = "('submitting', 'queued', 'running', 'collecting')";
  const std::string unfinished = "('planned', 'submitting', 'queued', 'running', 'collecting')";
  return {
      {"attempt_number",
       "SELECT " + run +
           " || ': ' || COUNT(*) || ' attempts, and the last is a'"
           " || MAX(a.number)" +
           attempts + "GROUP BY a.run HAVING COUNT(*) <> MAX(a.number) OR MIN(a.number) <> 1"},
      {"attempt_state", "SELECT " + attempt +
                            " || ' is ' || a.state ||"
                            " ' although a later attempt was made'" +
                            attempts + "WHERE a.state IN " + unfinished +
                            " AND EXISTS (SELECT 1 FROM attempts x"
                            " WHERE x.run = a.run AND x.number > a.number)"},
      {"attempt_state", "SELECT " + attempt +
                            " || ' is ' || a.state ||"
                            " ' although it was never handed over'" +
                            attempts + "WHERE a.submissions = 0 AND a.state IN " + active},
      {"attempt_state", "SELECT " + attempt + " || ' succeeded, and its reason is ' || a.reason" +
                            attempts + "WHERE a.state = 'succeeded' AND a.reason <> 'none'"},
      {"attempt_time",
       "SELECT " + attempt + " || ' ended before it began'" + attempts +
           "WHERE a.started_ns > 0 AND a.ended_ns > 0 AND a.ended_ns < a.started_ns"},
      {"attempt_result", "SELECT " + attempt +
                             " || ' succeeded with a T of ' || a.seconds || ' s'" + attempts +
                             "WHERE a.state = 'succeeded'"
                             " AND NOT (a.seconds > 0 AND a.seconds < 1e300)"},
      {"attempt_result", "SELECT " + attempt +
                             " || ' is ' || a.state || ' and has a T of ' ||"
                             " a.seconds || ' s all the same'" +
                             attempts +
                             "WHERE a.seconds <> 0 AND a.state <> 'succeeded'"
                             " AND a.reason <> 'disturbed'"},
      {"run_outcome", "SELECT " + run +
                          " || ' is ' || r.outcome || ', and its newest attempt is '"
                          " || COALESCE(a.state, 'none')" +
                          newest +
                          "WHERE (r.outcome = 'succeeded') <> (COALESCE(a.state, '') = 'succeeded')"
                          " OR (r.outcome = 'failed' AND a.state IN " +
                          unfinished + ")"},
      {"run_point", "SELECT " + run + " || ' is at a point of another study'" + runs +
                        "JOIN points x ON x.id = r.point WHERE x.study <> r.study"},
      {"samples", "SELECT " + attempt + " || ' has samples but no result'" + attempts +
                      "WHERE a.has_result = 0"
                      " AND EXISTS (SELECT 1 FROM samples x WHERE x.attempt = a.id)"},
      {"samples", "SELECT " + attempt +
                      " || ' has ' || COUNT(*) || ' timed samples for iterations '"
                      " || MIN(x.iteration) || ' to ' || MAX(x.iteration)" +
                      attempts +
                      "JOIN samples x ON x.attempt = a.id WHERE x.warmup = 0 GROUP BY a.id"
                      " HAVING COUNT(*) <> MAX(x.iteration) - MIN(x.iteration) + 1"},
      {"samples", "SELECT " + attempt +
                      " || ' iteration ' || x.iteration || ': maximum, mean and"
                      " minimum over the ranks are in no order'" +
                      attempts +
                      "JOIN samples x ON x.attempt = a.id WHERE NOT (x.max_ns >= x.mean_ns"
                      " AND x.mean_ns >= x.min_ns AND x.min_ns >= 0)"},
      {"run_time",
       "SELECT " + attempt +
           " || ': T is ' || a.seconds || ' s, and what it reported"
           " comes to ' || COALESCE(m.told, x.told) || ' s'" +
           attempts +
           "LEFT JOIN (SELECT attempt, value * CASE unit WHEN 's' THEN 1 WHEN 'ms' THEN 1e-3"
           " WHEN 'us' THEN 1e-6 WHEN 'ns' THEN 1e-9 WHEN 'min' THEN 60 WHEN 'h' THEN 3600"
           " END AS told FROM metrics WHERE name = 'time') m ON m.attempt = a.id"
           " LEFT JOIN (SELECT t.attempt, AVG(t.max_ns) * 1e-9 * q.iterations AS told"
           " FROM samples t JOIN attempts b ON b.id = t.attempt JOIN runs u ON u.id = b.run"
           " JOIN points q ON q.id = u.point WHERE t.warmup = 0 GROUP BY t.attempt) x"
           " ON x.attempt = a.id WHERE a.state = 'succeeded'"
           " AND ABS(a.seconds / COALESCE(m.told, x.told) - 1) > 1e-6"},
      {"pushed_records", "SELECT " + attempt + " || ' is over and still has pushed records'" +
                             attempts + "WHERE a.state NOT IN " + unfinished +
                             " AND EXISTS (SELECT 1 FROM pushed_records x WHERE x.attempt = a.id)"},
      {"price", "SELECT " + attempt +
                    " || ' is billed by price ' || a.price || ', which the study"
                    " does not have'" +
                    attempts +
                    "WHERE a.price <> 0 AND NOT EXISTS (SELECT 1 FROM earlier_prices x"
                    " WHERE x.study = s.id AND x.number = a.price)"},
      {"round",
       "SELECT s.study_id || ': ' || COUNT(*) || ' rounds, and the last is ' ||"
       " MAX(x.round) FROM rounds x JOIN studies s ON s.id = x.study"
       " GROUP BY x.study HAVING COUNT(*) <> MAX(x.round) + 1 OR MIN(x.round) <> 0"},
      {"round", "SELECT " + run + " || ' is of round ' || r.round || ', which was never decided'" +
                    runs +
                    "WHERE EXISTS (SELECT 1 FROM rounds x WHERE x.study = r.study)"
                    " AND NOT EXISTS (SELECT 1 FROM rounds x WHERE x.study = r.study"
                    " AND x.round = r.round)"},
      {"round",
       "SELECT s.study_id || ': round ' || x.round || ' rests on \"' || x.evidence_hash ||"
       " '\", which is no hash of evidence' FROM rounds x JOIN studies s ON s.id = x.study"
       " WHERE (x.round = 0) <> (x.evidence_hash = '') OR (x.round > 0"
       " AND (LENGTH(x.evidence_hash) <> 16 OR x.evidence_hash GLOB '*[^0-9a-f]*'))"},
      {"event",
       "SELECT s.study_id || ': an event tells of r' || x.run_number ||"
       " ', which does not exist' FROM events x JOIN studies s ON s.id = x.study"
       " WHERE x.run_number > 0 AND NOT EXISTS (SELECT 1 FROM runs r"
       " WHERE r.study = x.study AND r.number = x.run_number)"},
      {"foreign_key",
       "SELECT 'a row of ' || \"table\" || ' refers to a row of ' || parent ||"
       " ' that does not exist' FROM pragma_foreign_key_check"},
  };
}

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
    for (const Rule& rule : rules()) TRY(tell(rule));
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
    TRY_ASSIGN(auto row, db_.query("SELECT DISTINCT state, reason FROM attempts"));
    std::set<std::string> told;
    for (std::string state, reason;;) {
      TRY_ASSIGN(const bool there, row.next());
      if (!there) return {};
      row.read(state, reason);
      if (!parse_attempt_state(state) && told.insert("state " + state).second) {
        add("word", "'" + state + "' is no state of an attempt");
      }
      if (!parse_reason(reason) && told.insert("reason " + reason).second) {
        add("word", "'" + reason + "' is no reason of an attempt");
      }
    }
  }

  Result<void> look_at_leases() {
    begin("lease");
    TRY_ASSIGN(auto row, db_.query("SELECT s.study_id, l.host, l.pid, l.heartbeat_ns"
                                   " FROM leases l JOIN studies s ON s.id = l.study"));
    std::string study, host;
    for (Nanoseconds pid = 0, heartbeat = 0;;) {
      TRY_ASSIGN(const bool there, row.next());
      if (!there) return {};
      row.read(study, host, pid, heartbeat);
      if (host.empty() || pid <= 0 || heartbeat <= 0) {
        add("lease", study + ": its lease has no host, process or heartbeat");
      } else if (heartbeat > now_ + kHour) {
        add("lease", study + ": the heartbeat of its lease lies in the future");
      }
    }
  }

  Result<void> tell(const Rule& rule) {
    begin(rule.word);
    TRY_ASSIGN(auto row, db_.query(rule.broken));
    std::string text;
    for (int told = 0; told <= kMostTold; ++told) {
      TRY_ASSIGN(const bool there, row.next());
      if (!there) return {};
      row.read(text);
      add(rule.word, told == kMostTold ? "and more of the same" : text);
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

// SPDX-License-Identifier: Apache-2.0
//
// How attempts and what they reported are read. A table of reports has the columns of a struct,
// which are listed here and nowhere else: the list selects, reads and inserts.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orchestrator/model/attempt.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

template <typename Member>
struct Column {
  std::string_view name;
  Member member;
};
template <typename Member>
Column(const char*, Member) -> Column<Member>;

template <typename Row>
struct AttemptTable;  // its name, the order of an attempt's rows, and its columns but `attempt`

template <>
struct AttemptTable<Sample> {
  static constexpr std::string_view name = "samples", order = "warmup DESC, iteration";
  static constexpr std::tuple columns{Column{"iteration", &Sample::iteration},
                                      Column{"warmup", &Sample::warmup},
                                      Column{"max_ns", &Sample::max_ns},
                                      Column{"mean_ns", &Sample::mean_ns},
                                      Column{"min_ns", &Sample::min_ns},
                                      Column{"compute_ns", &Sample::compute_ns},
                                      Column{"communication_ns", &Sample::communication_ns},
                                      Column{"other_ns", &Sample::other_ns}};
};

template <>
struct AttemptTable<RankTotal> {
  static constexpr std::string_view name = "rank_totals", order = "rank";
  static constexpr std::tuple columns{Column{"rank", &RankTotal::rank},
                                      Column{"host", &RankTotal::host},
                                      Column{"cpus", &RankTotal::cpus},
                                      Column{"compute_ns", &RankTotal::compute_ns},
                                      Column{"communication_ns", &RankTotal::communication_ns},
                                      Column{"work", &RankTotal::work}};
};

template <>
struct AttemptTable<Metric> {
  static constexpr std::string_view name = "metrics", order = "name";
  static constexpr std::tuple columns{
      Column{"name", &Metric::name}, Column{"value", &Metric::value}, Column{"unit", &Metric::unit},
      Column{"better", &Metric::better}};
};

template <>
struct AttemptTable<Fact> {
  static constexpr std::string_view name = "provenance", order = "scope, name";
  static constexpr std::tuple columns{Column{"scope", &Fact::scope}, Column{"name", &Fact::name},
                                      Column{"value", &Fact::value}};
};

template <>
struct AttemptTable<RankProfile> {
  static constexpr std::string_view name = "profile_ranks", order = "rank";
  static constexpr std::tuple columns{Column{"rank", &RankProfile::rank},
                                      Column{"complete", &RankProfile::complete},
                                      Column{"threads", &RankProfile::threads},
                                      Column{"window_ns", &RankProfile::window_ns},
                                      Column{"collective_ns", &RankProfile::collective_ns},
                                      Column{"point_to_point_ns", &RankProfile::point_to_point_ns},
                                      Column{"wait_ns", &RankProfile::wait_ns},
                                      Column{"one_sided_ns", &RankProfile::one_sided_ns},
                                      Column{"other_ns", &RankProfile::other_ns},
                                      Column{"other_threads_ns", &RankProfile::other_threads_ns}};
};

template <>
struct AttemptTable<OperationTotal> {
  static constexpr std::string_view name = "profile_operations", order = "name";
  static constexpr std::tuple columns{
      Column{"name", &OperationTotal::name},       Column{"kind", &OperationTotal::kind},
      Column{"calls", &OperationTotal::calls},     Column{"bytes", &OperationTotal::bytes},
      Column{"time_ns", &OperationTotal::time_ns}, Column{"max_ns", &OperationTotal::max_ns}};
};

// "t.rank, t.host" for `before` "t.".
template <typename Row>
std::string column_names(const std::string& before) {
  std::string names;
  std::apply(
      [&](const auto&... column) {
        ((names += (names.empty() ? "" : ", ") + before + std::string(column.name)), ...);
      },
      AttemptTable<Row>::columns);
  return names;
}

// Reads the columns of `row` from a statement that selects them after `before`.
template <typename Row, typename... Before>
void read_row(const Statement& from, Row& row, Before&... before) {
  std::apply([&](const auto&... column) { from.read(before..., row.*column.member...); },
             AttemptTable<Row>::columns);
}

template <typename Row>
Result<std::vector<Row>> rows_of(Database& db, RowId attempt) {
  using Table = AttemptTable<Row>;
  static const std::string kSelect = "SELECT " + column_names<Row>("") + " FROM " +
                                     std::string(Table::name) + " WHERE attempt = ? ORDER BY " +
                                     std::string(Table::order);
  return all_rows<Row>(db.query(kSelect, attempt),
                       [](const Statement& from, Row& row) { read_row(from, row); });
}

// A row that is there stays as it is.
template <typename Row>
Result<void> put_rows(Database& db, RowId attempt, const std::vector<Row>& rows) {
  using Table = AttemptTable<Row>;
  static const std::string kInsert = [] {
    std::string marks = "?";
    for (std::size_t i = 0; i < std::tuple_size_v<decltype(Table::columns)>; ++i) marks += ", ?";
    return "INSERT INTO " + std::string(Table::name) + " (attempt, " + column_names<Row>("") +
           ") VALUES (" + marks + ") ON CONFLICT DO NOTHING";
  }();
  if (rows.empty()) return {};
  TRY_ASSIGN(auto insert, db.prepare(kInsert));
  for (const Row& row : rows) {
    TRY(std::apply(
        [&](const auto&... column) { return insert.run(attempt, row.*column.member...); },
        Table::columns));
  }
  return {};
}

// The columns of table `a` that make an AttemptRow, in the order of read_attempt().
inline constexpr const char* kAttemptColumns =
    "a.id, a.run, a.number, a.state, a.reason, a.detail, a.allocation, a.submissions, a.job_id,"
    " a.submitted_ns, a.started_ns, a.ended_ns, a.exit_code, a.signal,"
    " a.nodes, a.waiting, a.expected_start_ns, a.limit_ns";

struct AttemptWords {
  std::string state, reason;

  // False: a word that this version doesn't know.
  bool parse(AttemptState& to_state, Reason& to_reason) const {
    const auto parsed_state = parse_attempt_state(state);
    const auto parsed_reason = parse_reason(reason);
    if (!parsed_state || !parsed_reason) return false;
    to_state = *parsed_state;
    to_reason = *parsed_reason;
    return true;
  }
};

// `before`: what the query selects ahead of kAttemptColumns.
template <typename... T>
void read_attempt(const Statement& row, AttemptRow& a, AttemptWords& words, T&... before) {
  row.read(before..., a.row, a.run, a.number, words.state, words.reason, a.detail, a.allocation,
           a.submissions, a.job_id, a.submitted_ns, a.started_ns, a.ended_ns, a.exit_code, a.signal,
           a.nodes, a.waiting, a.expected_start_ns, a.limit_ns);
}

}  // namespace kneepoint

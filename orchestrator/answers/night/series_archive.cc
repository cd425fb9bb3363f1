// SPDX-License-Identifier: Apache-2.0
//
// Each table is described once, by the list of its columns, which writing and reading go by.
#include "orchestrator/answers/night/series_archive.h"

#include <functional>

#include "orchestrator/base/json_put.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {
namespace {

constexpr char kSeriesPart[] = "data/series.ndjson";
constexpr std::size_t kMostArchiveText = 1 << 20;

// A value as a cell of a table.
template <typename T>
Cell as_cell(const T& value) {
  if constexpr (is_optional<T>) {
    return value ? Cell(*value) : Cell();
  } else if constexpr (std::is_enum_v<T>) {
    return Cell(std::string(to_string(value)));
  } else if constexpr (std::is_integral_v<T>) {
    return Cell(static_cast<std::int64_t>(value));
  } else {
    return Cell(value);
  }
}

std::optional<WorkerUnit> word_as(const std::string& word, WorkerUnit /*kind*/) {
  return parse_worker_unit(word);
}
std::optional<Mode> word_as(const std::string& word, Mode /*kind*/) {
  return parse_mode(word);
}
std::optional<BuildKind> word_as(const std::string& word, BuildKind /*kind*/) {
  for (const BuildKind kind : {BuildKind::path, BuildKind::image}) {
    if (word == to_string(kind)) return kind;
  }
  return std::nullopt;
}

// The opposite; false: the cell is of another type.
template <typename T>
bool read_cell(const Cell& cell, T& value) {
  if constexpr (is_optional<T>) {
    return std::holds_alternative<std::monostate>(cell) || read_cell(cell, value.emplace());
  } else if constexpr (std::is_enum_v<T>) {
    const auto* word = std::get_if<std::string>(&cell);
    const auto known = word == nullptr ? std::optional<T>() : word_as(*word, T());
    if (known) value = *known;
    return known.has_value();
  } else if constexpr (std::is_same_v<T, std::string>) {
    const auto* text = std::get_if<std::string>(&cell);
    if (text != nullptr) value = *text;
    return text != nullptr;
  } else if (const auto* integer = std::get_if<std::int64_t>(&cell)) {  // 1.0 may be written as 1
    value = static_cast<T>(*integer);
    return !std::is_integral_v<T> || static_cast<std::int64_t>(value) == *integer;
  } else {
    const auto* real = std::get_if<double>(&cell);
    if (real == nullptr || std::is_integral_v<T>) return false;
    value = static_cast<T>(*real);
    return true;
  }
}

// visit(name, rows, columns) for each table: those that come before the studies' own.
template <typename Archive, typename Visit>
void each_first(Archive& archive, const Visit& visit) {
  using H = SeriesHead;
  visit("series", archive.head,
        described(field("format", &H::format), field("kneepoint", &H::kneepoint),
                  field("name", &H::name), field("hash8", &H::hash8)));
  using S = StudyRow;
  visit("studies", archive.rows,
        described(field("n", &S::n), field("state", &S::state), field("backend", &S::backend),
                  field("site", &S::site), field("plan_path", &S::plan_path),
                  field("plan_text", &S::plan_text), field("site_text", &S::site_text),
                  field("worker", &S::worker), field("seed", &S::seed),
                  field("knee_rule", &S::knee_rule), field("knee_floor", &S::knee_floor),
                  field(
                      "price_path", [](auto& s) -> auto& { return s.price.book; }),
                  field(
                      "price_item", [](auto& s) -> auto& { return s.price.item; }),
                  field(
                      "price_text", [](auto& s) -> auto& { return s.price.text; }),
                  field("created_ns", &S::created_ns), field("updated_ns", &S::updated_ns)));
}
// The same of what was decided.
template <typename Archive, typename Visit>
void each_decision(Archive& archive, const Visit& visit) {
  visit("baseline", archive.baseline,
        described(field("study", &Baseline::study), field("note", &Baseline::note),
                  field("who", &Baseline::who), field("made_ns", &Baseline::made_ns)));
  visit("pinned_builds", archive.builds,
        described(field("workload", &PinnedBuild::workload), field("kind", &PinnedBuild::kind),
                  field("value", &PinnedBuild::value), field("hash", &PinnedBuild::hash)));
  using A = AcknowledgedChange;
  visit("acknowledged_changes", archive.acknowledged,
        described(field("study", &A::study), field("note", &A::note), field("who", &A::who),
                  field("made_ns", &A::made_ns)));
  using N = ImportedNight;
  visit("imported_nights", archive.nights,
        described(field("night", &N::night), field("order_ns", &N::order_ns),
                  field("build", &N::build)));
  visit("imported_times", archive.times,
        described(field("night", &TimeOfNight::night),
                  field(
                      "case", [](auto& t) -> auto& { return t.time.case_name; }),
                  field(
                      "mode", [](auto& t) -> auto& { return t.time.mode; }),
                  field(
                      "k", [](auto& t) -> auto& { return t.time.k; }),
                  field(
                      "seconds", [](auto& t) -> auto& { return t.time.seconds; })));
  using C = Calibration;
  visit("calibrations", archive.calibration,
        described(field("made_ns", &C::made_ns), field("repeat_sd", &C::repeat_sd),
                  field("night_sd", &C::night_sd), field("node_sd", &C::node_sd),
                  field("false_alarm_rate", &C::false_alarm_rate),
                  field("smallest_detectable", &C::smallest_detectable),
                  field("repeats", &C::repeats), field("nights", &C::nights),
                  field("recommended_repeats", &C::recommended_repeats),
                  field("recommended_history", &C::recommended_history)));
  using V = StoredVerdict;
  visit("verdicts", archive.verdicts,
        described(field("study", &V::study), field("verdict", &V::verdict), field("why", &V::why),
                  field("line", &V::line), field("made_ns", &V::made_ns)));
}

Error wrong_row(const std::string& table, const std::string& what) {
  return Error{ErrorCode::invalid, "data/" + table + ".ndjson: " + what};
}

// For each_first() and each_decision(): every table as rows of cells.
auto writer_to(std::vector<RowTable>& out) {
  return [&out](const char* name, const auto& rows, const auto& columns) {
    RowTable& table = out.emplace_back();
    table.name = name;
    std::apply(
        [&](const auto&... column) {
          (table.columns.emplace_back(column.name), ...);
          for (const auto& row : rows) {
            table.rows.push_back({as_cell(std::invoke(column.get, row))...});
          }
        },
        columns);
  };
}

// The opposite, of the one table that has this name.
struct TableRead {
  bool known = false;  // some table is called so
  std::string wrong;   // "": it is right
};
auto reader_from(const RowTable& table, TableRead& read) {
  return [&](const char* name, auto& rows, const auto& columns) {
    if (table.name != name) return;
    read.known = true;
    std::apply(
        [&](const auto&... column) {
          if (table.columns != std::vector<std::string>{column.name...}) {
            read.wrong = "other columns than this one has";
            return;
          }
          for (const std::vector<Cell>& cells : table.rows) {
            auto& row = rows.emplace_back();
            std::size_t at = 0;
            const bool good = (read_cell(cells.at(at++), std::invoke(column.get, row)) && ...);
            if (!good) read.wrong = "a row is not one of this table";
          }
        },
        columns);
  };
}

// Is every row of a study that is there, in their order?
Result<void> check_rows(const RowTable& table, const std::vector<StudyRow>& studies) {
  if (table.columns.empty() || table.columns.front() != "study") {
    return wrong_row(table.name, "its first column is not the study");
  }
  std::size_t at = 0;
  for (const std::vector<Cell>& row : table.rows) {
    int n = 0;
    const bool good = read_cell(row.front(), n);
    while (good && at < studies.size() && studies[at].n != n) ++at;
    if (good && at < studies.size()) continue;
    return wrong_row(table.name, "a row is of no study, or not in the order of studies");
  }
  return {};
}

Result<void> check_head(const SeriesArchive& archive) {
  if (archive.head.size() != 1) return wrong_row("series", "expected one row");
  const SeriesHead& head = archive.head.front();
  if (head.format != kSeriesFormat) {
    return wrong_row("series", "its format is not " + std::string(kSeriesFormat));
  }
  const bool hash = head.hash8.size() == 8 &&
                    head.hash8.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_study_name(head.name) || !hash) return wrong_row("series", "its name is none");
  return {};
}

Result<void> check_studies(SeriesArchive& archive) {
  int before = 0;
  for (StudyRow& row : archive.rows) {
    const bool good = row.n > before && row.state == "finished" && row.knee_floor > 0 &&
                      row.knee_floor < 1 && row.plan_text.size() <= kMostArchiveText &&
                      row.site_text.size() <= kMostArchiveText;
    if (!good) return wrong_row("studies", "study " + std::to_string(row.n) + " is none");
    before = row.n;
    row.name = archive.head.front().name;
    row.hash8 = archive.head.front().hash8;
    row.id = archive.series() + "-" + std::to_string(row.n);
  }
  if (archive.rows.empty()) return wrong_row("studies", "there is none");
  return {};
}

Result<void> check_decisions(SeriesArchive& archive) {
  const std::string series = archive.series();
  for (Baseline& one : archive.baseline) one.series = series;
  for (AcknowledgedChange& one : archive.acknowledged) one.series = series;
  for (Calibration& one : archive.calibration) one.series = series;
  if (archive.baseline.empty() && !archive.builds.empty()) {
    return wrong_row("pinned_builds", "there is no baseline");
  }
  for (const TimeOfNight& one : archive.times) {
    const bool good = one.night >= 0 && one.time.k >= 1 && one.time.seconds > 0 &&
                      static_cast<std::size_t>(one.night) < archive.nights.size();
    if (!good) return wrong_row("imported_times", "a time of no night, or none");
  }
  return {};
}

}  // namespace

std::vector<TarMember> parts_of(const SeriesArchive& archive) {
  std::vector<RowTable> all;
  each_first(archive, writer_to(all));
  all.insert(all.end(), archive.tables.begin(), archive.tables.end());
  each_decision(archive, writer_to(all));
  std::vector<TarMember> parts;
  for (const RowTable& table : all) parts.push_back({part_name_of(table), write_rows(table)});
  return parts;
}

bool is_series_archive(const Pack& pack) {
  return pack.part(kSeriesPart) != nullptr;
}

Result<SeriesArchive> archive_of(const Pack& pack) {
  SeriesArchive archive;
  for (std::size_t place = 0; place < pack.parts.size(); ++place) {
    const TarMember& part = pack.parts[place];
    TRY_ASSIGN(RowTable table, read_rows(part.bytes, part.name));
    TableRead read;
    if (place < 2) {
      if (table.name != (place == 0 ? "series" : "studies")) {
        return wrong_row(table.name, "series and studies must come first");
      }
      each_first(archive, reader_from(table, read));
    } else {
      each_decision(archive, reader_from(table, read));
    }
    if (!read.wrong.empty()) return wrong_row(table.name, read.wrong);
    if (place == 0) TRY(check_head(archive));
    if (place == 1) TRY(check_studies(archive));
    if (read.known) continue;
    TRY(check_rows(table, archive.rows));
    archive.tables.push_back(std::move(table));
  }
  if (archive.rows.empty()) return wrong_row("studies", "there is none");
  TRY(check_decisions(archive));
  return archive;
}

}  // namespace kneepoint

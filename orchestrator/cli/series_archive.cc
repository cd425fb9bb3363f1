// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/series_archive.h"

#include <algorithm>
#include <limits>

#include "orchestrator/pack/pack_rows.h"
#include "orchestrator/plan/tables/study.h"

namespace kneepoint::cli {
namespace {

constexpr char kSeriesPart[] = "data/series.ndjson";
constexpr std::size_t kMostArchiveText = 1 << 20;

using Row = std::vector<Cell>;

Cell cell_of(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell();
}

Cell number(std::int64_t value) {
  return Cell(value);
}

// The values of one row in their order; a value of another type makes `good` false.
class Reader {
 public:
  Reader(const Row& row, bool& good) : row_(row), good_(good) {}
  std::string text() { return take<std::string>(); }
  std::int64_t integer() { return take<std::int64_t>(); }
  int count() {
    const std::int64_t value = integer();
    good_ = good_ && value >= 0 && value <= std::numeric_limits<int>::max();
    return good_ ? static_cast<int>(value) : 0;
  }
  double real() {
    if (at_ < row_.size() && std::holds_alternative<std::int64_t>(row_[at_])) {
      return static_cast<double>(integer());  // 1.0 is written as 1
    }
    return take<double>();
  }
  std::optional<double> real_or_none() {
    if (at_ < row_.size() && std::holds_alternative<std::monostate>(row_[at_])) {
      ++at_;
      return std::nullopt;
    }
    return real();
  }

 private:
  template <typename T>
  T take() {
    const T* value = at_ < row_.size() ? std::get_if<T>(&row_[at_]) : nullptr;
    ++at_;
    good_ = good_ && value != nullptr;
    return value == nullptr ? T() : *value;
  }
  const Row& row_;
  bool& good_;
  std::size_t at_ = 0;
};

RowTable studies_table(const SeriesArchive& archive) {
  RowTable table{"studies",
                 {"n", "state", "backend", "site", "plan_path", "plan_text", "site_text", "worker",
                  "seed", "knee_rule", "knee_floor", "price_path", "price_item", "price_text",
                  "created_ns", "updated_ns"},
                 {}};
  for (const ForeignStudy& study : archive.studies) {
    const StudyRow& s = study.row;
    table.rows.push_back({number(s.n), s.state, s.backend, s.site, s.plan_path, s.plan_text,
                          s.site_text, std::string(to_string(s.worker)),
                          number(static_cast<std::int64_t>(s.seed)), s.knee_rule, s.knee_floor,
                          s.price.book, s.price.item, s.price.text, number(s.created_ns),
                          number(s.updated_ns)});
  }
  return table;
}

// The tables of all studies, by their names; the study's number first.
std::vector<RowTable> data_tables(const SeriesArchive& archive) {
  std::vector<RowTable> all;
  for (const ForeignStudy& study : archive.studies) {
    for (const RowTable& table : study.tables) {
      auto known = std::find_if(all.begin(), all.end(),
                                [&](const RowTable& one) { return one.name == table.name; });
      if (known == all.end()) {
        known = all.insert(all.end(), RowTable{table.name, table.columns, {}});
        known->columns.insert(known->columns.begin(), "study");
      }
      for (Row row : table.rows) {
        row.insert(row.begin(), number(study.row.n));
        known->rows.push_back(std::move(row));
      }
    }
  }
  return all;
}

std::vector<RowTable> decision_tables(const SeriesArchive& archive) {
  RowTable baseline{"baseline", {"study", "note", "who", "made_ns"}, {}};
  RowTable builds{"pinned_builds", {"workload", "kind", "value", "hash"}, {}};
  if (archive.baseline) {
    const Baseline& b = *archive.baseline;
    baseline.rows.push_back({b.study, b.note, b.who, number(b.made_ns)});
    for (const PinnedBuild& one : b.builds) {
      builds.rows.push_back({one.workload, std::string(to_string(one.kind)), one.value, one.hash});
    }
  }
  RowTable changes{"acknowledged_changes", {"study", "note", "who", "made_ns"}, {}};
  for (const AcknowledgedChange& one : archive.acknowledged) {
    changes.rows.push_back({one.study, one.note, one.who, number(one.made_ns)});
  }
  RowTable nights{"imported_nights", {"night", "order_ns", "build"}, {}};
  RowTable times{"imported_times", {"night", "case", "mode", "k", "seconds"}, {}};
  for (std::size_t i = 0; i < archive.nights.size(); ++i) {
    const ImportedNight& night = archive.nights[i];
    nights.rows.push_back({night.night, number(night.order_ns), night.build});
    for (const ImportedTime& one : night.times) {
      times.rows.push_back({number(static_cast<std::int64_t>(i)), one.case_name,
                            std::string(to_string(one.mode)), number(one.k), one.seconds});
    }
  }
  RowTable calibrations{
      "calibrations",
      {"made_ns", "repeat_sd", "night_sd", "node_sd", "false_alarm_rate", "smallest_detectable",
       "repeats", "nights", "recommended_repeats", "recommended_history"},
      {}};
  if (archive.calibration) {
    const Calibration& c = *archive.calibration;
    calibrations.rows.push_back({number(c.made_ns), c.repeat_sd, cell_of(c.night_sd),
                                 cell_of(c.node_sd), c.false_alarm_rate, c.smallest_detectable,
                                 number(c.repeats), number(c.nights), number(c.recommended_repeats),
                                 number(c.recommended_history)});
  }
  RowTable verdicts{"verdicts", {"study", "verdict", "why", "line", "made_ns"}, {}};
  for (const StoredVerdict& one : archive.verdicts) {
    verdicts.rows.push_back({one.study, one.verdict, one.why, one.line, number(one.made_ns)});
  }
  return {baseline, builds, changes, nights, times, calibrations, verdicts};
}

Error wrong_row(const std::string& table, const std::string& what) {
  return Error{ErrorCode::invalid, "data/" + table + ".ndjson: " + what};
}

Result<void> read_study(const Row& row, SeriesArchive& archive) {
  bool good = true;
  Reader read(row, good);
  StudyRow& s = archive.studies.emplace_back().row;
  s.name = archive.name;
  s.hash8 = archive.hash8;
  s.n = read.count();
  s.state = read.text();
  s.backend = read.text();
  s.site = read.text();
  s.plan_path = read.text();
  s.plan_text = read.text();
  s.site_text = read.text();
  const auto worker = parse_worker_unit(read.text());
  s.seed = static_cast<std::uint64_t>(read.integer());
  s.knee_rule = read.text();
  s.knee_floor = read.real();
  s.price.book = read.text();
  s.price.item = read.text();
  s.price.text = read.text();
  s.created_ns = read.integer();
  s.updated_ns = read.integer();
  good = good && worker && s.n >= 1 && s.state == "finished" && s.knee_floor > 0 &&
         s.knee_floor < 1 && s.plan_text.size() <= kMostArchiveText &&
         s.site_text.size() <= kMostArchiveText;
  if (archive.studies.size() > 1) {
    good = good && archive.studies[archive.studies.size() - 2].row.n < s.n;
  }
  if (!good)
    return wrong_row("studies", "row " + std::to_string(archive.studies.size()) + " is none");
  s.worker = *worker;
  s.id = archive.series() + "-" + std::to_string(s.n);
  return {};
}

// Gives every study the rows that are its own.
Result<void> deal_out(const RowTable& table, SeriesArchive& archive) {
  if (table.columns.empty() || table.columns.front() != "study") {
    return wrong_row(table.name, "its first column is not the study");
  }
  for (ForeignStudy& study : archive.studies) {
    RowTable own{table.name, table.columns, {}};
    own.columns.erase(own.columns.begin());
    study.tables.push_back(std::move(own));
  }
  std::size_t at = 0;
  for (const Row& row : table.rows) {
    bool good = true;
    const int n = Reader(row, good).count();
    while (good && at < archive.studies.size() && archive.studies[at].row.n != n) ++at;
    if (!good || at == archive.studies.size()) {
      return wrong_row(table.name, "a row is of no study, or not in the order of studies");
    }
    archive.studies[at].tables.back().rows.emplace_back(row.begin() + 1, row.end());
  }
  return {};
}

Result<void> read_decision(const RowTable& table, SeriesArchive& archive) {
  bool good = true;
  const std::string series = archive.series();
  for (const Row& row : table.rows) {
    Reader read(row, good);
    if (table.name == "baseline") {
      Baseline& b = archive.baseline.emplace();
      b.series = series;
      b.study = read.text();
      b.note = read.text();
      b.who = read.text();
      b.made_ns = read.integer();
    } else if (table.name == "pinned_builds" && archive.baseline) {
      PinnedBuild& one = archive.baseline->builds.emplace_back();
      one.workload = read.text();
      const std::string kind = read.text();
      good = good && (kind == "path" || kind == "image");
      one.kind = kind == "image" ? BuildKind::image : BuildKind::path;
      one.value = read.text();
      one.hash = read.text();
    } else if (table.name == "acknowledged_changes") {
      AcknowledgedChange& one = archive.acknowledged.emplace_back();
      one.series = series;
      one.study = read.text();
      one.note = read.text();
      one.who = read.text();
      one.made_ns = read.integer();
    } else if (table.name == "imported_nights") {
      ImportedNight& one = archive.nights.emplace_back();
      one.night = read.text();
      one.order_ns = read.integer();
      one.build = read.text();
    } else if (table.name == "imported_times") {
      const auto night = static_cast<std::size_t>(read.count());
      if (!good || night >= archive.nights.size())
        return wrong_row(table.name, "a time of no night");
      ImportedTime& one = archive.nights[night].times.emplace_back();
      one.case_name = read.text();
      const auto mode = parse_mode(read.text());
      one.mode = mode.value_or(Mode::strong);
      one.k = read.count();
      one.seconds = read.real();
      good = good && mode && one.k >= 1 && one.seconds > 0;
    } else if (table.name == "calibrations") {
      Calibration& c = archive.calibration.emplace();
      c.series = series;
      c.made_ns = read.integer();
      c.repeat_sd = read.real();
      c.night_sd = read.real_or_none();
      c.node_sd = read.real_or_none();
      c.false_alarm_rate = read.real();
      c.smallest_detectable = read.real();
      c.repeats = read.count();
      c.nights = read.count();
      c.recommended_repeats = read.count();
      c.recommended_history = read.count();
    } else if (table.name == "verdicts") {
      StoredVerdict& one = archive.verdicts.emplace_back();
      one.study = read.text();
      one.verdict = read.text();
      one.why = read.text();
      one.line = read.text();
      one.made_ns = read.integer();
    } else {
      good = false;
    }
    if (!good) return wrong_row(table.name, "a row is not one of this table");
  }
  return {};
}

// Its columns as we write them; none: it is no table of decisions.
std::optional<std::vector<std::string>> decision_columns(const std::string& name) {
  for (const RowTable& known : decision_tables({})) {
    if (known.name == name) return known.columns;
  }
  return std::nullopt;
}

Result<void> read_header_row(const RowTable& table, SeriesArchive& archive) {
  if (table.rows.size() != 1) return wrong_row("series", "expected one row");
  bool good = true;
  Reader read(table.rows.front(), good);
  const std::string format = read.text();
  archive.kneepoint = read.text();
  archive.name = read.text();
  archive.hash8 = read.text();
  if (!good || format != kSeriesFormat) {
    return wrong_row("series", "its format is not " + std::string(kSeriesFormat));
  }
  const bool hash = archive.hash8.size() == 8 &&
                    archive.hash8.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_study_name(archive.name) || !hash) return wrong_row("series", "its name is none");
  return {};
}

}  // namespace

std::vector<TarMember> parts_of(const SeriesArchive& archive) {
  std::vector<RowTable> tables = {
      {"series",
       {"format", "kneepoint", "name", "hash8"},
       {{std::string(kSeriesFormat), archive.kneepoint, archive.name, archive.hash8}}},
      studies_table(archive)};
  for (RowTable& table : data_tables(archive)) tables.push_back(std::move(table));
  for (RowTable& table : decision_tables(archive)) tables.push_back(std::move(table));
  std::vector<TarMember> parts;
  for (const RowTable& table : tables) parts.push_back({part_name_of(table), write_rows(table)});
  return parts;
}

bool is_series_archive(const Pack& pack) {
  return pack.part(kSeriesPart) != nullptr;
}

Result<SeriesArchive> archive_of(const Pack& pack) {
  SeriesArchive archive;
  std::size_t place = 0;
  for (const TarMember& part : pack.parts) {
    TRY_ASSIGN(const RowTable table, read_rows(part.bytes, part.name));
    if (place == 0 && table.name == "series") {
      TRY(read_header_row(table, archive));
    } else if (place == 1 && table.name == "studies") {
      for (const Row& row : table.rows) TRY(read_study(row, archive));
      if (archive.studies.empty()) return wrong_row("studies", "there is none");
    } else if (place < 2) {
      return wrong_row(table.name, "series and studies must come first");
    } else if (const auto columns = decision_columns(table.name)) {
      if (*columns != table.columns)
        return wrong_row(table.name, "other columns than this one has");
      TRY(read_decision(table, archive));
    } else {
      TRY(deal_out(table, archive));
    }
    ++place;
  }
  if (archive.studies.empty()) return wrong_row("studies", "there is none");
  return archive;
}

}  // namespace kneepoint::cli

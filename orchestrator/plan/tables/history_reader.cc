// SPDX-License-Identifier: Apache-2.0
//
// Nights out of rows or JSON objects: both become the same records.
#include "orchestrator/plan/tables/reader.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>

#include "orchestrator/base/text.h"
#include "orchestrator/plan/tables/rows.h"
#include "orchestrator/plan/yaml/yaml.h"

namespace kneepoint {
namespace {

constexpr int kMostNightNumber = 1'000'000'000;
constexpr std::size_t kMostNights = 20'000;
constexpr char kHeader[] = "expected a header such as night,case,mode,K,time";

// Exactly so many digits; 0 of them: as many as there are.
std::optional<int> whole_number(std::string_view text, std::size_t digits = 0) {
  const bool is_long_enough = digits == 0 || text.size() == digits;
  const auto value = is_long_enough ? parse_number<int>(text) : std::nullopt;
  return value && *value >= 0 ? value : std::nullopt;
}

class NightRows {
 public:
  NightRows(const TableColumns& columns, const TableOptions& options, TableProblems& problems)
      : columns_(columns),
        options_(options),
        problems_(problems),
        cells_(columns, options, problems, table_) {}

  void read(const TableRecord& record) {
    cells_.set_row(record);
    const std::size_t before = problems_.count();
    const std::string word(cells_.text(ColumnKind::night));
    const auto order = order_of(word);
    ImportedTime time;
    time.k = cells_.whole(ColumnKind::k, 1, kMostTableWorkers, 0);
    time.mode = cells_.mode();
    time.seconds = cells_.value();
    time.case_name = cells_.name(ColumnKind::case_name, options_.case_name);
    const std::string build(cells_.name(ColumnKind::build, ""));
    const int repeat = cells_.whole(ColumnKind::repeat, 0, kMostNightNumber, -1);
    if (time.case_name.empty()) {
      problems_.add(record.line, 1, "", "no case; add a column 'case', or say --case");
    }
    if (problems_.count() > before) return;
    if (repeat >= 0 &&
        !seen_.insert({*order, word, time.case_name, time.mode, time.k, repeat}).second) {
      cells_.problem(ColumnKind::repeat,
                     "repeat " + std::to_string(repeat) + " of this night and point stands twice");
      return;
    }
    const auto [place, fresh] = nights_.try_emplace({*order, word});
    Night& night = place->second;
    if (fresh) {
      night.line = record.line;
      night.read.night = word;
      night.read.order_ns = *order;
    }
    if (!build.empty()) night.builds.insert(build);
    night.read.times.push_back(std::move(time));
    if (fresh && nights_.size() == kMostNights + 1) {
      problems_.add(record.line, 1, "",
                    "more than " + std::to_string(kMostNights) + " nights; keep the latest");
    }
  }

  HistoryTable take() {
    HistoryTable out;
    for (auto& [order, night] : nights_) {
      for (const std::string& build : night.builds) {
        night.read.build += (night.read.build.empty() ? "" : " + ") + build;
      }
      out.lines.push_back(night.line);
      out.nights.push_back(std::move(night.read));
    }
    out.unused = columns_.unused;
    out.units = table_.units;
    out.unit_assumed = table_.unit_assumed;
    return out;
  }

 private:
  struct Night {
    ImportedNight read;
    int line = 0;
    std::set<std::string> builds;
  };

  // A date, or a number; the first row decides which of them all are.
  std::optional<Nanoseconds> order_of(const std::string& word) {
    const auto date = read_date(word);
    const auto number = whole_number(word);
    if (!date && !(number && *number <= kMostNightNumber)) {
      cells_.wrong(ColumnKind::night,
                   std::string(word.empty() ? "is missing" : "") +
                       "; expected a date such as 2026-03-01, or a whole number");
      return std::nullopt;
    }
    if (!dates_) dates_ = date.has_value();
    if (*dates_ != date.has_value()) {
      cells_.wrong(ColumnKind::night, *dates_ ? "is a number, while others are dates"
                                              : "is a date, while others are numbers");
      return std::nullopt;
    }
    return date ? *date : Nanoseconds{*number};
  }

  const TableColumns& columns_;
  const TableOptions& options_;
  TableProblems& problems_;
  Table table_;
  TableCells cells_;
  std::optional<bool> dates_;
  std::map<std::pair<Nanoseconds, std::string>, Night> nights_;
  std::set<std::tuple<Nanoseconds, std::string, std::string, Mode, int, int>> seen_;
};

// Columns that a history needs beside those of every table.
bool has_columns(const TableColumns& columns, TableProblems& problems) {
  if (!columns.has(ColumnKind::night)) {
    problems.add(columns.line, 1, "", std::string("no column with the night; ") + kHeader);
  }
  if (columns.value != ColumnKind::time) {
    problems.add(columns.line, 1, "", "a history needs times, not speedups or rates");
  }
  return problems.count() == 0;
}

ReadHistory finish(NightRows& rows, TableProblems& problems) {
  ReadHistory out;
  if (problems.count() == 0) out.table = rows.take();
  if (problems.count() == 0 && out.table.nights.empty()) {
    problems.add(0, 0, "", "the table has a header and no rows");
  }
  out.problems = problems.take();
  if (!out.problems.empty()) out.table = {};
  return out;
}

ReadHistory read_rows(std::string_view text, const std::string& file, const TableOptions& options) {
  TableText records(text);
  TableProblems problems(file);
  const TableColumns columns = read_header(records, kHeader, problems);
  if (columns.titles.empty() || !has_columns(columns, problems)) return {{}, problems.take()};
  NightRows rows(columns, options, problems);
  TableRecord record;
  while (records.next(record)) {
    if (is_whole_row(record, columns.titles.size(), records.delimiter(), problems)) {
      rows.read(record);
    }
  }
  return finish(rows, problems);
}

// A JSON list of objects: their keys are the header.
ReadHistory read_objects(std::string_view text, const std::string& file,
                         const TableOptions& options) {
  const YamlFile parsed = parse_yaml(text, file);
  if (!parsed.problems.empty()) return {{}, parsed.problems};
  TableProblems problems(file);
  if (parsed.root.kind != YamlNode::Kind::list) {
    problems.add(parsed.root.line, parsed.root.column, "",
                 "expected a list of objects such as {\"night\": \"2026-03-01\", \"case\": \"a\", "
                 "\"mode\": \"strong\", \"K\": 4, \"time\": 1.5}");
    return {{}, problems.take()};
  }
  TableRecord header;
  header.line = parsed.root.line;
  std::map<std::string_view, std::size_t> places;
  for (const YamlNode& item : parsed.root.items) {
    if (item.kind != YamlNode::Kind::map) {
      problems.add(item.line, item.column, "", "expected an object");
      continue;
    }
    for (const YamlEntry& entry : item.entries) {
      if (places.try_emplace(entry.key, header.fields.size()).second) {
        header.fields.push_back({entry.key, entry.column, entry.line});
      }
      if (entry.value.kind != YamlNode::Kind::scalar && entry.value.kind != YamlNode::Kind::null) {
        problems.add(entry.value.line, entry.value.column, entry.key, "expected a plain value");
      }
    }
  }
  if (problems.count() > 0 || parsed.root.items.empty()) {
    if (parsed.root.items.empty()) problems.add(0, 0, "", "the list is empty");
    return {{}, problems.take()};
  }
  const TableColumns columns = read_columns(header, problems);
  if (!has_columns(columns, problems)) return {{}, problems.take()};
  NightRows rows(columns, options, problems);
  for (const YamlNode& item : parsed.root.items) {
    TableRecord record;
    record.line = item.line;
    record.fields.assign(header.fields.size(), {"", item.column, item.line});
    for (const YamlEntry& entry : item.entries) {
      record.fields[places.at(entry.key)] = {entry.value.text, entry.value.column,
                                             entry.value.line};
    }
    rows.read(record);
  }
  return finish(rows, problems);
}

}  // namespace

std::optional<Nanoseconds> read_date(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = whole_number(text.substr(0, 4), 4), month = whole_number(text.substr(5, 2), 2),
             day = whole_number(text.substr(8, 2), 2);
  if (!year || !month || !day || *year < 1970 || *year > 2200) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const Nanoseconds at = std::chrono::sys_days(date).time_since_epoch().count() * 24 * kHour;
  std::string clock(text.substr(10));
  if (clock.empty()) return at;
  if (clock.ends_with('Z')) clock.pop_back();
  if (clock.size() == 6) clock += ":00";
  if (clock.size() != 9 || (clock[0] != 'T' && clock[0] != ' ') || clock[3] != ':' ||
      clock[6] != ':') {
    return std::nullopt;
  }
  const std::string_view parts = clock;
  const auto hours = whole_number(parts.substr(1, 2), 2),
             minutes = whole_number(parts.substr(4, 2), 2),
             seconds = whole_number(parts.substr(7, 2), 2);
  if (!hours || !minutes || !seconds || *hours > 23 || *minutes > 59 || *seconds > 59) {
    return std::nullopt;
  }
  return at + *hours * kHour + *minutes * kMinute + *seconds * kSecond;
}

ReadHistory read_history(std::string_view text, const std::string& file,
                         const TableOptions& options) {
  if (const auto refused = refuse_text(text, file, kMostTableBytes)) return {{}, {*refused}};
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && (text[first] == '[' || text[first] == '{');
  return json ? read_objects(text, file, options) : read_rows(text, file, options);
}

}  // namespace kneepoint

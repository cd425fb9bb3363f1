// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/tables/reader.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <set>
#include <tuple>

#include "orchestrator/plan/tables/rows.h"
#include "orchestrator/plan/yaml/yaml.h"

namespace kneepoint {
namespace {

constexpr int kMostNightNumber = 1'000'000'000;
constexpr std::size_t kMostNights = 20'000;
constexpr char kHeader[] = "expected a header such as night,case,mode,K,time";

bool read_whole(std::string_view text, std::size_t digits, int& value) {
  if (text.size() != digits) return false;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && value >= 0;
}

class NightRows {
 public:
  NightRows(const TableColumns& columns, const TableOptions& options, DecimalMark mark,
            TableProblems& problems)
      : columns_(columns),
        options_(options),
        problems_(problems),
        cells_(columns, options, mark, problems, table_) {}

  void read(const TableRecord& record) {
    const std::size_t before = problems_.count();
    const std::string word(cells_.text(record, ColumnKind::night));
    const auto order = order_of(record, word);
    ImportedTime time;
    time.k = cells_.whole(record, ColumnKind::k, 1, kMostTableWorkers, 0);
    time.mode = cells_.mode(record);
    time.seconds = cells_.value(record);
    time.case_name = cells_.name(record, ColumnKind::case_name, options_.case_name);
    const std::string build(cells_.name(record, ColumnKind::build, ""));
    const int repeat = cells_.whole(record, ColumnKind::repeat, 0, kMostNightNumber, -1);
    if (time.case_name.empty()) {
      problems_.add(record.line, 1, "", "no case; add a column 'case', or say --case");
    }
    if (problems_.count() > before) return;
    if (repeat >= 0 &&
        !seen_.insert({*order, word, time.case_name, time.mode, time.k, repeat}).second) {
      cells_.problem(record, ColumnKind::repeat,
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
  std::optional<Nanoseconds> order_of(const TableRecord& record, const std::string& word) {
    const auto date = read_date(word);
    int number = 0;
    const bool is_number =
        !word.empty() && read_whole(word, word.size(), number) && number <= kMostNightNumber;
    if (!date && !is_number) {
      cells_.problem(record, ColumnKind::night,
                     (word.empty() ? std::string("is missing") : quoted_cell(word)) +
                         "; expected a date such as 2026-03-01, or a whole number");
      return std::nullopt;
    }
    if (!dates_) dates_ = date.has_value();
    if (*dates_ != date.has_value()) {
      cells_.problem(record, ColumnKind::night,
                     quoted_cell(word) + (*dates_ ? " is a number, while others are dates"
                                                  : " is a date, while others are numbers"));
      return std::nullopt;
    }
    return date ? *date : Nanoseconds{number};
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
bool has_columns(const TableColumns& columns, int line, TableProblems& problems) {
  if (!columns.has(ColumnKind::night)) {
    problems.add(line, 1, "", std::string("no column with the night; ") + kHeader);
  }
  if (columns.value != ColumnKind::time) {
    problems.add(line, 1, "", "a history needs times, not speedups or rates");
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
  TableRecord record;
  if (!records.next(record)) {
    problems.add(0, 0, "", std::string("the table is empty; ") + kHeader);
    return {{}, problems.take()};
  }
  const TableColumns columns = read_columns(record, problems);
  if (!has_columns(columns, record.line, problems)) return {{}, problems.take()};
  const DecimalMark mark = options.decimal ? *options.decimal : find_mark(records, columns);
  records.rewind();
  records.next(record);
  NightRows rows(columns, options, mark, problems);
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
  if (!has_columns(columns, header.line, problems)) return {{}, problems.take()};
  NightRows rows(columns, options, options.decimal.value_or(DecimalMark::point), problems);
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
  int year = 0, month = 0, day = 0;
  if (text.size() < 10 || text[4] != '-' || text[7] != '-' ||
      !read_whole(text.substr(0, 4), 4, year) || !read_whole(text.substr(5, 2), 2, month) ||
      !read_whole(text.substr(8, 2), 2, day)) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || year < 1970 || year > 2200) return std::nullopt;
  Nanoseconds at = std::chrono::sys_days(date).time_since_epoch().count() * 24 * kHour;
  std::string_view clock = text.substr(10);
  if (clock.empty()) return at;
  if (clock.ends_with('Z')) clock.remove_suffix(1);
  int hours = 0, minutes = 0, seconds = 0;
  const bool separated = clock.size() >= 6 && (clock[0] == 'T' || clock[0] == ' ');
  if (!separated || clock[3] != ':' || !read_whole(clock.substr(1, 2), 2, hours) ||
      !read_whole(clock.substr(4, 2), 2, minutes) || hours > 23 || minutes > 59) {
    return std::nullopt;
  }
  if (clock.size() > 6 && (clock.size() != 9 || clock[6] != ':' ||
                           !read_whole(clock.substr(7, 2), 2, seconds) || seconds > 59)) {
    return std::nullopt;
  }
  return at + hours * kHour + minutes * kMinute + seconds * kSecond;
}

ReadHistory read_history(std::string_view text, const std::string& file,
                         const TableOptions& options) {
  if (const auto refused = refuse_text(text, file, kMostTableBytes)) return {{}, {*refused}};
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && (text[first] == '[' || text[first] == '{');
  return json ? read_objects(text, file, options) : read_rows(text, file, options);
}

}  // namespace kneepoint

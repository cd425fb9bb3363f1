// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/pack/pack_rows.h"

#include <nlohmann/json.hpp>

#include "orchestrator/base/json_put.h"

namespace kneepoint {
namespace {

using nlohmann::json;

constexpr std::size_t kMostColumns = 128;
constexpr std::size_t kMostName = 64;
constexpr std::size_t kMostCell = 4 << 20;
constexpr std::size_t kMostRows = 20'000'000;
constexpr char kFolder[] = "data/";
constexpr char kEnding[] = ".ndjson";

Error wrong(const std::string& part, std::size_t line, const std::string& what) {
  return Error{ErrorCode::invalid, part + ":" + std::to_string(line) + ": " + what};
}

// Reals keep a mark of their kind: 3.0, not 3, so that a column has one type.
std::string real_text(double value) {
  std::string text = json_number(value);
  if (text.find_first_of(".eEn") == std::string::npos) text += ".0";
  return text;
}

std::string cell_text(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return real_text(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return json_quote(*text);
  return "null";
}

Result<Cell> cell_of(const json& value, const std::string& part, std::size_t line) {
  if (value.is_null()) return Cell();
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    return wrong(part, line, "a number is too large");
  }
  if (value.is_number_integer()) return Cell(value.get<std::int64_t>());
  if (value.is_number_float()) return Cell(value.get<double>());
  if (value.is_string() && value.get_ref<const std::string&>().size() <= kMostCell) {
    return Cell(value.get<std::string>());
  }
  return wrong(part, line, "expected a number, a text of at most 4 MiB or null");
}

json parse_text(std::string_view text) {
  return json::parse(text.begin(), text.end(), nullptr, false);
}

}  // namespace

std::string part_name_of(const RowTable& table) {
  return kFolder + table.name + kEnding;
}

std::string write_rows(const RowTable& table) {
  JsonWriter columns;
  columns.begin_array();
  for (const std::string& column : table.columns) columns.value(column);
  std::string out = columns.end_array().text() + "\n";
  for (const auto& row : table.rows) {
    out += "[";
    for (std::size_t i = 0; i < row.size(); ++i) out += (i > 0 ? "," : "") + cell_text(row[i]);
    out += "]\n";
  }
  return out;
}

Result<RowTable> read_rows(std::string_view text, const std::string& part) {
  RowTable table;
  if (!part.starts_with(kFolder) || !part.ends_with(kEnding)) {
    return Error{ErrorCode::invalid, part + ": not a table of rows"};
  }
  const std::size_t before = sizeof kFolder - 1, after = sizeof kEnding - 1;
  table.name = part.substr(before, part.size() - before - after);
  std::size_t line = 0;
  for (std::size_t at = 0; at < text.size();) {
    ++line;
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return wrong(part, line, "the line does not end");
    const json values = parse_text(text.substr(at, end - at));
    at = end + 1;
    if (!values.is_array()) return wrong(part, line, "expected an array");
    if (line == 1) {
      if (values.size() > kMostColumns) return wrong(part, line, "too many columns");
      for (const json& value : values) {
        if (!value.is_string() || value.get_ref<const std::string&>().size() > kMostName) {
          return wrong(part, line, "expected the names of columns");
        }
        table.columns.push_back(value.get<std::string>());
      }
      continue;
    }
    if (values.size() != table.columns.size()) {
      return wrong(part, line, "expected " + std::to_string(table.columns.size()) + " values");
    }
    if (table.rows.size() == kMostRows) return wrong(part, line, "too many rows");
    auto& row = table.rows.emplace_back();
    row.reserve(values.size());
    for (const json& value : values) {
      TRY_ASSIGN(Cell cell, cell_of(value, part, line));
      row.push_back(std::move(cell));
    }
  }
  if (line == 0) return wrong(part, 1, "expected the names of columns");
  return table;
}

std::string write_header(const PackHeader& header) {
  return json_text(header, 2) + "\n";
}

Result<PackHeader> read_header(const std::string& text) {
  const json value = parse_text(text);
  if (!value.is_object()) return Error{ErrorCode::invalid, "pack.json: expected an object"};
  const auto text_at = [&](const char* key) {
    const auto found = value.find(key);
    return found != value.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (const std::string format = text_at("format"); format != kPackFormat) {
    return Error{ErrorCode::unsupported, "pack.json: format '" + format.substr(0, 60) +
                                             "'; this kneepoint reads " + kPackFormat};
  }
  PackHeader header;
  header.kneepoint = text_at("kneepoint");
  header.study = text_at("study");
  header.name = text_at("name");
  header.backend = text_at("backend");
  header.site = text_at("site");
  header.worker = text_at("worker");
  header.knee_rule = text_at("knee_rule");
  header.state = text_at("state");
  header.plan_path = text_at("plan_path");
  header.price_item = text_at("price_item");  // not in packs of before
  for (const auto& [key, target] :
       {std::pair{"created_ns", &header.created_ns}, std::pair{"updated_ns", &header.updated_ns}}) {
    const auto found = value.find(key);
    if (found == value.end() || !found->is_number_integer() || *found < 0 || *found > INT64_MAX) {
      return Error{ErrorCode::invalid, std::string("pack.json: ") + key + ": expected a time"};
    }
    *target = found->get<std::int64_t>();
  }
  const auto seed = value.find("seed"), floor = value.find("knee_floor");
  if (seed == value.end() || !seed->is_number_unsigned()) {
    return Error{ErrorCode::invalid, "pack.json: seed: expected a whole number"};
  }
  header.seed = seed->get<std::uint64_t>();
  if (floor == value.end() || !floor->is_number()) {
    return Error{ErrorCode::invalid, "pack.json: knee_floor: expected a number"};
  }
  header.knee_floor = floor->get<double>();
  if (const auto list = value.find("left_out"); list != value.end() && list->is_array()) {
    for (const json& one : *list) {
      if (one.is_string()) header.left_out.push_back(one.get<std::string>());
    }
  }
  return header;
}

}  // namespace kneepoint

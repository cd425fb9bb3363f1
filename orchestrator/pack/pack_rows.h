// SPDX-License-Identifier: Apache-2.0
//
// Tables of a study as parts of a pack: `data/<table>.ndjson`, the columns in the first line, then
// one array a row. What is read is only values: no text of a pack ever becomes SQL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/row_table.h"

namespace kneepoint {

std::string part_name_of(const RowTable& table);
std::string write_rows(const RowTable& table);

// Bounded: columns and names are few and short, cells at most 4 MiB. `part` is for the message.
Result<RowTable> read_rows(std::string_view text, const std::string& part);

inline constexpr char kPackHeader[] = "pack.json";
inline constexpr char kPackFormat[] = "kneepoint.pack/1";

// What of a study is in no table of rows: pack.json.
struct PackHeader {
  std::string study;  // id where it was made
  std::string name, backend, site, worker, knee_rule, state, plan_path, kneepoint;
  std::string price_item;  // of prices.yaml; "": not said
  std::uint64_t seed = 0;
  double knee_floor = 0.7;
  std::int64_t created_ns = 0, updated_ns = 0;
  std::vector<std::string> left_out;  // keys of plan and site whose values were
  static constexpr auto fields() {
    using T = PackHeader;
    return described(field("format", [](const T&) { return kPackFormat; }),
                     KP_NAMED(kneepoint, study, name, backend, site, worker, seed, knee_rule),
                     KP_NAMED(knee_floor, state, plan_path, price_item, created_ns, updated_ns),
                     KP_NAMED(left_out));
  }
};

std::string write_header(const PackHeader& header);
Result<PackHeader> read_header(const std::string& text);

}  // namespace kneepoint

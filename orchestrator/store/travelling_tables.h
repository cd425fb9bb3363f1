// SPDX-License-Identifier: Apache-2.0
//
// The tables that travel with a study into an evidence pack, and how their rows are found.
#pragma once

#include <span>
#include <string_view>

namespace kneepoint {

struct TravellingTable {
  std::string_view name;
  std::string_view rows;  // SQL from FROM on; the table is `t`, ? is the study
};

std::span<const TravellingTable> travelling_tables();

}  // namespace kneepoint

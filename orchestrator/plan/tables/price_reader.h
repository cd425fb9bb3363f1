// SPDX-License-Identifier: Apache-2.0
//
// Reads a price book; the same manners as plan_reader: every problem at once, each with its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/price.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct PricesRead {
  PriceBook book;
  std::vector<Problem> problems;
};

PricesRead read_prices(std::string_view text, const std::string& path);

}  // namespace kneepoint

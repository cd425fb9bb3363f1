// SPDX-License-Identifier: Apache-2.0
//
// The names of the facts that decide whether runs compare, as a list for SQL. They are our own
// constants, so they need no binding.
#pragma once

#include <string>
#include <string_view>

#include "orchestrator/model/provenance.h"

namespace kneepoint {

inline std::string names_of_compared_facts() {
  std::string list;
  const auto add = [&list](std::string_view name) {
    if (!name.empty()) list += (list.empty() ? "'" : ", '") + std::string(name) + "'";
  };
  for (const ComparedFact& fact : compared_facts()) {
    add(fact.name);
    add(fact.instead);
  }
  return list;
}

}  // namespace kneepoint
